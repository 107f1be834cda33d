//! Tests of lookups in a large index: what they find, and that they do not read all of it.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use limbic_code::ProjectView;
use rusqlite::{Connection, params};

use super::{
    StoredProject, chunk_words,
    chunks::{self, ChunkFilter},
    projects, symbols,
};
use crate::{Result, Transaction};

const FILES: i64 = 200;
/// Symbols of a file, and chunks.
const SYMBOLS: i64 = 50;
/// A lookup by an index takes fewer steps of SQLite's virtual machine; to read each symbol takes at least one for each.
const MAX_STEPS: u32 = 2_000;
/// Fewer steps than reading every file of a project takes.
const FEW_STEPS: u32 = 800;

/// Two projects of the same files; each symbol is a chunk of two lines.
fn filled() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    let schema = include_str!("../../db/schema.sql");
    let tables = ["TABLE code_projects", "TABLE code_files", "TABLE code_chunks", "TABLE code_symbols"];
    let words = "VIRTUAL TABLE chunk_words";
    let indexes = ["INDEX idx_code_files", "INDEX idx_code_chunks", "INDEX idx_code_symbols"];
    for statement in schema.split_inclusive(";\n") {
        let is_needed = tables.iter().chain(&indexes).chain([&words]).any(|start| {
            statement.trim_start().strip_prefix("CREATE ").is_some_and(|rest| rest.starts_with(start))
        });
        if is_needed {
            db.execute_batch(statement)?;
        }
    }
    db.execute_batch("PRAGMA foreign_keys = OFF; BEGIN")?;
    for project in 1..=2_i64 {
        db.execute(
            "INSERT INTO code_projects (number, project_id, path, status, started_at) VALUES (?1, ?2, ?2, 'completed', 0)",
            params![project, format!("p{project}")],
        )?;
        for file in 0..FILES {
            let id = project * FILES + file;
            let path = format!("folder{}/file{file}.rs", file % 7);
            db.execute(
                "INSERT INTO code_files (id, project, path, folder, name, outline) VALUES (?1, ?2, ?3, ?4, ?5, x'')",
                params![id, project, path, format!("folder{}", file % 7), format!("file{file}.rs")],
            )?;
            for place in 0..SYMBOLS {
                let name = format!("step_{file}_{place}");
                let line = 2 * place + 1;
                db.execute(
                    "INSERT INTO code_symbols (project, file, place, name, qualified_name, kind, start_line, end_line,
                         line, signature, shape_hash, is_local) VALUES (?1, ?2, ?3, ?4, ?4, 'function', ?5, ?5 + 1, ?5, '', 0, 0)",
                    params![project, id, place, name, line],
                )?;
                db.execute(
                    "INSERT INTO code_chunks (file, project_id, file_path, content, start_line, end_line, header,
                         content_hash, indexed_at) VALUES (?1, ?2, ?3, '', ?4, ?4 + 1, '', '', 0)",
                    params![id, format!("p{project}"), path, line],
                )?;
                let body = format!(
                    "everywhere {} {}",
                    if file % 3 == 0 { "third" } else { "other" },
                    if place == 7 { "seventh" } else { "" }
                );
                db.execute(
                    "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (?1, ?2, '', ?3, ?4)",
                    params![db.last_insert_rowid(), name, path, body],
                )?;
            }
        }
    }
    db.execute_batch("COMMIT")?;
    Ok(db)
}

/// The result of a lookup, and how many steps it took.
fn counted<T>(db: &mut Connection, lookup: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<(T, u32)> {
    let steps = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&steps);
    db.progress_handler(
        1,
        Some(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        }),
    )?;
    let transaction = db.transaction()?;
    let found = lookup(&Transaction::new(&transaction, 0))?;
    drop(transaction);
    Ok((found, steps.load(Ordering::Relaxed)))
}

