//! Memories of all sorts, and carrying them over.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tools::Options;
use serde_json::{Value, json};

use crate::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    random::Random,
};

/// Names that have broken programs before.
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

/// Texts that come back: A, B, A.
const TEXTS: [&str; 5] =
    ["lives in Lisbon", "lives in Porto", "drinks tea\nand \"coffee\"", "🦜", "crème brûlée"];

/// A memory in a file, made by random calls and filled where calls do not reach.
///
/// # Errors
/// When a call that must succeed fails.
pub fn any_memory(path: &Path, seed: u64) -> Result<Native> {
    let mut memory = Native::open(path)?;
    let mut random = Random(seed);
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

/// The memory a day later: clocks do not go back.
///
/// # Errors
/// Those of opening it.
pub fn later(path: &Path) -> Result<Native> {
    const DAY_MILLIS: i64 = 24 * 3600 * 1000;
    let options = Options { test_clock: Some(START_MILLIS + DAY_MILLIS), ..Options::default() };
    Native::with(connect(path)?, options)
}

/// A memory that also holds what only the reference server's tools leave: placeholders, the same text twice, two
/// spellings of one name.
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
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(!is_error, "{answer}");
    }
    drop(memory);
    later(path)
}

/// The memory in a format.
///
/// # Errors
/// Those of the database.
pub fn export(memory: &mut Native, format: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    memory.limbic().export_as(format, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Has a memory import bytes; answers what it says.
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

/// A, then B in its place, then A again: three states of one fact.
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

fn name(random: &mut Random) -> String {
    match random.below(10) {
        0 => "x".repeat(500),
        1 => format!("plain {}", random.below(5)),
        _ => random.one_of(&NAMES).to_owned(),
    }
}

fn any_call(random: &mut Random) -> (&'static str, Value) {
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
