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

fn listed(memory: &mut Native) -> Result<Vec<String>> {
    let found = ask(memory, "memory_list", &json!({}))?;
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
    ensure!(listed(&mut memory)? == ["b"]);
    drop(memory);
    let mut memory = on_day(&file, 5)?;
    let again = json!({ "id": "c", "content": "The port is 8080", "relationships": contradicts("b") });
    ensure!(store(&mut memory, again.clone())?.is_none(), "the hidden memory was confirmed");
    ensure!(listed(&mut memory)? == ["c"]);
    // Stored once more, the visible one is confirmed.
    ensure!(store(&mut memory, again)?.as_deref() == Some("c"));
    ensure!(listed(&mut memory)? == ["c"]);
    Ok(())
}
