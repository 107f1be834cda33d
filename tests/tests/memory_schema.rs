//! The tables of memories follow the documentation of two other programs: the schemas are equal, and the documented SQL
//! works on a Limbic database through plain SQLite.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    export_import::{export, later, with_memories},
    memory::Native,
    memory_file::ask,
    transcript,
};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Tables, indexes and words of Memory Graph's documented schema.
const MEMORY_GRAPH: &str = r#"
CREATE TABLE DOMAINS (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, created TEXT NOT NULL, lastAccess TEXT NOT NULL);
CREATE TABLE PERSISTENCE (id INTEGER PRIMARY KEY CHECK (id = 1), currentDomain TEXT NOT NULL, lastAccess TEXT NOT NULL, lastMemoryId TEXT,
    FOREIGN KEY (currentDomain) REFERENCES DOMAINS(id));
CREATE TABLE MEMORY_NODES (id TEXT PRIMARY KEY, domain TEXT NOT NULL, content TEXT NOT NULL, timestamp TEXT NOT NULL, path TEXT DEFAULT '/',
    content_summary TEXT, summary_timestamp TEXT, FOREIGN KEY (domain) REFERENCES DOMAINS(id));
CREATE TABLE MEMORY_TAGS (nodeId TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (nodeId, tag),
    FOREIGN KEY (nodeId) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE);
CREATE TABLE MEMORY_EDGES (id TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,
    strength REAL NOT NULL CHECK (strength >= 0 AND strength <= 1), timestamp TEXT NOT NULL, domain TEXT NOT NULL,
    FOREIGN KEY (source) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (target) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (domain) REFERENCES DOMAINS(id));
CREATE TABLE DOMAIN_REFS (nodeId TEXT NOT NULL, domain TEXT NOT NULL, targetDomain TEXT NOT NULL, targetNodeId TEXT NOT NULL, description TEXT,
    bidirectional INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (nodeId, targetDomain, targetNodeId),
    FOREIGN KEY (nodeId) REFERENCES MEMORY_NODES(id) ON DELETE CASCADE,
    FOREIGN KEY (domain) REFERENCES DOMAINS(id),
    FOREIGN KEY (targetDomain) REFERENCES DOMAINS(id));
CREATE INDEX idx_memory_nodes_domain ON MEMORY_NODES(domain);
CREATE INDEX idx_memory_tags_tag ON MEMORY_TAGS(tag);
CREATE INDEX idx_memory_edges_source ON MEMORY_EDGES(source, domain);
CREATE INDEX idx_memory_edges_target ON MEMORY_EDGES(target, domain);
CREATE INDEX idx_domain_refs_target ON DOMAIN_REFS(targetDomain, targetNodeId);
CREATE VIRTUAL TABLE memory_content_fts USING fts5(id, content, content_summary, path, tags, domain, tokenize="porter unicode61");
"#;

/// Its triggers. Limbic's have the same names, with two differences: an update keeps the tags, which the documented one
/// loses, and rows of the full-text table are found by index instead of a scan.
const MEMORY_GRAPH_TRIGGERS: &str = "
CREATE TRIGGER memory_nodes_ai AFTER INSERT ON MEMORY_NODES BEGIN
    INSERT INTO memory_content_fts(id, content, content_summary, path, domain) VALUES (new.id, new.content, new.content_summary, new.path, new.domain);
END;
CREATE TRIGGER memory_nodes_ad AFTER DELETE ON MEMORY_NODES BEGIN DELETE FROM memory_content_fts WHERE id = old.id; END;
CREATE TRIGGER memory_nodes_au AFTER UPDATE ON MEMORY_NODES BEGIN
    DELETE FROM memory_content_fts WHERE id = old.id;
    INSERT INTO memory_content_fts(id, content, content_summary, path, domain) VALUES (new.id, new.content, new.content_summary, new.path, new.domain);
END;
CREATE TRIGGER memory_tags_ai AFTER INSERT ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = new.nodeId) WHERE id = new.nodeId;
END;
CREATE TRIGGER memory_tags_ad AFTER DELETE ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = old.nodeId) WHERE id = old.nodeId;
END;
";

