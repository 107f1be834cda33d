//! SplitMix64 memories with records of every kind, and their export and import.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use limbic_core::rusqlite::{Connection, types};
use limbic_protocol::SplitMix64;
use limbic_tools::Options;
use serde_json::{Value, json};

use crate::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    memory_file::ask,
};

/// Names with characters that need escaping somewhere.
const NAMES: [&str; 8] = [
    "Ada",
    "two\nlines \"quoted\" and 'quoted'",
    "naïve 🦜👩‍👩‍👧 name",
    "שלום עולם",
    "{\"record\":\"end\"}",
    "back\\slash \t tab \u{1} control \u{2028} separator",
    "%s $1 {} ?1 -- ; DROP TABLE entities",
    "e\u{301}crit",
];

/// Texts that recur: A, B, A.
const TEXTS: [&str; 5] =
    ["lives in Lisbon", "lives in Porto", "drinks tea\nand \"coffee\"", "🦜", "crème brûlée"];

/// Creates a memory by random calls, and by SQL where calls do not reach.
///
/// # Errors
/// When a call that must succeed fails.
pub fn any_memory(path: &Path, seed: u64) -> Result<Native> {
    let mut memory = Native::open(path)?;
    let mut random = SplitMix64::new(seed);
    for _ in 0..120 {
        let (tool, arguments) = any_call(&mut random);
        memory.call(tool, &arguments.to_string())?;
    }
    chain(&mut memory)?;
    drop(memory);
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "UPDATE entities SET description = 'what ' || id || ' is', user_id = 'user ' || (id % 2) WHERE id % 3 = 0;
         UPDATE relations SET weight = 1000.0 / (3.7 * 14 + 0.1) WHERE id % 3 <> 0;
         INSERT INTO db_metadata (key, value) VALUES ('tuned value', '{\"gamma\": 0.5}');",
    )?;
    drop(connection);
    later(path)
}

/// Opens the memory a day later.
///
/// # Errors
/// As [`Native::with`].
pub fn later(path: &Path) -> Result<Native> {
    days_later(path, 1)
}

fn days_later(path: &Path, days: i64) -> Result<Native> {
    const DAY_MILLIS: i64 = 24 * 3600 * 1000;
    let options = Options { test_clock: Some(START_MILLIS + days * DAY_MILLIS), ..Options::default() };
    Native::with(connect(path)?, options)
}

/// As [`any_memory`], with records that only the reference server's tools create: placeholders, duplicate texts, two
/// spellings of a name.
///
/// # Errors
/// When a call that must succeed fails.
pub fn with_leftovers(path: &Path, seed: u64) -> Result<Native> {
    drop(any_memory(path, seed)?);
    let options = Options {
        compat: Some("server-memory".into()),
        test_clock: Some(START_MILLIS),
        ..Options::default()
    };
    let mut memory = Native::with(connect(path)?, options)?;
    for (tool, arguments) in [
        (
            "create_entities",
            json!({"entities": [
                {"name": "\u{e9}crit", "entityType": "", "observations": ["twice", "twice", "once", ""]},
                {"name": "e\u{301}crit", "entityType": "x", "observations": []},
                {"name": "", "entityType": "", "observations": [""]},
            ]}),
        ),
        (
            "create_relations",
            json!({"relations": [
                {"from": "\u{e9}crit", "to": "nobody yet", "relationType": "names"},
                {"from": "\u{e9}crit", "to": "\u{e9}crit", "relationType": "is"},
                {"from": "", "to": "\u{e9}crit", "relationType": ""},
            ]}),
        ),
    ] {
        ask(&mut memory, tool, &arguments)?;
    }
    drop(memory);
    later(path)
}

