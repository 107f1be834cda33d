//! Erasing: deleted records leave no bytes in the file.
//!
//! `PRAGMA secure_delete` overwrites deleted rows and freed pages, the option `secure-delete` of FTS5 removes the words
//! of a deleted text from the index at once, and limbic-vfs overwrites the journal. The index of source code has no
//! such option: `erase_code_words` rewrites it. Files written by earlier versions may still contain deleted records;
//! [`Database::compact`](crate::Database::compact) rebuilds them.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::Result;

/// The full-text tables, but that of source code.
const FULL_TEXT: [&str; 4] = ["entity_fts", "entity_words", "reflection_fts", "memory_content_fts"];

/// The vec0 tables.
const VECTORS: [&str; 4] =
    ["entity_embeddings", "reflection_embeddings", "memory_embeddings", "chunk_embeddings"];

/// The first id of the pages on which FTS5 lists deleted rows: those of its segments, whose numbers have 16 bits, are
/// multiplied by 2^37.
const FIRST_TOMBSTONE_PAGE: i64 = ((1 << 16) + 1) << 37;

/// The id of FTS5's list of segments.
const STRUCTURE: i64 = 10;

/// Number of pages that FTS5 writes before it is asked whether more is to be merged: as many as in its own merges.
const PAGES_PER_MERGE: i32 = 64;

/// FTS5's defaults: the number of segments from which it merges a level after writes, and for a command, and the
/// percentage of deleted rows.
const AUTOMERGE: i32 = 4;
const USERMERGE: i32 = 4;
const DELETEMERGE: i32 = 10;

/// The largest `usermerge` that FTS5 takes, in segments. It merges levels of as many itself.
const MAX_USERMERGE: i32 = 16;

/// Number of pages up to which rewriting the full-text index takes less than a few files do: 2 MB.
const MAX_CHEAP_PAGES: i64 = 500;

/// The size of a file before and after [`Database::compact`](crate::Database::compact).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Size before, in bytes.
    pub bytes_before: u64,
    /// Size after, in bytes.
    pub bytes_after: u64,
}

/// Enables FTS5's `secure-delete` for the full-text tables that do not have it.
pub(crate) fn prepare(connection: &mut Connection) -> Result<()> {
    if erase_words(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    enable(&transaction)?;
    transaction.commit()?;
    Ok(())
}

/// Enables FTS5's `secure-delete` for all full-text tables.
pub(crate) fn enable(connection: &Connection) -> Result<()> {
    for table in FULL_TEXT {
        connection
            .execute(&format!("INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)"), [])?;
    }
    Ok(())
}

fn erase_words(connection: &Connection) -> Result<bool> {
    for table in FULL_TEXT {
        let sql = format!("SELECT count(*) FROM {table}_config WHERE k = 'secure-delete' AND v = 1");
        if connection.query_row(&sql, [], |row| row.get::<_, i64>(0))? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Rebuilds the database without free pages and without records that earlier versions only marked as deleted. Needs
/// about as much memory as the file is large.
///
/// # Errors
/// After a failure, the content is unchanged.
pub(crate) fn compact(connection: &mut Connection) -> Result<Compacted> {
    let bytes_before = size(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for table in FULL_TEXT {
        transaction.execute(&format!("INSERT INTO {table} ({table}) VALUES ('rebuild')"), [])?;
    }
    erase_code_words(&transaction, Rewrites::All)?;
    clear_free_places(&transaction)?;
    transaction.commit()?;
    connection.flush_prepared_statement_cache();
    connection.execute_batch("VACUUM")?;
    Ok(Compacted { bytes_before, bytes_after: size(connection)? })
}

/// Which parts of the full-text index of source code are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrites {
    /// Everything.
    All,
    /// Everything if the index is small, else nothing.
    Small,
}

/// Rewrites the full-text index of source code without the words of deleted chunks, if there are any. FTS5 only marks
/// rows of a table without content as deleted, and its own merges may take long to reach them.
pub(crate) fn erase_code_words(connection: &Connection, rewrites: Rewrites) -> Result<()> {
    if !has_deleted_words(connection)? {
        return Ok(());
    }
    let is_empty: bool = connection
        .prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM code_chunks)")?
        .query_row([], |row| row.get(0))?;
    let is_small = || -> Result<bool> {
        Ok(connection
            .prepare_cached("SELECT count(*) <= ?1 FROM (SELECT 1 FROM chunk_words_data LIMIT ?1 + 1)")?
            .query_row([MAX_CHEAP_PAGES], |row| row.get(0))?)
    };
    let command = match rewrites {
        _ if is_empty => "delete-all",
        Rewrites::Small if !is_small()? => return Ok(()),
        Rewrites::All | Rewrites::Small => "optimize",
    };
    connection.prepare_cached("INSERT INTO chunk_words (chunk_words) VALUES (?1)")?.execute([command])?;
    Ok(())
}

fn has_deleted_words(connection: &Connection) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM chunk_words_data WHERE id >= ?1)")?
        .query_row([FIRST_TOMBSTONE_PAGE], |row| row.get(0))?)
}