/// The documented schema of the SQLite Persistent Memory specification.
const PERSISTENT_MEMORY: &str = "
CREATE TABLE memories (id TEXT PRIMARY KEY, category TEXT NOT NULL, subject TEXT NOT NULL, content TEXT NOT NULL, source TEXT,
    confidence REAL DEFAULT 1.0, created_at TEXT NOT NULL, last_accessed TEXT, access_count INTEGER DEFAULT 0, expires_at TEXT,
    tier TEXT DEFAULT 'l4', heat TEXT DEFAULT 'cold', pinned INTEGER DEFAULT 0, promotion_count INTEGER DEFAULT 0, last_promoted_at TEXT);
CREATE TABLE memory_relations (from_id TEXT NOT NULL, to_id TEXT NOT NULL, relation_type TEXT, PRIMARY KEY (from_id, to_id));
CREATE INDEX idx_memories_subject ON memories(subject);
CREATE INDEX idx_memories_category ON memories(category);
CREATE INDEX idx_memories_tier ON memories(tier);
CREATE INDEX idx_memories_heat ON memories(heat);
";

/// A statement without comments, with normalised white space.
fn normalised(sql: &str) -> String {
    let bare: Vec<&str> = sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    let words = bare.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("( ", "(").replace(" )", ")")
}

/// The statements of a schema by the names of their objects, without those of virtual tables and SQLite itself.
fn statements(connection: &Connection) -> Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema AS s WHERE sql IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%' AND s.name GLOB v.name || '_*')",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, normalised(&row.get::<_, String>(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn made_by(sql: &str) -> Result<BTreeMap<String, String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(sql)?;
    statements(&connection)
}

#[test]
fn the_tables_are_the_documented_ones() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    Native::open(&path)?;
    let ours = statements(&Connection::open(&path)?)?;
    let documented = made_by(MEMORY_GRAPH)?;
    ensure!(documented.len() == 12, "{documented:#?}");
    for (name, sql) in &documented {
        let found = ours.get(name).with_context(|| format!("{name} is missing"))?;
        // Further columns may follow the documented ones; nothing else may differ.
        let (columns, rest) = sql.split_once(", FOREIGN KEY").unwrap_or((sql, ""));
        let has_more = name == "MEMORY_NODES" && found.starts_with(columns) && found.ends_with(rest);
        ensure!(found == sql || has_more, "{name}:\n{found}\n{sql}");
    }
    for name in made_by(&format!("{MEMORY_GRAPH}{MEMORY_GRAPH_TRIGGERS}"))?.keys() {
        ensure!(ours.contains_key(name), "{name} is missing");
    }
    let columns = |connection: &Connection, table: &str| -> Result<Vec<String>> {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        let rows = statement.query_map([table], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let other = Connection::open_in_memory()?;
    other.execute_batch(PERSISTENT_MEMORY)?;
    let connection = Connection::open(&path)?;
    for view in ["memories", "memory_relations"] {
        ensure!(columns(&connection, view)? == columns(&other, view)?, "{view} has other columns");
    }
    for index in ["idx_memories_subject", "idx_memories_category", "idx_memories_tier", "idx_memories_heat"] {
        ensure!(ours.contains_key(index), "{index} is missing");
    }
    Ok(())
}

#[test]
fn exported_databases_have_exactly_the_documented_statements() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = with_memories(&folder.path().join("memory.db"), 2)?;
    for (format, sql) in [
        ("memory-graph", format!("{MEMORY_GRAPH}{MEMORY_GRAPH_TRIGGERS}")),
        ("persistent-memory", PERSISTENT_MEMORY.to_owned()),
    ] {
        let path = folder.path().join(format);
        std::fs::write(&path, export(&mut memory, format)?)?;
        let connection = Connection::open(&path)?;
        let (found, wanted) = (format!("{:#?}", statements(&connection)?), format!("{:#?}", made_by(&sql)?));
        ensure!(found == wanted, "{format}: {}", transcript::difference(&wanted, &found));
        let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        ensure!(sound == "ok", "{format}: {sound}");
        let broken = connection.prepare("SELECT 1 FROM pragma_foreign_key_check")?.exists([])?;
        ensure!(!broken, "{format}: a foreign key leads nowhere");
    }
    let graph = Connection::open(folder.path().join("memory-graph"))?;
    let words: String = graph.query_row(
        "SELECT tags FROM memory_content_fts WHERE memory_content_fts MATCH 'anchors'",
        [],
        |row| row.get(0),
    )?;
    ensure!(words.contains("a b"), "{words}");
    // Its triggers update the exported tables.
    graph.execute_batch("DELETE FROM MEMORY_NODES WHERE id = 'anchor'")?;
    ensure!(!graph.prepare("SELECT 1 FROM memory_content_fts WHERE id = 'anchor'")?.exists([])?);
    Ok(())
}