/// As [`with_leftovers`], with memories and domains of every kind, and records of access.
///
/// # Errors
/// When a call that must succeed fails.
pub fn with_memories(path: &Path, seed: u64) -> Result<Native> {
    let mut memory = with_leftovers(path, seed)?;
    let mut random = SplitMix64::new(seed);
    for _ in 0..90 {
        let (tool, arguments) = any_memory_call(&mut random);
        memory.call(tool, &arguments.to_string())?;
    }
    memory.call("create_domain", r#"{"id": "elsewhere", "name": "Elsewhere"}"#)?;
    let links_to_anchor = |link: &str| json!({ link: [{ "targetId": "anchor", "strength": 0.25 }] });
    for (tool, arguments) in [
        ("create_entities", json!({ "entities": [{ "name": "Ada" }] })),
        (
            "memory_store",
            json!({ "id": "anchor", "content": "anchored", "domain": "elsewhere", "entities": ["Ada"] }),
        ),
        ("create_domain", json!({ "id": format!("of {seed}") })),
        (
            "memory_store",
            json!({
                "id": "far", "content": "far away", "domain": format!("of {seed}"),
                "relationships": links_to_anchor("leads to")
            }),
        ),
        (
            "memory_store",
            json!({
                "id": "near", "content": "near by", "domain": "elsewhere",
                "metadata": { "b": [1, 2.5], "a": "é" }, "relationships": links_to_anchor("supports")
            }),
        ),
        (
            "memory_update",
            json!({ "id": "anchor", "content": "anchored anew", "tags": ["b", "a b", "🦜"], "user_id": "ada" }),
        ),
    ] {
        ask(&mut memory, tool, &arguments)?;
    }
    drop(memory);
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "UPDATE MEMORY_NODES SET access_count = rowid % 14, last_accessed = '2026-01-02T05:00:00.000Z', tier = 'l2',
             heat = 'warm', confidence = 1.0 / 3, promotion_count = 1, last_promoted_at = '2026-01-02T05:00:00.000Z'
             WHERE rowid % 3 = 0;
         INSERT OR IGNORE INTO memory_sessions SELECT id, 'session ' || (rowid % 2), '2026-01-02T05:00:00.000Z'
             FROM MEMORY_NODES WHERE rowid % 3 = 0;
         INSERT INTO memory_symbols SELECT id, 'shop', 'src/' || rowid || '.rs', 'Order.total', -rowid * 0x123456789abcd,
             rowid % 2, rowid % 3 = 0, iif(rowid % 4 = 0, 'src/moved.rs', NULL), iif(rowid % 4 = 0, 'total', NULL)
             FROM MEMORY_NODES WHERE rowid % 2 = 0;
         UPDATE MEMORY_NODES SET confidence_at = '2026-01-02T06:00:00.000Z' WHERE rowid % 4 = 0;
         UPDATE MEMORY_EDGES SET strength = 2.0 / 3 WHERE rowid % 2 = 0;",
    )?;
    drop(connection);
    days_later(path, 2)
}

/// Exports the memory in a format.
pub fn export(memory: &mut Native, format: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    memory.limbic().export_as(format, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Every row and statement of every table of a database, without the shadow tables of virtual tables.
pub fn database_rows(path: &Path) -> Result<Vec<String>> {
    let connection = Connection::open(path)?;
    let mut found = Vec::new();
    let mut statement = connection.prepare(
        "SELECT type, name, coalesce(sql, '') FROM sqlite_schema AS s WHERE NOT EXISTS (
             SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%' AND s.name GLOB v.name || '_*')
         ORDER BY name",
    )?;
    let tables = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for table in tables {
        let (kind, name, sql): (String, String, String) = table?;
        found.push(sql);
        if kind != "table" {
            continue;
        }
        let mut statement = connection.prepare(&format!("SELECT * FROM {name} ORDER BY rowid"))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let cells: Result<Vec<String>, _> = (0..columns)
                .map(|column| row.get::<_, types::Value>(column).map(|cell| format!("{cell:?}")))
                .collect();
            found.push(format!("{name}: {}", cells?.join(", ")));
        }
    }
    Ok(found)
}

/// Imports bytes into a memory. Returns the answer.
///
/// # Errors
/// When the import is refused.
pub fn import(memory: &mut Native, bytes: &[u8], dry_run: bool) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("source");
    fs::write(&path, bytes)?;
    let arguments = json!({ "source_path": path, "dry_run": dry_run }).to_string();
    let (is_error, answer) = memory.call("migrate", &arguments)?;
    ensure!(!is_error, "{answer}");
    Ok(serde_json::from_str(&answer)?)
}

