//! Memories in the explorer, apart from transcripts: confidence curves, and properties of whole lists.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use limbic_core::{
    model::{
        decay,
        memory_words::{MemoryType, Word},
        numbers::round,
    },
    rusqlite::{Connection, params},
};
use limbic_protocol::SplitMix64;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    START_MILLIS,
    export_import::{export, import},
    memory::{Native, connect},
    memory_file::ask,
};
use limbic_tools::Options;
use serde_json::{Value, json};
use tempfile::tempdir;

const TOOLSETS: [&str; 4] = ["graph", "memory", "domain", "explorer"];
const DAY_MILLIS: i64 = 86_400_000;

/// Opens a file with a clock that starts `millis` milliseconds after the test clock.
fn later(path: &std::path::Path, millis: i64) -> Result<Native> {
    let toolsets = TOOLSETS.map(str::to_owned).to_vec();
    Native::with(
        connect(path)?,
        Options { test_clock: Some(START_MILLIS + millis), toolsets, ..Options::default() },
    )
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer[name].as_array().map_or(&[], Vec::as_slice)
}

fn texts(rows: &[Value], field: &str) -> Vec<String> {
    rows.iter().filter_map(|row| row[field].as_str()).map(str::to_owned).collect()
}

/// Parses a timestamp of a row into milliseconds since the Unix epoch.
fn millis(moment: &Value) -> Result<i64> {
    let text = moment.as_str().context("a moment is text")?;
    let seconds: i64 =
        Connection::open_in_memory()?.query_row("SELECT unixepoch(?1)", [text], |row| row.get(0))?;
    Ok(seconds * 1000)
}

#[test]
fn the_confidence_curve_follows_the_decay_formulas() -> Result<()> {
    for (memory_type, stored, accesses, age_days) in [
        ("episodic", 0.8, 0, 40),
        ("semantic", 1.0, 6, 200),
        ("procedural", 0.3, 1, 3),
        ("episodic", 0.9, 0, 400),
    ] {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let mut memory = later(&path, 0)?;
        let stored_memory =
            json!({ "content": "x", "id": "m", "memory_type": memory_type, "confidence": stored });
        ask(&mut memory, "memory_store", &stored_memory)?;
        drop(memory);
        connect(&path)?.execute("UPDATE MEMORY_NODES SET access_count = ?1", [accesses])?;
        let mut memory = later(&path, age_days * DAY_MILLIS)?;
        let answer = ask(&mut memory, "explore_memory", &json!({ "id": "m" }))?;
        let start = START_MILLIS + 1000;
        let now = START_MILLIS + age_days * DAY_MILLIS + 1000;
        let at = |millis: i64| {
            let days = decay::days_between(start, millis);
            decay::effective_confidence(
                stored,
                decay::half_life_days(Word::<MemoryType>::of(memory_type).or_semantic()),
                false,
                days,
                accesses,
            )
        };
        let points = list(&answer["confidence"], "points");
        ensure!(points.len() == 60, "{} points", points.len());
        for (index, point) in points.iter().enumerate() {
            let moment = millis(&point["at"])?;
            let value = point["value"].as_f64().unwrap_or_default();
            ensure!((value - round(at(moment), 4)).abs() < 0.000_15, "{memory_type}: {point}");
            ensure!(point["is_expected"] == (index >= 30), "point {index}: {point}");
            ensure!(index == 0 || moment > millis(&points[index - 1]["at"])?, "point {index}: {point}");
        }
        ensure!(millis(&points[0]["at"])? == start && millis(&points[29]["at"])? == now, "{points:?}");
        ensure!(millis(&points[59]["at"])? == now + 365 * DAY_MILLIS, "{points:?}");
        ensure!(answer["memory"]["effective_confidence"] == points[29]["value"], "{answer}");
        let fades = millis(&answer["confidence"]["fades_at"])?;
        ensure!(
            at(fades - 60_000) > decay::FLOOR && (at(fades + 60_000) - decay::FLOOR).abs() < 1e-9,
            "{fades}"
        );
    }
    Ok(())
}

