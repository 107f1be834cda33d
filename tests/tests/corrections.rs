//! Which of two contradicting memories is hidden: the one that was stated first, whatever is used.

use anyhow::{Result, ensure};
use limbic_tests::{
    memory::Native,
    memory_file::{MemoryFile, ask},
};
use limbic_tools::Options;
use serde_json::{Value, json};

fn on_day(file: &MemoryFile, day: i64) -> Result<Native> {
    file.open(day, Options { toolsets: vec!["memory".into(), "explorer".into()], ..Options::default() })
}

/// A wrong statement and its correction, stored one after the other.
fn corrected() -> Result<(MemoryFile, Native)> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 0)?;
    ask(&mut memory, "memory_store", &json!({ "id": "wrong", "content": "The gate opens at eight" }))?;
    let links = json!({ "contradicts": [{ "targetId": "wrong" }] });
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "right", "content": "The gate opens at nine", "confidence": 0.6, "relationships": links }),
    )?;
    Ok((file, memory))
}

/// The ids that a recall finds, and those with the status `current`.
fn shown(memory: &mut Native, mut asked: Value) -> Result<Vec<String>> {
    asked["query"] = json!("When does the gate open?");
    asked["touch"] = json!(false);
    let found = ask(memory, "memory_recall", &asked)?;
    let ids = |rows: &Value| -> Vec<String> {
        let ids = rows.as_array().into_iter().flatten();
        let mut ids: Vec<String> = ids.map(|it| it["id"].as_str().unwrap_or_default().to_owned()).collect();
        ids.sort_unstable();
        ids
    };
    let found = ids(&found["memories"]);
    if asked.get("as_of").is_none() {
        let current = ask(memory, "explore_records", &json!({ "kind": "memories", "status": "current" }))?;
        ensure!(ids(&current["rows"]) == found, "{found:?}, but {current}");
    }
    Ok(found)
}

fn plan(memory: &mut Native) -> Result<Value> {
    let actions = ["expire", "prune", "contradictions", "tiers", "decay"];
    ask(memory, "memory_maintain", &json!({ "actions": actions }))
}

#[test]
fn use_of_the_wrong_statement_does_not_bring_it_back() -> Result<()> {
    let (file, mut memory) = corrected()?;
    for _ in 0..30 {
        for asked in [
            json!({ "query": "The gate opens at eight", "include_contradicted": true, "limit": 1 }),
            json!({ "query": "gate", "as_of": "2026-01-01T00:00:01.500Z" }),
        ] {
            ask(&mut memory, "memory_recall", &asked)?;
        }
        ask(&mut memory, "memory_get", &json!({ "ids": ["wrong"] }))?;
    }
    drop(memory);
    for day in [0, 2, 30, 89, 95, 300, 1_000] {
        let mut memory = on_day(&file, day)?;
        ensure!(shown(&mut memory, json!({}))? == ["right"], "day {day}");
        let due = plan(&mut memory)?;
        for item in due["plan"].as_array().into_iter().flatten() {
            let is_of_right = item["id"] == "right";
            let deletes = item["change"] == "delete";
            ensure!(!is_of_right || !deletes && item["change"] != "superseded_by", "day {day}: {item}");
        }
        if day < 90 && due["plan_id"].is_string() {
            ask(&mut memory, "memory_maintain", &json!({ "plan_id": due["plan_id"], "dry_run": false }))?;
            ensure!(shown(&mut memory, json!({}))? == ["right"], "day {day}");
        }
    }
    Ok(())
}

#[test]
fn a_trusted_memory_is_hidden_by_a_later_doubt() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = on_day(&file, 0)?;
    let items = json!([
        { "id": "z", "content": "The gate opens at eight", "confidence": 1.0, "event_time": "2026-01-01" },
        { "id": "a", "content": "The gate opens at nine", "confidence": 0.1, "event_time": "2020-01-01",
          "relationships": { "contradicts": [{ "targetId": "z" }] } },
    ]);
    // Both are stated at one time: the second one counts.
    ask(&mut memory, "memory_store", &json!({ "memories": items }))?;
    ensure!(shown(&mut memory, json!({}))? == ["a"]);
    Ok(())
}

#[test]
fn a_memory_that_is_stated_again_counts() -> Result<()> {
    let (file, mut memory) = corrected()?;
    let due = plan(&mut memory)?;
    ask(&mut memory, "memory_maintain", &json!({ "plan_id": due["plan_id"], "dry_run": false }))?;
    let wrong = ask(&mut memory, "memory_get", &json!({ "ids": ["wrong"] }))?;
    ensure!(wrong["memories"][0]["superseded_by"] == "right", "{wrong}");
    drop(memory);
    let mut memory = on_day(&file, 100)?;
    ask(&mut memory, "memory_update", &json!({ "id": "wrong", "tags": ["gate"], "importance": 0.9 }))?;
    ensure!(shown(&mut memory, json!({}))? == ["right"]);
    ask(&mut memory, "memory_update", &json!({ "id": "wrong", "content": "The gate opens at ten" }))?;
    ensure!(shown(&mut memory, json!({}))? == ["wrong"]);
    let wrong = ask(&mut memory, "memory_get", &json!({ "ids": ["wrong"] }))?;
    ensure!(wrong["memories"][0]["superseded_by"].is_null(), "{wrong}");
    // It has contradicted the other one only since then.
    let due = plan(&mut memory)?;
    ensure!(!due["plan"].to_string().contains("\"delete\""), "{due}");
    // Before, the other one was shown.
    ensure!(shown(&mut memory, json!({ "as_of": "2026-02-01" }))? == ["right"]);
    Ok(())
}
