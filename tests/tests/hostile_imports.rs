//! Files that are designed to exhaust the importer: each is rejected with a reason.

use std::fs;

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, memory::Native};
use serde_json::json;
use tempfile::tempdir;

/// An expression that takes hours within one step of SQLite.
const SLOW: &str = "instr(zeroblob(9000000), zeroblob(4500000) || x'01')";

/// Creates the tables of MCP Memory v2; `entities` is the statement for the first.
fn database(entities: &str) -> String {
    format!(
        "{entities};
         CREATE TABLE observations (id INTEGER PRIMARY KEY, entity_id INTEGER, content TEXT);
         CREATE TABLE relations (id INTEGER PRIMARY KEY, from_entity INTEGER, to_entity INTEGER, relation_type TEXT);"
    )
}

/// Returns the error of an import, which must be rejected.
fn refused(bytes: &[u8]) -> Result<String> {
    let folder = tempdir()?;
    let path = folder.path().join("made-to-hurt");
    fs::write(&path, bytes)?;
    let mut memory = Native::in_memory()?;
    let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(is_error, "{answer}");
    Ok(answer)
}

fn refused_database(sql: &str) -> Result<String> {
    let folder = tempdir()?;
    let path = folder.path().join("source.db");
    let connection = Connection::open(&path)?;
    connection.execute_batch(sql)?;
    drop(connection);
    refused(&fs::read(&path)?)
}

#[test]
fn a_database_of_many_entities_without_indexes_is_imported() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("source.db");
    let tables = database("CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT)");
    Connection::open(&path)?.execute_batch(&format!(
        "{tables}
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000)
            INSERT INTO entities SELECT i, 'Entity ' || i, 'Thing' FROM n;
         INSERT INTO observations SELECT id, id, 'Fact ' || id FROM entities;"
    ))?;
    let mut memory = Native::in_memory()?;
    let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(!is_error && answer.contains("8000"), "{answer}");
    Ok(())
}

#[test]
fn a_database_with_slow_expressions_in_its_schema_is_rejected() -> Result<()> {
    limbic_vfs::register_vec0();
    let columns = "id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT";
    let rows = "INSERT INTO entities (id, name, entity_type) VALUES (1, 'Ada', 'Person');";
    for (entities, reason) in [
        (format!("CREATE TABLE entities ({columns}, status TEXT AS ({SLOW}))"), "generated columns"),
        (
            format!("CREATE TABLE entities ({columns}); CREATE INDEX i ON entities(lower(name))"),
            "an index on an expression",
        ),
        (
            format!(
                "CREATE TABLE entities ({columns}); CREATE INDEX i ON entities(name) WHERE length(name) > 1"
            ),
            "a partial index with a function",
        ),
        (
            "CREATE VIRTUAL TABLE entities USING fts5(id, name, entity_type)".to_owned(),
            "The table entities is a virtual table",
        ),
    ] {
        let rows = if entities.contains("VIRTUAL") || entities.contains(" AS (") { "" } else { rows };
        let answer = refused_database(&format!("{}{rows}", database(&entities)))?;
        ensure!(answer.contains(reason), "{entities}: {answer}");
    }
    Ok(())
}