/// Three states of one fact: A, superseded by B, superseded by A.
fn chain(memory: &mut Native) -> Result<()> {
    let mut last: Option<Value> = None;
    for text in ["weighs 3 kg", "weighs 4 kg", "weighs 3 kg", "weighs 4 kg"] {
        let mut arguments = json!({ "name": "chained", "observations": [text], "kind": "milestone" });
        if let Some(id) = &last {
            arguments["supersedes"] = id.clone();
        } else {
            memory.call("create_entities", r#"{"entities": [{"name": "chained"}]}"#)?;
        }
        let (is_error, answer) = memory.call("add_observations", &arguments.to_string())?;
        ensure!(!is_error, "{answer}");
        last = Some(serde_json::from_str::<Value>(&answer)?["added"][0]["id"].clone());
    }
    Ok(())
}

fn name(random: &mut SplitMix64) -> String {
    match random.below(10) {
        0 => "x".repeat(500),
        1 => format!("plain {}", random.below(5)),
        _ => random.one_of(&NAMES).to_owned(),
    }
}

fn any_call(random: &mut SplitMix64) -> (&'static str, Value) {
    let text = random.one_of(&TEXTS).to_owned();
    match random.below(16) {
        0..=3 => (
            "create_entities",
            json!({ "entities": [{
                "name": name(random), "entityType": random.one_of(&["Generic", "Proyecto", "型"]),
                "status": random.one_of(&["activo", "archivado"]), "observations": [text]
            }] }),
        ),
        4 => ("add_observations", json!({ "name": name(random), "observations": [text], "kind": "risk" })),
        5 | 6 => (
            "add_observations",
            json!({ "name": name(random), "observations": [text], "supersedes": 1 + random.below(20) }),
        ),
        7 => ("delete_observations", json!({ "name": name(random), "observations": [text] })),
        8..=10 => (
            "create_relations",
            json!({ "relations": [{
                "from": name(random), "to": name(random), "relationType": random.one_of(&["knows", "contiene", "a \"b\""]),
                "context": text
            }] }),
        ),
        11 => ("end_relation", json!({ "relation_id": 1 + random.below(8) })),
        12 | 13 => {
            let target = random.one_of(&["entity", "relation", "session", "global"]);
            let id = (target != "global").then(|| 1 + random.below(8));
            let author = random.one_of(&["sofia", "nolan"]);
            (
                "add_reflection",
                json!({ "target_type": target, "target_id": id, "content": text, "author": author, "mood": "calm" }),
            )
        }
        14 => ("delete_entities", json!({ "entityNames": [name(random)] })),
        _ => ("search_semantic", json!({ "query": text, "limit": 4 })),
    }
}

/// Ids of memories; the last one cannot be found by words.
const IDS: [&str; 8] = ["m1", "m2", "m3", "m4", "memories:5", "id with \"marks\" and ⟩", "2026-01", "…!"];

fn any_memory_call(random: &mut SplitMix64) -> (&'static str, Value) {
    let id = random.one_of(&IDS).to_owned();
    let domain = random.one_of(&["general", "d1", "d2", "elsewhere"]).to_owned();
    let mut fields = json!({ "id": id, "content": format!("{} {}", random.one_of(&TEXTS), random.below(9)) });
    let target = random.one_of(&IDS);
    let link = random.one_of(&["supports", "contradicts", "refines", "supersedes", "leads to"]);
    for (field, value) in [
        ("category", json!(random.one_of(&["preference", "decision", "convention"]))),
        ("subject", json!(random.one_of(&["tea", "a 'subject'"]))),
        ("source", json!("docs/a.md")),
        ("domain", json!(domain)),
        ("path", json!("projects/atlas")),
        ("tags", json!([random.one_of(&["x", "y"]), "z z"])),
        ("summary", json!("in short")),
        ("memory_type", json!(random.one_of(&["episodic", "procedural"]))),
        ("importance", json!(2.0 + 0.1 * if random.below(2) == 0 { 1.0 } else { 3.0 })),
        ("confidence", json!(0.7)),
        ("pinned", json!(true)),
        ("expires_at", json!("2031-01-01T00:00:00.5Z")),
        ("event_time", json!("2025-05-05")),
        ("valid_from", json!("2025-06-06 12:00:00")),
        ("user_id", json!(random.one_of(&["ada", "bob's"]))),
        ("metadata", json!({ "n": 1.5, "list": [null, true], "naïve": "\"" })),
        ("relationships", json!({ link: [{ "targetId": target, "strength": 0.5 }] })),
        ("entities", json!(["Ada"])),
    ] {
        if random.below(4) == 0 {
            fields[field] = value;
        }
    }
    match random.below(12) {
        0..=5 => ("memory_store", fields),
        6 | 7 => ("memory_update", fields),
        8 => ("memory_invalidate", json!({ "id": id, "reason": "it is over" })),
        9 => ("memory_forget", json!({ "id": id })),
        10 => ("create_domain", json!({ "id": domain, "description": "made by chance" })),
        _ => match random.below(3) {
            0 => ("delete_domain", json!({ "id": domain, "move_to": "elsewhere" })),
            _ => ("select_domain", json!({ "id": domain })),
        },
    }
}