/// SQL of a program that knows only Memory Graph's tables.
const AS_MEMORY_GRAPH: &str = "
PRAGMA foreign_keys = ON;
INSERT INTO DOMAINS (id, name, description, created, lastAccess)
    VALUES ('theirs', 'Theirs', NULL, '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z');
INSERT INTO MEMORY_NODES (id, domain, content, timestamp, path, content_summary, summary_timestamp) VALUES
    ('g1', 'theirs', 'She was running to the ferry', '2025-01-02T00:00:00.000Z', '/travel', NULL, NULL),
    ('g2', 'theirs', 'The ferry leaves at noon', '2025-01-03T00:00:00.000Z', '/travel', 'noon', '2025-01-03T00:00:00.000Z'),
    ('g3', 'theirs', 'To be deleted', '2025-01-04T00:00:00.000Z', '/', NULL, NULL);
INSERT INTO MEMORY_TAGS (nodeId, tag) VALUES ('g1', 'boats'), ('g1', 'haste'), ('g3', 'doomed');
INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain) VALUES
    ('g1-g2-follows', 'g1', 'g2', 'follows', 0.75, '2025-01-05T00:00:00.000Z', 'theirs'),
    ('g1-g3-follows', 'g1', 'g3', 'follows', 0.5, '2025-01-05T00:00:00.000Z', 'theirs');
INSERT INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
    VALUES ('g1', 'theirs', 'general', 'ours', 'see also', 0);
UPDATE MEMORY_NODES SET content = 'She ran to the ferry, and she runs still' WHERE id = 'g1';
DELETE FROM MEMORY_TAGS WHERE nodeId = 'g1' AND tag = 'haste';
DELETE FROM MEMORY_NODES WHERE id = 'g3';
UPDATE PERSISTENCE SET currentDomain = 'theirs', lastMemoryId = 'g2' WHERE id = 1;
";

/// SQL of a program that knows only the tables of the SQLite Persistent Memory specification.
const AS_PERSISTENT_MEMORY: &str = "
INSERT INTO memories (id, category, subject, content, source, created_at) VALUES
    ('s1', 'convention', 'testing', 'Run the tests before merge.', 'docs/CONTRIBUTING.md', '2025-01-01T00:00:00Z');
INSERT INTO memories (id, category, subject, content, confidence, created_at, last_accessed, access_count, tier, heat, pinned) VALUES
    ('s2', 'convention', 'testing', 'Ask before merge.', 0.5, '2025-01-02T00:00:00Z', '2025-01-03T00:00:00Z', 4, 'l2', 'warm', 1),
    ('s3', 'fact', 'error-kb', 'To be deleted', 1.0, '2025-01-02T00:00:00Z', NULL, 0, 'l4', 'cold', 0);
INSERT INTO memory_relations (from_id, to_id, relation_type) VALUES ('s2', 's1', 'supports'), ('s3', 's1', 'contradicts');
UPDATE memories SET confidence = 0.9, content = 'Run all tests before merge.', access_count = access_count + 1 WHERE id = 's1';
UPDATE memory_relations SET relation_type = 'refines' WHERE from_id = 's2' AND to_id = 's1';
DELETE FROM memory_relations WHERE from_id = 's3';
DELETE FROM memories WHERE id = 's3';
";

