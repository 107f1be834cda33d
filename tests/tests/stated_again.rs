//! Memories whose statement is stored again: what is one statement, and what a confirmation keeps of the call.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    START_MILLIS,
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
    transcript::ensure_same,
};
use limbic_tools::Options;
use serde_json::{Value, json};

const DAY: i64 = 24 * 3_600_000;

/// Opens a memory with a clock some days after its start.
fn on_day(file: &MemoryFile, day: i64) -> Result<Native> {
    let options = Options {
        test_clock: Some(START_MILLIS + day * DAY),
        toolsets: vec!["memory".into(), "explorer".into()],
        ..Options::default()
    };
    Native::with(connect(&file.path)?, options)
}

/// Stores a memory; returns the id of the one that it confirms.
fn store(memory: &mut Native, fields: Value) -> Result<Option<String>> {
    let stored = ask(memory, "memory_store", &fields)?;
    Ok(stored["merged_into"].as_str().map(str::to_owned))
}

fn shown(memory: &mut Native) -> Result<Vec<String>> {
    let found = ask(memory, "memory_recall", &json!({ "touch": false }))?;
    let memories = found["memories"].as_array().context("memories")?;
    let mut ids: Vec<String> =
        memories.iter().filter_map(|memory| memory["id"].as_str().map(str::to_owned)).collect();
    ids.sort_unstable();
    Ok(ids)
}

#[test]
fn a_statement_that_is_true_again_is_shown() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 1)?;
    store(&mut memory, json!({ "id": "a", "content": "The port is 8080" }))?;
    drop(memory);
    let mut memory = on_day(&file, 3)?;
    let contradicts = |target: &str| json!({ "contradicts": [{ "targetId": target }] });
    store(
        &mut memory,
        json!({ "id": "b", "content": "The port is 9090", "relationships": contradicts("a") }),
    )?;
    ensure!(shown(&mut memory)? == ["b"]);
    drop(memory);
    let mut memory = on_day(&file, 5)?;
    let again = json!({ "id": "c", "content": "The port is 8080", "relationships": contradicts("b") });
    ensure!(store(&mut memory, again.clone())?.is_none(), "the hidden memory was confirmed");
    ensure!(shown(&mut memory)? == ["c"]);
    // Stored once more, the visible one is confirmed.
    ensure!(store(&mut memory, again)?.as_deref() == Some("c"));
    ensure!(shown(&mut memory)? == ["c"]);
    Ok(())
}

/// The memories of a list by their ids.
fn memory_of(memory: &mut Native, id: &str) -> Result<Value> {
    let mut found = ask(memory, "memory_get", &json!({ "ids": [id] }))?;
    Ok(found["memories"][0].take())
}

#[test]
fn a_confirmation_takes_over_what_the_call_gives() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 1)?;
    let content = "Staging is frozen";
    store(
        &mut memory,
        json!({ "id": "a", "content": content, "tags": ["b"], "metadata": { "x": 1, "y": 1 } }),
    )?;
    let again = json!({
        "content": content, "tags": ["a", "b"], "importance": 8, "category": "decision", "memory_type": "procedural",
        "pinned": true, "path": "/ops", "summary": "Frozen", "source": "the user", "metadata": { "y": 2, "z": 3 },
        "valid_from": "2020-01-01"
    });
    ensure!(store(&mut memory, again)?.as_deref() == Some("a"));
    let known = memory_of(&mut memory, "a")?;
    for (field, expected) in [
        ("tags", json!(["a", "b"])),
        ("importance", json!(8.0)),
        ("category", json!("decision")),
        ("memory_type", json!("procedural")),
        ("pinned", json!(true)),
        ("tier", json!("l0")),
        ("path", json!("/ops")),
        ("summary", json!("Frozen")),
        ("source", json!("the user")),
        ("metadata", json!({ "x": 1, "y": 2, "z": 3 })),
        ("valid_from", json!("2020-01-01T00:00:00.000Z")),
    ] {
        ensure_same(&known[field], &expected, &known)?;
    }
    // What is not given, or less, changes nothing.
    let less = json!({ "content": content, "importance": 2, "tier": "l3", "category": "fact", "source": "a file",
        "valid_from": "2021-01-01", "metadata": {} });
    ensure!(store(&mut memory, less)?.as_deref() == Some("a"));
    let after = memory_of(&mut memory, "a")?;
    for field in
        ["tags", "importance", "category", "tier", "source", "valid_from", "metadata", "path", "pinned"]
    {
        ensure_same(&after[field], &known[field], &after)?;
    }
    Ok(())
}

#[test]
fn of_two_expiries_the_later_one_counts() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 0)?;
    let on = |day: &str| format!("2026-01-{day}T00:00:00.000Z");
    let frozen =
        |expiry: Option<String>| json!({ "id": "a", "content": "Staging is frozen", "expires_at": expiry });
    let mut expiry_after = |stored: Value| -> Result<Value> {
        store(&mut memory, stored)?;
        Ok(memory_of(&mut memory, "a")?["expires_at"].take())
    };
    for (given, expected) in [("05", "05"), ("09", "09"), ("07", "09")] {
        ensure!(expiry_after(frozen(Some(on(given))))? == json!(on(expected)));
    }
    ensure!(expiry_after(json!({ "content": "Staging is frozen" }))? == Value::Null);
    ensure!(expiry_after(frozen(Some(on("20"))))? == Value::Null, "it never expires");
    Ok(())
}

