//! Validity of memories under contradictions, clock changes and later changes.

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    START_MILLIS,
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
};
use limbic_tools::Options;
use serde_json::{Value, json};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn recall(memory: &mut Native, arguments: Value) -> Result<Value> {
    let mut arguments = arguments;
    arguments["touch"] = false.into();
    arguments["detail"] = "full".into();
    ask(memory, "memory_recall", &arguments)
}

fn ids(answer: &Value) -> Vec<&str> {
    let mut ids: Vec<&str> = answer["memories"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|memory| memory["id"].as_str())
        .collect();
    ids.sort_unstable();
    ids
}

fn all(memory: &mut Native) -> Result<Vec<String>> {
    Ok(ids(&recall(memory, json!({}))?).into_iter().map(str::to_owned).collect())
}

/// Opens a memory with a clock `offset_millis` from its start.
fn at(file: &MemoryFile, offset_millis: i64) -> Result<Native> {
    let options = Options {
        test_clock: Some(START_MILLIS + offset_millis),
        toolsets: vec!["memory".into(), "explorer".into()],
        ..Options::default()
    };
    Native::with(connect(&file.path)?, options)
}

#[test]
fn a_contradiction_does_not_hide_a_pinned_memory() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "rule", "content": "Never push to main", "pinned": true, "tier": "l0", "event_time": "2025-01-01" }),
    )?;
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "rumour", "content": "Pushing to main is fine", "relationships": { "contradicts": [{ "targetId": "rule" }] } }),
    )?;
    for asked in [json!({ "query": "push to main" }), json!({}), json!({ "strategy": "recent" })] {
        let found = recall(&mut memory, asked.clone())?;
        ensure!(ids(&found) == ["rule", "rumour"], "{asked}: {found}");
        for memory in found["memories"].as_array().context("memories")? {
            let other = if memory["id"] == "rule" { "rumour" } else { "rule" };
            ensure_same(&memory["contradicts"], &json!([other]), &found)?;
        }
    }
    let rows = ask(&mut memory, "explore_records", &json!({ "kind": "memories", "status": "current" }))?;
    ensure!(rows["total"] == 2, "{rows}");
    drop(memory);
    // Maintenance neither resolves it nor deletes a pinned memory, at any later time.
    let mut later = at(&file, 200 * DAY)?;
    let plan =
        ask(&mut later, "memory_maintain", &json!({ "actions": ["prune", "contradictions", "expire"] }))?;
    ensure!(!plan["plan"].to_string().contains("\"rule\""), "{plan}");
    let told = later.limbic().hook("session-start", "{\"cwd\": \"/projects/atlas\"}", None)?;
    ensure!(told.as_deref().is_some_and(|told| told.contains("Never push to main")), "{told:?}");
    // Its owner may invalidate it.
    ask(&mut later, "memory_link", &json!({ "from_id": "rumour", "to_id": "rule", "type": "supersedes" }))?;
    ensure!(all(&mut later)? == ["rumour"]);
    Ok(())
}

#[test]
fn memories_stay_valid_after_the_clock_is_set_back() -> Result<()> {
    for ahead in [HOUR, 70 * 365 * DAY] {
        let file = MemoryFile::new()?;
        let mut memory = at(&file, 0)?;
        ask(&mut memory, "memory_store", &json!({ "id": "before", "content": "Stored before" }))?;
        drop(memory);
        let mut memory = at(&file, ahead)?;
        ask(&mut memory, "memory_store", &json!({ "id": "ended", "content": "No longer so" }))?;
        ask(&mut memory, "memory_store", &json!({ "id": "pinned", "content": "A rule", "pinned": true }))?;
        ask(
            &mut memory,
            "memory_store",
            &json!({ "id": "loser", "content": "It is red", "event_time": "2025-06-01" }),
        )?;
        ask(
            &mut memory,
            "memory_store",
            &json!({
                "id": "winner", "content": "It is blue",
                "relationships": { "supersedes": [{ "targetId": "ended" }], "contradicts": [{ "targetId": "loser" }] }
            }),
        )?;
        ask(&mut memory, "memory_store", &json!({ "id": "wrong", "content": "A mistake" }))?;
        ask(&mut memory, "memory_invalidate", &json!({ "id": "wrong" }))?;
        ask(
            &mut memory,
            "memory_store",
            &json!({ "id": "later", "content": "From then on", "valid_from": "2098-01-01" }),
        )?;
        drop(memory);
        let mut memory = at(&file, 0)?;
        ensure!(all(&mut memory)? == ["before", "pinned", "winner"], "{ahead}: {:?}", all(&mut memory)?);
        let found = recall(&mut memory, json!({ "query": "a rule" }))?;
        ensure!(ids(&found).contains(&"pinned"), "{found}");
        let rows = ask(&mut memory, "explore_records", &json!({ "kind": "memories", "status": "ended" }))?;
        ensure!(rows["total"] == 2, "{rows}");
        // Storing a valid statement again confirms it; a new one is newer.
        let again = ask(&mut memory, "memory_store", &json!({ "content": "A rule", "pinned": true }))?;
        ensure!(again["merged_into"] == "pinned", "{again}");
        ask(&mut memory, "memory_store", &json!({ "id": "next", "content": "Stored next" }))?;
        ensure!(all(&mut memory)? == ["before", "next", "pinned", "winner"], "{:?}", all(&mut memory)?);
        // A future `valid_from` of a caller is still in the future.
        ensure!(!all(&mut memory)?.contains(&"later".to_owned()));
        let now = ask(&mut memory, "memory_store", &json!({ "content": "From then on" }))?;
        ensure!(now.get("merged_into").is_none(), "a memory that is not valid yet was confirmed: {now}");
        drop(memory);
        // With the clock ahead again, all are valid.
        let mut memory = at(&file, ahead)?;
        let shown = all(&mut memory)?;
        for id in ["before", "next", "pinned", "winner"] {
            ensure!(shown.iter().any(|shown| shown == id), "{id} is missing in {shown:?}");
        }
    }
    Ok(())
}