#[test]
fn pinned_and_fully_decayed_memories_have_two_points() -> Result<()> {
    for fields in [json!({ "pinned": true, "confidence": 0.7 }), json!({ "confidence": 0.05 })] {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let mut item = json!({ "content": "x", "id": "m" });
        for (name, value) in fields.as_object().into_iter().flatten() {
            item[name] = value.clone();
        }
        ask(&mut later(&path, 0)?, "memory_store", &item)?;
        let answer = ask(&mut later(&path, 90 * DAY_MILLIS)?, "explore_memory", &json!({ "id": "m" }))?;
        let points = list(&answer["confidence"], "points");
        ensure!(points.len() == 2 && points[0]["value"] == points[1]["value"], "{points:?}");
        ensure!(millis(&points[1]["at"])? - millis(&points[0]["at"])? == 90 * DAY_MILLIS, "{points:?}");
        ensure!(answer["confidence"].get("fades_at").is_none(), "{answer}");
    }
    Ok(())
}

#[test]
fn a_limit_counts_entities_and_memories_together() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    let names: Vec<Value> = (0..30).map(|index| json!({ "name": format!("Entity {index}") })).collect();
    ask(&mut memory, "create_entities", &json!({ "entities": names }))?;
    let items: Vec<Value> = (0..30)
        .map(|index| {
            let links: Vec<Value> =
                (0..index % 4).map(|other| json!({ "targetId": format!("m{other}") })).collect();
            let content = format!("About Entity {} and {index} others", index % 7);
            json!({ "id": format!("m{index}"), "content": content, "relationships": { "supports": links } })
        })
        .collect();
    ask(&mut memory, "memory_store", &json!({ "memories": items }))?;
    for limit in [1, 2, 29, 31, 45, 59, 60, 100] {
        let whole = ask(&mut memory, "explore_graph", &json!({ "show": "all", "limit": limit }))?;
        let named =
            json!({ "show": "all", "limit": limit, "names": ["Entity 3"], "memory_ids": ["m1"], "depth": 5 });
        let around = ask(&mut memory, "explore_graph", &named)?;
        for answer in [whole.clone(), around] {
            let shown = list(&answer, "nodes").len() + list(&answer, "memories").len();
            ensure!(shown <= limit, "{shown} nodes, at most {limit} expected");
            let left_out = |name: &str| answer["omitted"][name].as_u64().unwrap_or_default();
            ensure!(shown == limit || left_out("nodes") + left_out("memories") == 0, "{shown} of {limit}");
            let ids: BTreeSet<i64> =
                list(&answer, "nodes").iter().filter_map(|node| node["id"].as_i64()).collect();
            let memories: BTreeSet<String> = texts(list(&answer, "memories"), "id").into_iter().collect();
            for link in list(&answer, "links") {
                for end in ["from", "to"] {
                    ensure!(link[end].as_str().is_some_and(|id| memories.contains(id)), "{link}");
                }
            }
            for mention in list(&answer, "mentions") {
                ensure!(mention["memory"].as_str().is_some_and(|id| memories.contains(id)), "{mention}");
                ensure!(mention["entity"].as_i64().is_some_and(|id| ids.contains(&id)), "{mention}");
            }
        }
        let counted = list(&whole, "nodes").len() + list(&whole, "memories").len();
        let omitted = &whole["omitted"];
        let left_out = omitted["nodes"].as_u64().unwrap_or(0) + omitted["memories"].as_u64().unwrap_or(0);
        ensure!(counted == limit.min(60) && left_out == 60 - counted as u64, "{limit}: {omitted}");
    }
    Ok(())
}