#[test]
fn a_symbol_is_found_without_reading_the_others() -> Result<()> {
    let mut db = filled()?;
    let path = "folder3/file143.rs";
    let (found, steps) = counted(&mut db, |tx| symbols::named(tx, 2, path, "step_143_20"))?;
    let found = found.map(|symbol| symbol.id());
    assert_eq!(found.as_deref(), Some("p2:folder3/file143.rs#step_143_20"));
    assert!(steps < MAX_STEPS, "by its name: {steps} steps");
    let (found, steps) = counted(&mut db, |tx| symbols::enclosing(tx, 2, path, 42))?;
    assert_eq!(found.map(|symbol| symbol.name).as_deref(), Some("step_143_20"));
    assert!(steps < MAX_STEPS, "by a line: {steps} steps");
    Ok(())
}

#[test]
fn chunks_of_a_name_are_found_without_reading_all_symbols() -> Result<()> {
    let mut db = filled()?;
    for (project, expected) in [(None, 2), (Some(2), 1)] {
        let filter = ChunkFilter { project, ..ChunkFilter::default() };
        let (found, steps) = counted(&mut db, |tx| chunks::of_symbols(tx, "STEP_143_20", &filter, 20))?;
        assert_eq!(found.len(), expected, "{project:?}");
        assert!(steps < MAX_STEPS, "{project:?}: {steps} steps");
    }
    Ok(())
}

#[test]
fn files_of_a_folder_or_name_are_found_without_reading_the_others() -> Result<()> {
    let mut db = filled()?;
    let (found, steps) = counted(&mut db, |tx| Ok(StoredProject::new(tx, 2).paths_in("folder3")))?;
    assert_eq!(found.len(), 29);
    assert!(found.is_sorted() && found[0] == "folder3/file10.rs", "{found:?}");
    assert!(steps < FEW_STEPS, "by folder: {steps} steps");
    let (found, steps) = counted(&mut db, |tx| Ok(StoredProject::new(tx, 2).paths_named("file143.rs")))?;
    assert_eq!(found, ["folder3/file143.rs"]);
    assert!(steps < FEW_STEPS, "by name: {steps} steps");
    Ok(())
}

#[test]
fn unresolved_files_are_noticed_without_reading_the_others() -> Result<()> {
    let mut db = filled()?;
    let status = "SELECT status FROM code_projects WHERE number = 2";
    db.execute("UPDATE code_files SET is_pending = 0", [])?;
    let ((), steps) = counted(&mut db, |tx| projects::resume_if_unresolved(tx, 2))?;
    assert!(steps < FEW_STEPS, "{steps} steps");
    for change in ["is_unresolved = 1", "is_unresolved = 1, is_pending = 1"] {
        db.execute("UPDATE code_projects SET status = 'completed'", [])?;
        db.execute(&format!("UPDATE code_files SET {change} WHERE name = 'file143.rs'"), [])?;
        let transaction = db.transaction()?;
        projects::resume_if_unresolved(&Transaction::new(&transaction, 0), 2)?;
        transaction.commit()?;
        assert_eq!(db.query_row(status, [], |row| row.get::<_, String>(0))?, "indexing", "{change}");
    }
    Ok(())
}

#[test]
fn the_best_chunks_by_words_are_those_of_one_sorted_query() -> Result<()> {
    let mut db = filled()?;
    let in_folder =
        ChunkFilter { project: Some(2), path_prefix: Some("folder3/".to_owned()), ..ChunkFilter::default() };
    for filter in [ChunkFilter::default(), in_folder] {
        for words in [vec!["seventh"], vec!["third", "seventh"], vec!["step_143_20", "seventh", "third"]] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let expected: Vec<i64> = {
                let mut sorted = db.prepare(
                    "SELECT c.id FROM chunk_words JOIN code_chunks AS c ON c.id = chunk_words.rowid
                     JOIN code_files AS f ON f.id = c.file WHERE chunk_words MATCH ?1
                         AND (?2 IS NULL OR f.project = ?2) AND (?3 IS NULL OR f.path LIKE ?3 || '%')
                     ORDER BY round(bm25(chunk_words, 4.0, 2.0, 2.0, 1.0), 6), c.file_path, c.start_line, c.id LIMIT 30",
                )?;
                let expression = crate::model::tokenizer::any_of(&words);
                let rows = sorted
                    .query_map(params![expression, filter.project, filter.path_prefix], |row| row.get(0))?;
                rows.collect::<rusqlite::Result<_>>()?
            };
            let (found, _) = counted(&mut db, |tx| chunk_words::with_words(tx, &words, &filter, 30))?;
            let found: Vec<i64> = found.into_iter().map(|(number, _)| number).collect();
            assert_eq!(found, expected, "{words:?} {filter:?}");
            assert!(!found.is_empty(), "{words:?}");
        }
    }
    Ok(())
}

