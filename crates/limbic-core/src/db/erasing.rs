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

/// Which full-text indexes of source code are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrites {
    /// Every index.
    All,
    /// A small one.
    Small,
}

/// Rewrites the full-text index of source code without the words of deleted chunks, if there are any. FTS5 only marks
/// rows of a table without content as deleted, and its own merges may take long to reach them.
pub(crate) fn erase_code_words(connection: &Connection, rewrites: Rewrites) -> Result<()> {
    let has_deleted: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM chunk_words_data WHERE id >= ?1)")?
        .query_row([FIRST_TOMBSTONE_PAGE], |row| row.get(0))?;
    if !has_deleted {
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