/// Stores memories of two domains and three users; some contradict each other, have ended or expired.
fn many(path: &std::path::Path, random: &mut SplitMix64) -> Result<usize> {
    const MEMORIES: usize = 90;
    let mut memory = later(path, 0)?;
    ask(&mut memory, "create_domain", &json!({ "id": "work" }))?;
    let items: Vec<Value> = (0..MEMORIES)
        .map(|index| {
            json!({ "id": format!("m{index:02}"), "content": format!("{} {index}", random.one_of(&["one", "Two", "élan"])),
                "domain": random.one_of(&["general", "work"]), "user_id": random.one_of(&["", "ada", "grace"]),
                "category": random.one_of(&["fact", "decision"]), "importance": random.below(3),
                "confidence": random.one_of(&["0.3", "0.6", "0.9"]).parse::<f64>().unwrap_or(1.0) })
        })
        .collect();
    ask(&mut memory, "memory_store", &json!({ "memories": items }))?;
    for _ in 0..120 {
        let ends = [random.below(90), random.below(90)];
        if ends[0] != ends[1] {
            let link_type = random.one_of(&["contradicts", "contradicts", "supports", "knows"]);
            let link = json!({ "from_id": format!("m{:02}", ends[0]), "to_id": format!("m{:02}", ends[1]), "type": link_type });
            ask(&mut memory, "memory_link", &link)?;
        }
    }
    for index in [3, 30, 60] {
        ask(&mut memory, "memory_invalidate", &json!({ "id": format!("m{index:02}") }))?;
    }
    drop(memory);
    let connection = connect(path)?;
    connection
        .execute("UPDATE MEMORY_NODES SET expires_at = '2026-02-01' WHERE id IN ('m04', 'm30', 'm70')", [])?;
    connection.execute("UPDATE MEMORY_NODES SET user_id = NULL WHERE user_id = ''", [])?;
    Ok(MEMORIES)
}

/// The ids of all pages of a list.
fn by_cursors(memory: &mut Native, request: &mut Value) -> Result<Vec<String>> {
    let mut seen = Vec::new();
    loop {
        let page = ask(memory, "explore_records", request)?;
        seen.extend(texts(list(&page, "rows"), "id"));
        let next = page["next_cursor"].clone();
        if next.is_null() {
            return Ok(seen);
        }
        request["cursor"] = next;
    }
}

#[test]
fn every_memory_link_and_event_is_reached_by_paging() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut random = SplitMix64::new(7);
    let number = many(&path, &mut random)?;
    let connection = connect(&path)?;
    // Sessions that access memories within the same second.
    for number in 0..40 {
        connection.execute(
            "INSERT INTO memory_sessions VALUES (?1, ?2, '2026-01-01T00:00:09.000Z')",
            params![format!("m{:02}", number % 5), format!("session {number}")],
        )?;
    }
    drop(connection);
    let mut memory = later(&path, 60 * DAY_MILLIS)?;
    for kind in ["memories", "links"] {
        let first = ask(&mut memory, "explore_records", &json!({ "kind": kind }))?;
        let total = first["total"].as_u64().context("a total")?;
        ensure!(kind == "links" || total == number as u64, "{total} memories");
        for column in list(&first, "columns") {
            let mut orders = Vec::new();
            for descending in [false, true] {
                let mut seen = Vec::new();
                let limit = 1 + random.below(25);
                while (seen.len() as u64) < total {
                    let request = json!({ "kind": kind, "sort": column, "descending": descending, "limit": limit, "offset": seen.len() });
                    let page = ask(&mut memory, "explore_records", &request)?;
                    ensure!(!list(&page, "rows").is_empty(), "{column}: {} of {total}", seen.len());
                    seen.extend(texts(list(&page, "rows"), "id"));
                }
                let mut request =
                    json!({ "kind": kind, "sort": column, "descending": descending, "limit": limit });
                ensure!(by_cursors(&mut memory, &mut request)? == seen, "{kind} by {column}, by cursors");
                let distinct: BTreeSet<&String> = seen.iter().collect();
                ensure!(distinct.len() as u64 == total, "{kind} by {column}: {} of {total}", distinct.len());
                orders.push(seen);
            }
            orders[1].reverse();
            ensure!(orders[0] == orders[1], "{kind} by {column} are not reversed in descending order");
        }
    }
    let whole = ask(&mut memory, "explore_events", &json!({ "limit": 1000 }))?;
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut request = json!({ "limit": 7 });
        if !cursor.is_null() {
            request["cursor"] = cursor.clone();
        }
        let page = ask(&mut memory, "explore_events", &request)?;
        seen.extend(list(&page, "events").to_vec());
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    ensure!(seen == list(&whole, "events"), "{} events of {}", seen.len(), list(&whole, "events").len());
    ensure!(seen.iter().filter(|event| event["kind"] == "memory_used").count() == 40);
    Ok(())
}