#[test]
fn timestamps_stay_ordered_after_the_clock_is_set_back() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, HOUR)?;
    ask(&mut memory, "memory_store", &json!({ "id": "first", "content": "Stored first" }))?;
    drop(memory);
    let mut memory = at(&file, 0)?;
    ask(&mut memory, "memory_store", &json!({ "id": "second", "content": "Stored second" }))?;
    let listed = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(listed["memories"][0]["id"] == "second", "{listed}");
    Ok(())
}

#[test]
fn a_clock_that_was_briefly_ahead_expires_nothing() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    let soon = json!({ "id": "soon", "content": "A rule for today", "pinned": true, "expires_at": "2026-01-01T06:00:00Z" });
    ask(&mut memory, "memory_store", &soon)?;
    drop(memory);
    let mut memory = at(&file, 20 * HOUR)?;
    ask(&mut memory, "memory_store", &json!({ "id": "ahead", "content": "Stored in a hurry" }))?;
    drop(memory);
    let mut memory = at(&file, HOUR)?;
    ensure!(all(&mut memory)? == ["ahead", "soon"], "{:?}", all(&mut memory)?);
    ensure!(ids(&ask(&mut memory, "memory_list", &json!({}))?) == ["ahead", "soon"]);
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "next", "content": "Lunch at noon", "expires_at": "2026-01-01T03:00:00Z" }),
    )?;
    let later = json!({ "id": "later", "content": "The office moves", "valid_from": "2026-01-03" });
    ask(&mut memory, "memory_store", &later)?;
    ensure!(all(&mut memory)? == ["ahead", "next", "soon"], "{:?}", all(&mut memory)?);
    Ok(())
}

#[test]
fn a_reached_start_stays_reached_after_the_clock_is_set_back() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    ask(&mut memory, "memory_store", &json!({ "id": "m", "content": "The office is in Bonn" }))?;
    drop(memory);
    let mut memory = at(&file, 2 * HOUR)?;
    ask(&mut memory, "memory_update", &json!({ "id": "m", "valid_from": "2026-01-01T01:30:00Z" }))?;
    drop(memory);
    ensure!(all(&mut at(&file, HOUR)?)? == ["m"]);
    Ok(())
}

#[test]
fn a_summary_is_removed_with_its_text() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    let stored =
        json!({ "id": "m", "content": "Deploy only on Fridays after lunch", "summary": "Deploy: Fridays" });
    ask(&mut memory, "memory_store", &stored)?;
    drop(memory);
    let mut memory = at(&file, 10 * DAY)?;
    ask(&mut memory, "memory_update", &json!({ "id": "m", "tags": ["release"] }))?;
    let of_one = |memory: &mut Native, arguments: Value| -> Result<Value> {
        Ok(ask(memory, "memory_list", &arguments)?["memories"][0].clone())
    };
    ensure!(of_one(&mut memory, json!({}))?["summary"] == "Deploy: Fridays", "the text is the same");
    ask(
        &mut memory,
        "memory_update",
        &json!({ "id": "m", "content": "Deploy only on Mondays after lunch" }),
    )?;
    let changed = of_one(&mut memory, json!({}))?;
    ensure!(changed.get("summary").is_none(), "{changed}");
    let summary = json!({ "id": "m", "content": "Deploy only on Tuesdays", "summary": "Deploy: Tuesdays" });
    ask(&mut memory, "memory_update", &summary)?;
    ensure!(of_one(&mut memory, json!({}))?["summary"] == "Deploy: Tuesdays");
    let then = of_one(&mut memory, json!({ "as_of": "2026-01-05" }))?;
    ensure!(
        then["content"] == "Deploy only on Fridays after lunch" && then.get("summary").is_none(),
        "{then}"
    );
    Ok(())
}