#[test]
fn a_word_of_every_chunk_is_not_scored_beside_a_rarer_one() -> Result<()> {
    let mut db = filled()?;
    let all = ChunkFilter::default();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let (rare, few) = counted(&mut db, |tx| chunk_words::with_words(tx, &words(&["third"]), &all, 30))?;
    let (both, steps) =
        counted(&mut db, |tx| chunk_words::with_words(tx, &words(&["everywhere", "third"]), &all, 30))?;
    assert_eq!(both, rare);
    assert!(steps < few + few / 4, "{few} steps without the word of every chunk, {steps} with it");
    Ok(())
}

#[test]
fn of_words_that_most_chunks_contain_some_chunks_are_scored() -> Result<()> {
    let mut db = filled()?;
    let number: i64 =
        db.query_row("SELECT max(id) FROM code_chunks WHERE project_id = 'p1'", [], |row| row.get(0))?;
    db.execute("DELETE FROM chunk_words WHERE rowid = ?1", [number])?;
    db.execute(
        "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (?1, 'everywhere', '', 'a.rs', 'everywhere')",
        [number],
    )?;
    let words = ["everywhere", "rs"].map(str::to_owned);
    let of = |project: Option<i64>, path_prefix: Option<&str>| ChunkFilter {
        project,
        path_prefix: path_prefix.map(str::to_owned),
        ..ChunkFilter::default()
    };
    for (filter, has_named) in [(of(None, None), true), (of(Some(1), None), true), (of(Some(2), None), false)]
    {
        let (found, steps) = counted(&mut db, |tx| chunk_words::with_words(tx, &words, &filter, 30))?;
        assert_eq!(found.len(), 30, "{filter:?}");
        assert_eq!(found[0].0 == number, has_named, "a name counts more: {filter:?} {found:?}");
        // To score each of the 20,000 chunks takes more than ten for each. What fits a filter is listed.
        assert!(steps < 100_000 || filter.project.is_some(), "{filter:?}: {steps} steps");
        assert!(found.iter().all(|(_, score)| *score > 0.0), "{found:?}");
    }
    // Of a filter that few chunks fit, each is considered.
    let (found, _) = counted(&mut db, |tx| {
        chunk_words::with_words(tx, &words, &of(Some(2), Some("folder3/file143")), 60)
    })?;
    assert_eq!(found.len(), 50);
    Ok(())
}

#[test]
fn a_rare_word_is_found_where_deleted_chunks_leave_few_in_the_samples() -> Result<()> {
    for first_deleted in [1, 2] {
        let mut db = filled()?;
        for (table, number) in [("chunk_words", "rowid"), ("code_chunks", "id")] {
            let sql = format!("DELETE FROM {table} WHERE {number} BETWEEN ?1 AND 19010");
            db.execute(&sql, [first_deleted])?;
        }
        let (seventh, all) = (["seventh".to_owned()], ChunkFilter::default());
        let (found, _) = counted(&mut db, |tx| chunk_words::with_words(tx, &seventh, &all, 30))?;
        assert_eq!(found.len(), 19, "without the chunks {first_deleted} to 19010");
    }
    Ok(())
}