#[test]
fn current_memories_are_those_that_recall_finds() -> Result<()> {
    for seed in 0..5 {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let number = many(&path, &mut SplitMix64::new(seed))?;
        let mut memory = later(&path, 60 * DAY_MILLIS)?;
        let recall = json!({ "strategy": "recent", "domain": "*", "limit": 100, "max_tokens": 1_000_000, "touch": false });
        let recalled = ask(&mut memory, "memory_recall", &recall)?;
        let recalled: BTreeSet<String> = texts(list(&recalled, "memories"), "id").into_iter().collect();
        let all = ask(&mut memory, "explore_records", &json!({ "kind": "memories", "limit": 1000 }))?;
        let mut by_status: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in list(&all, "rows") {
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            by_status.entry(text("status")).or_default().insert(text("id"));
        }
        ensure!(by_status.get("current") == Some(&recalled), "seed {seed}: {by_status:?}, {recalled:?}");
        let ended: BTreeSet<String> = ["m03", "m30", "m60"].map(str::to_owned).into();
        let expired: BTreeSet<String> = ["m04", "m70"].map(str::to_owned).into();
        ensure!(by_status.get("ended") == Some(&ended) && by_status.get("expired") == Some(&expired));
        ensure!(by_status.get("contradicted").is_some_and(|ids| ids.len() > 3), "seed {seed}: too few");
        let mut counted = 0;
        for (status, ids) in &by_status {
            let request = json!({ "kind": "memories", "status": status, "limit": 1000 });
            let found = texts(list(&ask(&mut memory, "explore_records", &request)?, "rows"), "id");
            ensure!(
                found.iter().cloned().collect::<BTreeSet<_>>() == *ids,
                "seed {seed}: {status} {found:?}"
            );
            counted += found.len();
        }
        ensure!(counted == number, "{counted} of {number}");
        let drawn = ask(&mut memory, "explore_graph", &json!({ "show": "memories", "limit": 1000 }))?;
        let drawn: BTreeSet<String> = texts(list(&drawn, "memories"), "id").into_iter().collect();
        ensure!(drawn == recalled, "seed {seed}: {drawn:?}");
        let counts = ask(&mut memory, "explore_stats", &json!({}))?["counts"].clone();
        ensure!(counts["memories"] == recalled.len() && counts["memories_ended"] == number - recalled.len());
    }
    Ok(())
}