#[test]
fn another_event_and_another_path_are_other_memories() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 0)?;
    let ran = |id: &str, day: &str| json!({ "id": id, "content": "Ada ran 10 km", "event_time": day });
    ensure!(store(&mut memory, ran("first", "2025-11-01"))?.is_none());
    ensure!(store(&mut memory, ran("second", "2025-11-08"))?.is_none());
    ensure!(store(&mut memory, ran("x", "2025-11-08T00:00:00Z"))?.as_deref() == Some("second"));
    ensure!(store(&mut memory, json!({ "content": "Ada ran 10 km" }))?.as_deref() == Some("first"));
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "Who ran 10 km?", "touch": false }))?;
    ensure!(found["memories"].as_array().map(Vec::len) == Some(2), "{found}");
    let at = |id: &str, path: &str| json!({ "id": id, "content": "Run the tests", "path": path });
    ensure!(store(&mut memory, at("atlas", "/projects/atlas"))?.is_none());
    ensure!(store(&mut memory, at("zeus", "projects/zeus/"))?.is_none());
    ensure!(store(&mut memory, at("x", "/projects/zeus"))?.as_deref() == Some("zeus"));
    ensure!(store(&mut memory, json!({ "content": "Run the tests" }))?.as_deref() == Some("atlas"));
    Ok(())
}

#[test]
fn an_event_time_is_added_to_a_memory_without_one() -> Result<()> {
    let mut memory = Native::in_memory()?;
    ensure!(store(&mut memory, json!({ "id": "a", "content": "Ada ran 10 km" }))?.is_none());
    let ran = |id: &str, day: &str| json!({ "id": id, "content": "Ada ran 10 km", "event_time": day });
    ensure!(store(&mut memory, ran("x", "2025-11-01"))?.as_deref() == Some("a"));
    ensure!(memory_of(&mut memory, "a")?["event_time"] == "2025-11-01T00:00:00.000Z");
    ensure!(store(&mut memory, ran("b", "2025-11-08"))?.is_none());
    Ok(())
}

#[test]
fn an_importance_that_is_not_given_changes_nothing() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory, json!({ "id": "a", "content": "Tea is ready", "importance": 0.2 }))?;
    ensure!(store(&mut memory, json!({ "content": "Tea is ready" }))?.is_some());
    ensure!(memory_of(&mut memory, "a")?["importance"] == 0.2);
    Ok(())
}

/// Whether the second text confirms a memory with the first.
fn confirms(one: &str, other: &str) -> Result<bool> {
    let mut memory = Native::in_memory()?;
    store(&mut memory, json!({ "id": "one", "content": one }))?;
    Ok(store(&mut memory, json!({ "content": other }))?.is_some())
}

#[test]
fn texts_of_other_lines_or_indentation_are_two_statements() -> Result<()> {
    for (one, other) in [
        ("if ready:\n    build()\n    deploy()", "if ready:\n    build()\ndeploy()"),
        ("a:\n  b: 1\n  c: 2", "a:\n  b: 1\nc: 2"),
        ("- fruit\n  - apple\n  - pear", "- fruit\n  - apple\n- pear"),
        ("cd app\nls", "cd app ls"),
    ] {
        ensure!(!confirms(one, other)? && !confirms(other, one)?, "{one:?} {other:?}");
    }
    for (one, other) in [
        ("Deploy on  Mondays ", "Deploy on Mondays"),
        ("if ready:\n    build()\n", "if ready:\r\n\r\n    build()"),
        ("a:\n  b: 1", "a:\n  b: 1"),
    ] {
        ensure!(confirms(one, other)? && confirms(other, one)?, "{one:?} {other:?}");
    }
    Ok(())
}

#[test]
fn case_that_carries_meaning_makes_two_statements() -> Result<()> {
    for (one, other) in [
        ("The uplink has 100 Mbps", "The uplink has 100 MBps"),
        ("The class is UserName", "The class is Username"),
        ("The branch is Main", "The branch is main"),
        ("UserName is a class", "Username is a class"),
        ("The disk has 5 MB", "The disk has 5 Mb"),
        ("Set NODE_ENV", "Set node_env"),
        ("Ask the US team", "Ask the us team"),
        ("The plan is Go", "The plan is GO"),
    ] {
        ensure!(!confirms(one, other)? && !confirms(other, one)?, "{one} / {other}");
    }
    for (one, other) in [
        ("Deploy on Mondays", "deploy on Mondays"),
        ("A test fails", "a test fails"),
        ("Don't push to main", "don't push to main"),
        ("Änderungen brauchen Tests", "änderungen brauchen Tests"),
        ("The branch is Main", "The branch is Main"),
    ] {
        ensure!(confirms(one, other)? && confirms(other, one)?, "{one} / {other}");
    }
    Ok(())
}