/// Runs `delete`, which deletes chunks, and rewrites those levels of the full-text index of source code that have their
/// words.
///
/// FTS5's index consists of segments, one for each transaction that stored chunks. It merges about four of a level into
/// one of the next, so that older rows lie in larger segments of higher levels, and it erases deleted rows when it
/// merges a level, which it can for a level alone. So the cost follows the size of the deleted project and of what was
/// stored at about the same time: the other segments of the levels of its rows. If FTS5 has begun to merge a higher
/// level, it may finish that first, which it would do with later writes otherwise. Where a project is less than a
/// hundredth of a level, everything has to be rewritten, because FTS5 looks for deleted rows in whole percent.
///
/// On a loaded machine, natively, deleting a project of 1,000 chunks beside one of 100,000 took 0.4 s, and 1.1 s when
/// everything was rewritten.
pub(crate) fn erasing_code_words<T>(
    connection: &Connection,
    delete: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let set = |name: &str, value: i32| -> Result<()> {
        let sql = "INSERT INTO chunk_words (chunk_words, rank) VALUES (?1, ?2)";
        connection.prepare_cached(sql)?.execute(params![name, value])?;
        Ok(())
    };
    // Deletions count as writes, for which FTS5 would merge other levels. A rollback restores the settings.
    set("automerge", 0)?;
    let deleted = delete()?;
    // A level is not merged for its number of segments.
    set("usermerge", MAX_USERMERGE)?;
    set("deletemerge", 1)?;
    let is_empty: bool =
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM code_chunks)", [], |row| row.get(0))?;
    let mut before = Vec::new();
    // In small steps: after the last deleted row FTS5 would go on with merges that it has begun.
    while !is_empty && has_deleted_words(connection)? {
        let structure = structure(connection)?;
        if structure == before {
            break;
        }
        before = structure;
        set("merge", PAGES_PER_MERGE)?;
    }
    set("automerge", AUTOMERGE)?;
    set("usermerge", USERMERGE)?;
    set("deletemerge", DELETEMERGE)?;
    erase_code_words(connection, Rewrites::All)?;
    Ok(deleted)
}

/// FTS5's list of segments.
fn structure(connection: &Connection) -> Result<Vec<u8>> {
    Ok(connection
        .prepare_cached("SELECT block FROM chunk_words_data WHERE id = ?1")?
        .query_row([STRUCTURE], |row| row.get(0))?)
}

fn size(connection: &Connection) -> Result<u64> {
    let pages: u64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let page_bytes: u64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    Ok(pages * page_bytes)
}