#[test]
fn texts_of_other_programs_are_shown_unchanged() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    ask(&mut later(&path, 0)?, "memory_store", &json!({ "content": "Ours", "id": "ours" }))?;
    let connection = connect(&path)?;
    connection.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO DOMAINS VALUES ('other', 'Other', NULL, 'once', 'once');
         INSERT INTO MEMORY_NODES (id, domain, content, timestamp, confidence, tier, expires_at)
            VALUES ('theirs', 'general', 'Theirs', 'yesterday', NULL, NULL, '2026-01-01 00:00:00');
         INSERT INTO MEMORY_NODES (id, domain, content, timestamp)
            VALUES ('zone', 'general', 'With a zone', '2026-01-01T02:00:00+02:00');
         INSERT INTO DOMAIN_REFS VALUES ('ours', 'general', 'other', 'gone', '', 1);
         INSERT INTO DOMAIN_REFS VALUES ('nobody', 'other', 'general', 'nobody', NULL, 0);
         INSERT INTO MEMORY_EDGES VALUES ('loop', 'ours', 'ours', 'itself', 0.5, 'never', 'general');",
    )?;
    drop(connection);
    let mut memory = later(&path, 0)?;
    let rows = ask(&mut memory, "explore_records", &json!({ "kind": "memories" }))?;
    let created: Vec<(String, String)> =
        texts(list(&rows, "rows"), "id").into_iter().zip(texts(list(&rows, "rows"), "created_at")).collect();
    let wanted = [("ours", "2026-01-01 00:00:01"), ("theirs", "yesterday"), ("zone", "2026-01-01 00:00:00")];
    ensure!(created == wanted.map(|(id, at)| (id.to_owned(), at.to_owned())), "{created:?}");
    ensure!(rows["rows"][1]["status"] == "expired" && rows["rows"][1]["tier"] == "l4", "{rows}");
    let links = ask(&mut memory, "explore_records", &json!({ "kind": "links" }))?;
    ensure!(texts(list(&links, "rows"), "type") == ["itself", "related", "related"], "{links}");
    ensure!(links["rows"][2]["to"] == "" && links["rows"][2]["to_domain"] == "other", "{links}");
    for id in ["ours", "theirs", "zone"] {
        ask(&mut memory, "explore_memory", &json!({ "id": id }))?;
    }
    let drawn =
        ask(&mut memory, "explore_graph", &json!({ "show": "all", "memory_ids": ["ours"], "depth": 3 }))?;
    ensure!(texts(list(&drawn, "links"), "id") == ["loop"], "{drawn}");
    ask(&mut memory, "explore_timeline", &json!({}))?;
    let events = ask(&mut memory, "explore_events", &json!({ "kinds": ["memory_stored"] }))?;
    ensure!(texts(list(&events, "events"), "memory") == ["ours", "zone"], "{events}");
    Ok(())
}

#[test]
fn future_ends_are_not_shown_as_past() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    ask(&mut later(&path, 0)?, "memory_store", &json!({ "content": "Ours", "id": "ours" }))?;
    connect(&path)?.execute("UPDATE MEMORY_NODES SET valid_until = '2026-03-01T00:00:00.000Z'", [])?;
    for (days, ended) in [(0, 0), (100, 1)] {
        let mut memory = later(&path, days * DAY_MILLIS)?;
        let timeline = ask(&mut memory, "explore_timeline", &json!({ "until": "2027-01-01", "buckets": 1 }))?;
        ensure!(timeline["totals"]["memories_ended"] == ended, "after {days} days: {timeline}");
        let events = ask(&mut memory, "explore_events", &json!({ "kinds": ["memory_ended"] }))?;
        ensure!(list(&events, "events").len() == ended, "after {days} days: {events}");
        let counts = ask(&mut memory, "explore_stats", &json!({}))?["counts"].clone();
        ensure!(counts["memories_ended"] == ended && counts["memories"] == 1 - ended, "{counts}");
    }
    Ok(())
}