#[test]
fn a_future_memory_contradicts_nothing_yet() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    ask(&mut memory, "memory_store", &json!({ "id": "now", "content": "The office is in Bonn" }))?;
    ask(
        &mut memory,
        "memory_store",
        &json!({
            "id": "then", "content": "The office is in Berlin", "valid_from": "2026-06-01", "event_time": "2026-06-01",
            "relationships": { "contradicts": [{ "targetId": "now" }] }
        }),
    )?;
    ensure!(all(&mut memory)? == ["now"]);
    drop(memory);
    ensure!(all(&mut at(&file, 200 * DAY)?)? == ["then"]);
    Ok(())
}

#[test]
fn a_lease_from_the_future_does_not_block() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, HOUR)?;
    ask(&mut memory, "memory_store", &json!({ "id": "m", "content": "It waits" }))?;
    ensure!(memory.limbic().pending(8)?.len() == 1, "leased, and never completed");
    drop(memory);
    let mut memory = at(&file, 0)?;
    ensure!(memory.limbic().pending(8)?.len() == 1, "leased until a time that this clock has not reached");
    ensure!(memory.limbic().pending(8)?.is_empty(), "a lease of this clock counts");
    Ok(())
}

#[test]
fn as_of_returns_the_fields_at_that_time() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "m", "content": "Tests run nightly", "subject": "testing", "category": "fact", "tags": ["ci", "night"] }),
    )?;
    drop(memory);
    let mut memory = at(&file, 10 * DAY)?;
    ask(
        &mut memory,
        "memory_update",
        &json!({ "id": "m", "subject": "quality", "category": "convention", "tags": ["ci", "rule"] }),
    )?;
    drop(memory);
    let mut memory = at(&file, 20 * DAY)?;
    ask(&mut memory, "memory_update", &json!({ "id": "m", "content": "Tests run hourly" }))?;
    let then = json!("2026-01-05");
    for tool in ["memory_recall", "memory_list"] {
        let mut asked = json!({ "as_of": then });
        if tool == "memory_recall" {
            asked["query"] = "tests".into();
            asked["detail"] = "full".into();
        }
        let found = ask(&mut memory, tool, &asked)?["memories"][0].clone();
        ensure!(
            found["content"] == "Tests run nightly"
                && found["subject"] == "testing"
                && found["category"] == "fact"
                && found["tags"] == json!(["ci", "night"]),
            "{tool}: {found}"
        );
    }
    let between = ask(&mut memory, "memory_list", &json!({ "as_of": "2026-01-15" }))?["memories"][0].clone();
    ensure!(between["content"] == "Tests run nightly" && between["subject"] == "quality", "{between}");
    // Filters compare with the values at that time.
    let mut count = |filter: Value| -> Result<usize> { Ok(ids(&recall(&mut memory, filter)?).len()) };
    for (field, old, new) in [
        ("subject", json!("testing"), json!("quality")),
        ("category", json!("fact"), json!("convention")),
        ("tags", json!(["night"]), json!(["rule"])),
    ] {
        ensure!(count(json!({ field: old, "as_of": then }))? == 1, "{field} of then");
        ensure!(count(json!({ field: new, "as_of": then }))? == 0, "{field} of now, then");
        ensure!(count(json!({ field: new }))? == 1 && count(json!({ field: old }))? == 0, "{field} of now");
        ensure!(
            count(json!({ field: old, "as_of": then, "query": "tests" }))? == 1,
            "{field} of then, asked"
        );
    }
    let known = ask(&mut memory, "memory_get", &json!({ "ids": ["m"] }))?["memories"][0]["history"].clone();
    ensure!(known[0]["subject"] == "testing", "{known}");
    ensure_same(&known[0]["tags"], &json!(["ci", "night"]), &known)?;
    ensure!(known[0]["category"] == "fact" && known.as_array().map(Vec::len) == Some(2), "{known}");
    Ok(())
}

#[test]
fn times_that_are_cleared_are_those_of_storing() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = at(&file, 0)?;
    let stored = json!({
        "id": "a", "content": "The gate is red", "event_time": "2031-01-01", "valid_from": "2040-01-01",
    });
    ask(&mut memory, "memory_store", &stored)?;
    ensure!(all(&mut memory)?.is_empty(), "it is not valid yet");
    let cleared =
        ask(&mut memory, "memory_update", &json!({ "id": "a", "event_time": "", "valid_from": "" }))?;
    ensure!(all(&mut memory)? == ["a"], "{cleared}");
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"] }))?;
    let kept = &found["memories"][0];
    ensure!(kept["event_time"].is_null() && kept["valid_from"].is_null(), "{found}");
    Ok(())
}