/// Overwrites unused slots of the vec0 tables: earlier versions left deleted vectors there.
fn clear_free_places(connection: &Connection) -> Result<()> {
    for table in VECTORS {
        let mut select = connection.prepare(&format!(
            "SELECT c.chunk_id, c.validity, v.vectors FROM {table}_chunks AS c
             JOIN {table}_vector_chunks00 AS v ON v.rowid = c.chunk_id ORDER BY c.chunk_id"
        ))?;
        let mut update = connection
            .prepare(&format!("UPDATE {table}_vector_chunks00 SET vectors = ?2 WHERE rowid = ?1"))?;
        let chunks = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for (id, taken, mut vectors) in chunks.collect::<rusqlite::Result<Vec<(i64, Vec<u8>, Vec<u8>)>>>()? {
            let before = vectors.clone();
            // One validity bit per slot.
            let Some(vector_bytes) = vectors.len().checked_div(taken.len() * 8).filter(|bytes| *bytes > 0)
            else {
                continue;
            };
            for (index, vector) in vectors.chunks_exact_mut(vector_bytes).enumerate() {
                if taken.get(index / 8).is_none_or(|bits| bits >> (index % 8) & 1 == 0) {
                    vector.fill(0);
                }
            }
            if vectors != before {
                update.execute(params![id, vectors])?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database with the full-text index of source code.
    fn empty() -> Result<Connection> {
        let db = Connection::open_in_memory()?;
        let schema = include_str!("schema.sql");
        let is_words =
            |statement: &&str| statement.trim_start().starts_with("CREATE VIRTUAL TABLE chunk_words");
        db.execute_batch(schema.split_inclusive(";\n").find(is_words).expect("the schema has the table"))?;
        db.execute_batch("CREATE TABLE code_chunks (id INTEGER PRIMARY KEY, project TEXT NOT NULL)")?;
        Ok(db)
    }

    /// The pages of the full-text index of source code.
    fn pages(db: &Connection) -> Result<Vec<(i64, Vec<u8>)>> {
        let mut statement = db.prepare("SELECT id, block FROM chunk_words_data WHERE id > 10 ORDER BY id")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Stores chunks in transactions, as steps of indexing do.
    fn store(db: &Connection, project: &str, transactions: usize, chunks: usize) -> Result<()> {
        for step in 0..transactions {
            db.execute_batch("BEGIN")?;
            for chunk in 0..chunks {
                let body: String = (0..40)
                    .map(|word| format!("{project}{} ", (step * 7919 + chunk * 104_729 + word * 31) % 9973))
                    .collect();
                db.execute("INSERT INTO code_chunks (project) VALUES (?1)", [project])?;
                let sql =
                    "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (?1, '', '', '', ?2)";
                db.execute(sql, params![db.last_insert_rowid(), body])?;
            }
            db.execute_batch("COMMIT")?;
        }
        Ok(())
    }

    fn delete_small(db: &Connection) -> Result<()> {
        db.execute_batch(
            "DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM code_chunks WHERE project = 'small');
             DELETE FROM code_chunks WHERE project = 'small'",
        )?;
        Ok(())
    }

    #[test]
    fn erasing_a_small_project_keeps_most_of_the_index_of_a_large_one() -> Result<()> {
        let db = empty()?;
        store(&db, "large", 100, 200)?;
        store(&db, "small", 2, 100)?;
        store(&db, "large", 1, 10)?;
        let before = pages(&db)?;
        db.execute_batch("BEGIN")?;
        erasing_code_words(&db, || {
            delete_small(&db)?;
            assert!(has_deleted_words(&db)?, "FTS5 only marks rows as deleted");
            Ok(())
        })?;
        db.execute_batch("COMMIT")?;
        assert!(!has_deleted_words(&db)?);
        let after = pages(&db)?;
        let contain = |pages: &[(i64, Vec<u8>)]| {
            pages.iter().any(|(_, page)| page.windows(5).any(|bytes| bytes == b"small"))
        };
        assert!(contain(&before) && !contain(&after));
        let kept = before.iter().filter(|page| after.binary_search(page).is_ok()).count();
        assert!(kept * 10 > before.len() * 8, "{kept} of {} pages are kept", before.len());
        // FTS5's own merges go on as before.
        let settings: String = db.query_row(
            "SELECT group_concat(k || v, ' ')
             FROM (SELECT k, v FROM chunk_words_config WHERE k LIKE '%merge' ORDER BY k)",
            [],
            |row| row.get(0),
        )?;
        assert_eq!(settings, "automerge4 deletemerge10 usermerge4");
        Ok(())
    }

    #[test]
    fn a_project_of_few_rows_is_erased_from_a_large_segment() -> Result<()> {
        let db = empty()?;
        store(&db, "large", 5, 200)?;
        store(&db, "small", 1, 2)?;
        db.execute_batch("INSERT INTO chunk_words (chunk_words) VALUES ('optimize')")?;
        erasing_code_words(&db, || delete_small(&db))?;
        assert!(!has_deleted_words(&db)?);
        assert!(pages(&db)?.iter().all(|(_, page)| page.windows(5).all(|bytes| bytes != b"small")));
        let rows: i64 = db.query_row("SELECT count(*) FROM chunk_words('large0')", [], |row| row.get(0))?;
        assert!(rows > 0, "the others are found");
        Ok(())
    }
}