#[test]
fn omitted_records_are_counted() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    ask(&mut later(&path, 0)?, "memory_store", &json!({ "content": "Ours", "id": "ours" }))?;
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2003)";
    connect(&path)?.execute_batch(&format!(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO memory_history (memory_id, content, confidence, replaced_at)
            {numbers} SELECT 'ours', 'text ' || i, 0.5, '2026-01-01T00:00:00.000Z' FROM n WHERE i <= 2001;
         INSERT INTO DOMAIN_REFS {numbers} SELECT 'ours', 'general', 'other', 'm' || i, NULL, 0 FROM n WHERE i <= 2002;
         INSERT INTO entities (name) {numbers} SELECT 'Entity ' || i FROM n;
         INSERT INTO memory_entities SELECT 'ours', id, 0 FROM entities;
         INSERT INTO memory_sessions {numbers} SELECT 'ours', 's' || i, '2026-01-01T00:00:00.000Z' FROM n WHERE i <= 2001;
         INSERT INTO audit_log (at, action, memory_id)
            {numbers} SELECT '2026-01-01T00:00:00.000Z', 'update', 'ours' FROM n WHERE i <= 101;"
    ))?;
    let answer = ask(&mut later(&path, 0)?, "explore_memory", &json!({ "id": "ours" }))?;
    ensure_same(&answer["omitted"], &json!({ "history": 1, "links": 2, "entities": 3 }), &answer["omitted"])?;
    let counted = ["history", "links", "entities", "sessions", "audit"].map(|name| list(&answer, name).len());
    ensure!(counted == [2000, 2000, 2000, 2000, 100], "{counted:?}");
    ensure!(answer["history"][0]["content"] == "text 1", "{}", answer["history"][0]);
    Ok(())
}

#[test]
fn a_memory_is_restored_from_its_answer_with_exact_times() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let stored =
        json!({ "id": "m", "content": "Ships on Mondays", "event_time": "2025-03-04T05:06:07.089Z" });
    let mut memory = later(&path, 123)?;
    ask(&mut memory, "memory_store", &stored)?;
    ask(&mut memory, "memory_update", &json!({ "id": "m", "content": "Ships on Fridays" }))?;
    ask(&mut memory, "memory_recall", &json!({ "query": "ships" }))?;
    drop(memory);
    let mut memory = later(&path, DAY_MILLIS + 456)?;
    ask(&mut memory, "memory_store", &json!({ "content": "Ships on Fridays" }))?;
    drop(memory);
    let mut memory = later(&path, 2 * DAY_MILLIS + 789)?;
    ask(&mut memory, "memory_update", &json!({ "id": "m", "tags": ["x"] }))?;
    let record_of = |memory: &mut Native, kind: &str| -> Result<Value> {
        let text = String::from_utf8(export(memory, "limbic")?)?;
        let line = text.lines().find(|line| line.contains(&format!(r#""record":"{kind}""#)));
        Ok(serde_json::from_str(line.context("no record")?)?)
    };
    let (before, history) = (record_of(&mut memory, "memory")?, record_of(&mut memory, "memory_history")?);
    ensure!(before["stated_at"].as_str().is_some_and(|at| at.ends_with(".456Z")), "{before}");

    // As `stateRecord` of the page makes it.
    let found = ask(&mut memory, "explore_memory", &json!({ "id": "m" }))?;
    let mut record = found["memory"].clone();
    for derived in ["effective_confidence", "links", "entities", "status"] {
        record.as_object_mut().context("an object")?.remove(derived);
    }
    for (field, moment) in found["times"].as_object().context("times")? {
        record[field] = moment.clone();
    }
    record["record"] = "memory".into();
    let mut earlier = found["history"][0].clone();
    earlier["record"] = "memory_history".into();
    earlier["memory"] = "m".into();
    ask(&mut memory, "memory_forget", &json!({ "id": "m" }))?;
    let head = json!({ "record": "export", "format": "limbic", "version": 1 });
    let end = json!({ "record": "end", "records": 2 });
    let lines = [head, record, earlier, end].map(|line| line.to_string()).join("\n");
    import(&mut memory, lines.as_bytes(), false)?;
    let (mut before, mut after) = (before, record_of(&mut memory, "memory")?);
    // The answer has no time of ingestion, and that of the confidence is of the last access.
    for record in [&mut before, &mut after] {
        for field in ["ingestion_time", "confidence_at", "valid_from"] {
            record.as_object_mut().context("an object")?.remove(field);
        }
    }
    ensure_same(&after, &before, "the memory")?;
    ensure_same(&record_of(&mut memory, "memory_history")?, &history, "its history")?;
    Ok(())
}