/// The query in section 7 of that specification.
const RETRIEVAL: &str = "SELECT id, category, subject, content, confidence FROM memories
    WHERE subject = 'testing' AND category = 'convention' AND content LIKE '%before merge%'
    ORDER BY confidence DESC, last_accessed DESC, access_count DESC LIMIT 10";

/// Queries with their expected rows; columns are joined with `|`, rows with `,`.
const FOUND: [(&str, &str); 8] = [
    ("SELECT id FROM memory_content_fts WHERE memory_content_fts MATCH 'run' ORDER BY id", "g1,s1"),
    ("SELECT id FROM memory_content_fts WHERE memory_content_fts MATCH 'tags:boats'", "g1"),
    (
        "SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH 'haste OR doomed OR deleted'",
        "0",
    ),
    ("SELECT id FROM memory_content_fts WHERE memory_content_fts MATCH 'content_summary:noon'", "g2"),
    ("SELECT count(*) FROM memory_content_fts WHERE id IN ('g3', 's3')", "0"),
    ("SELECT target FROM MEMORY_EDGES WHERE source = 'g1'", "g2"),
    ("SELECT relation_type FROM memory_relations WHERE from_id = 's2'", "refines"),
    (
        RETRIEVAL,
        "s1|convention|testing|Run all tests before merge.|0.9,s2|convention|testing|Ask before merge.|0.5",
    ),
];

fn prepared(path: &Path) -> Result<()> {
    let mut memory = Native::open(path)?;
    ask(&mut memory, "create_entities", &json!({ "entities": [{ "name": "ferry" }] }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "ours", "content": "Ours" }))?;
    memory.drain()
}

/// Asserts the answers of Limbic's tools about the rows that either program wrote.
fn tools_see_foreign_rows(path: &Path) -> Result<()> {
    let one =
        |sql: &str| -> Result<i64> { Ok(Connection::open(path)?.query_row(sql, [], |row| row.get(0))?) };
    let mut memory = later(path)?;
    memory.drain()?;
    ensure!(one("SELECT count(*) FROM embedding_queue")? == 0, "something waits");
    ensure!(one("SELECT count(*) FROM memory_embeddings")? == 5, "each memory has a vector");
    ensure!(one("SELECT count(*) FROM token_vectors WHERE kind = 3")? == 5, "each memory has tokens");
    let listed = ask(&mut memory, "memory_list", &json!({ "domain": "*" }))?;
    ensure!(listed["total"] == 5, "{listed}");
    let theirs = ask(&mut memory, "memory_list", &json!({ "domain": "theirs", "category": "convention" }))?;
    ensure!(theirs["total"] == 2, "what the specification's SQL stores goes to the current domain: {theirs}");
    let got = ask(&mut memory, "memory_get", &json!({ "ids": ["g1", "s1", "s2"] }))?;
    let got_text = got.to_string();
    for part in
        ["she runs still", r#""tags":["boats"]"#, "follows", "see also", r#""entities":["ferry"]"#, "refines"]
    {
        ensure!(got_text.contains(part), "{part} is not in {got}");
    }
    ensure!(got["memories"][1]["access_count"] == 1 && got["memories"][2]["pinned"] == true, "{got}");
    // The text is stored already, so it is confirmed.
    let again = json!({ "content": "the ferry leaves at noon", "domain": "theirs" });
    ensure!(ask(&mut memory, "memory_store", &again)?["merged_into"] == "g2");
    drop(memory);

    let connection = Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA foreign_keys = ON; UPDATE MEMORY_NODES SET content = 'Changed by them' WHERE id = 'g2';
         DELETE FROM MEMORY_NODES WHERE id = 'g1'; DELETE FROM memories WHERE id IN ('s1', 's2');",
    )?;
    drop(connection);
    let mut memory = later(path)?;
    ensure!(memory.limbic().outstanding()? == 4, "one to compute, three to delete");
    memory.drain()?;
    drop(memory);
    ensure!(one("SELECT count(*) FROM memory_embeddings")? == 2, "vectors of deleted memories remain");
    ensure!(
        one("SELECT count(*) FROM token_vectors WHERE kind = 3")? == 2,
        "tokens of deleted memories remain"
    );
    ensure!(one("SELECT count(*) FROM memory_numbers")? == 2, "numbers of deleted memories remain");
    ensure!(one("SELECT count(*) FROM memory_entities WHERE memory_id = 'g1'")? == 0, "mentions are left");
    Ok(())
}