#[test]
fn a_database_whose_table_is_none_is_rejected() -> Result<()> {
    // Neither can be read, not even its columns.
    let written = |using: &str| {
        format!(
            "PRAGMA writable_schema = ON; DROP TABLE MEMORY_TAGS;
             INSERT INTO sqlite_schema VALUES (
                'table', 'memory_tags', 'memory_tags', 0, 'CREATE VIRTUAL TABLE memory_tags USING {using}')"
        )
    };
    let view = "DROP TABLE MEMORY_TAGS; CREATE VIEW MEMORY_TAGS AS SELECT 'a' AS nodeId, 'b' AS tag";
    for (made, reason) in [
        (written("fts5(nodeId, tag)"), "The table MEMORY_TAGS is a virtual table"),
        (written("generate_series"), "The table MEMORY_TAGS is a virtual table"),
        (view.to_owned(), "The table MEMORY_TAGS is a view"),
        // As in a database of Limbic, whose views show the memories to other programs.
        ("CREATE VIEW memories AS SELECT id, content FROM MEMORY_NODES".to_owned(), ""),
    ] {
        let tables =
            "CREATE TABLE MEMORY_NODES (id TEXT PRIMARY KEY, domain TEXT, content TEXT, timestamp TEXT);
             INSERT INTO MEMORY_NODES VALUES ('a', 'general', 'Ships on Mondays', '2026-01-01T00:00:00Z');
             CREATE TABLE MEMORY_TAGS (nodeId TEXT, tag TEXT);";
        let folder = tempdir()?;
        let path = folder.path().join("source.db");
        Connection::open(&path)?.execute_batch(&format!("{tables} {made}"))?;
        let mut memory = Native::in_memory()?;
        let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
        ensure!(is_error != reason.is_empty() && answer.contains(reason), "{made}: {answer}");
        ensure!(!answer.contains("report it"), "{made}: {answer}");
    }
    // Nobody but Limbic makes such a view, and it does so beside the table.
    let view = "CREATE VIEW memories AS SELECT 1 AS id, 'a' AS content";
    let answer =
        refused_database(&format!("{}; {view}", database("CREATE TABLE entities (id, name, entity_type)")))?;
    ensure!(answer.contains("The table memories is a view"), "{answer}");
    Ok(())
}

#[test]
fn constraints_of_a_foreign_database_are_not_evaluated() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("source.db");
    let connection = Connection::open(&path)?;
    let entities = format!(
        "CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT CHECK ({SLOW} >= 0), entity_type TEXT)"
    );
    connection.execute_batch(&format!(
        "{} PRAGMA ignore_check_constraints = ON;
         INSERT INTO entities (id, name, entity_type) VALUES (1, 'Ada', 'Person');",
        database(&entities)
    ))?;
    drop(connection);
    let mut memory = Native::in_memory()?;
    let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(!is_error && answer.contains("\"entities_imported\":1"), "{answer}");
    Ok(())
}

#[test]
fn a_file_of_numbers_is_not_read_as_memory_graph() -> Result<()> {
    let numbers = "1,".repeat(200_000);
    let list = format!("[{numbers}1]");
    for text in [
        list.clone(),
        format!(r#"{{"nodes": {{}}, "edges": {list}}}"#),
        format!(r#"{{"edges": {list}, "nodes": {{}}}}"#),
        format!(r#"{{"a": {list}}}"#),
        format!(r#"{{"nodes": {list}, "edges": []}}"#),
    ] {
        let answer = refused(text.as_bytes())?;
        ensure!(answer.contains("source_unknown"), "{answer}");
    }
    Ok(())
}

#[test]
fn damaged_records_of_memory_graph_are_skipped_one_by_one() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("work.json");
    let text = json!({
        "nodes": {
            "a": { "id": "a", "content": "Ships on Mondays", "timestamp": "2026-01-01T00:00:00Z" },
            "b": { "id": "b", "content": 5 },
            "c": { "id": "c", "content": "Many tags", "timestamp": "2026-01-01T00:00:00Z", "tags": vec!["x"; 20_000] },
        },
        "edges": [7, { "source": "a", "target": "a", "type": "relates", "strength": "much" }],
    });
    fs::write(&path, text.to_string())?;
    let mut memory = Native::in_memory()?;
    let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(
        !is_error && answer.contains("\"memories_imported\":1") && answer.contains("\"skipped\":4"),
        "{answer}"
    );
    Ok(())
}

#[test]
fn a_value_over_the_limit_is_named() -> Result<()> {
    let rows = "CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT);
        INSERT INTO entities VALUES (1, CAST(zeroblob(100000001) AS TEXT), 'x')";
    let answer = refused_database(&database(rows))?;
    ensure!(answer.contains("larger than the maximum of a value"), "{answer}");
    ensure!(!answer.contains("nternal error"), "{answer}");
    Ok(())
}