#[test]
fn the_documented_sql_works_on_a_limbic_database() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    prepared(&path)?;
    let connection = Connection::open(&path)?;
    connection.execute_batch(AS_MEMORY_GRAPH)?;
    connection.execute_batch(AS_PERSISTENT_MEMORY)?;
    for (query, wanted) in FOUND {
        let mut statement = connection.prepare(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let cells: Result<Vec<String>, _> = (0..columns)
                .map(|column| {
                    row.get_ref(column).map(|cell| match cell.data_type() {
                        limbic_core::rusqlite::types::Type::Text => {
                            cell.as_str().unwrap_or_default().to_owned()
                        }
                        limbic_core::rusqlite::types::Type::Real => {
                            cell.as_f64().unwrap_or_default().to_string()
                        }
                        _ => cell.as_i64().unwrap_or_default().to_string(),
                    })
                })
                .collect();
            found.push(cells?.join("|"));
        }
        ensure!(found.join(",") == wanted, "{query}: {found:?}");
    }
    drop(connection);
    tools_see_foreign_rows(&path)
}

/// Runs the SQL with another build of SQLite, without Limbic's extensions. Skipped if there is none.
#[test]
fn the_documented_sql_works_in_another_program() -> Result<()> {
    const PROGRAM: &str = "
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
plan = json.load(sys.stdin)
for script in plan['scripts']:
    connection.executescript(script)
for query, wanted in plan['found']:
    found = ','.join('|'.join(str(cell) for cell in row) for row in connection.execute(query))
    assert found == wanted, (query, found)
connection.commit()
";
    let has_words = Command::new("python3")
        .args([
            "-c",
            "import sqlite3; sqlite3.connect(':memory:').execute('CREATE VIRTUAL TABLE t USING fts5(a)')",
        ])
        .stderr(Stdio::null())
        .status();
    if !has_words.is_ok_and(|status| status.success()) {
        println!("skipped: there is no python3 with FTS5");
        return Ok(());
    }
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    prepared(&path)?;
    let plan: Value = json!({ "scripts": [AS_MEMORY_GRAPH, AS_PERSISTENT_MEMORY], "found": FOUND });
    let plan_path = folder.path().join("plan.json");
    std::fs::write(&plan_path, plan.to_string())?;
    let output = Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(&path)
        .stdin(std::fs::File::open(&plan_path)?)
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    tools_see_foreign_rows(&path)
}

#[test]
fn an_update_keeps_the_tags_where_the_documented_trigger_loses_them() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    prepared(&path)?;
    let theirs = Connection::open_in_memory()?;
    theirs.execute_batch(&format!("{MEMORY_GRAPH}{MEMORY_GRAPH_TRIGGERS}"))?;
    theirs.execute_batch(
        "INSERT INTO DOMAINS VALUES ('general', 'General', NULL, '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z');
         INSERT INTO PERSISTENCE VALUES (1, 'general', '2025-01-01T00:00:00.000Z', NULL);",
    )?;
    for (connection, kept) in [(Connection::open(&path)?, 1_i64), (theirs, 0)] {
        connection
            .execute_batch(AS_MEMORY_GRAPH.split("DELETE FROM MEMORY_TAGS").next().unwrap_or_default())?;
        let found: i64 = connection.query_row(
            "SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH 'tags:haste'",
            [],
            |row| row.get(0),
        )?;
        ensure!(found == kept, "{found}, expected {kept}");
    }
    Ok(())
}
