//! Imports whose records are about memories that exist: what an import may change of them, which of two states is the
//! later one, and what becomes of the other.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    export_import::export,
    memory::Native,
    memory_file::{MemoryFile, ask, wait},
};
use limbic_tools::{Caller, CallerKind, Options, SessionId};
use serde_json::{Value, json};

const TOOLSETS: [&str; 4] = ["memory", "domain", "advanced", "explorer"];

/// A memory whose imports wait for a person.
fn memory() -> Result<Native> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    introduce(&mut memory);
    Ok(memory)
}

fn introduce(memory: &mut Native) {
    let caller = Caller {
        kind: CallerKind::Client,
        client: "claude-code".to_owned(),
        project: "atlas".to_owned(),
        ..Caller::default()
    };
    memory.limbic().introduce(&SessionId::default(), caller);
}

/// Imports a file. Returns the answer.
fn import_text(memory: &mut Native, path: &str, text: &str) -> Result<Value> {
    let mut file = text.as_bytes().to_vec();
    let arguments = json!({ "source_path": path }).to_string();
    let answer = memory.limbic().call_with_file("migrate", &arguments, &[], &mut file, &mut |_, _| {});
    ensure!(!answer.is_error, "{}", answer.json);
    Ok(serde_json::from_str(&answer.json)?)
}

/// Imports a Limbic export of these records.
fn import(memory: &mut Native, records: &[Value]) -> Result<Value> {
    let head = json!({ "record": "export", "format": "limbic", "version": 1 });
    let end = json!({ "record": "end", "records": records.len() });
    let lines: Vec<String> = [&head].into_iter().chain(records).chain([&end]).map(Value::to_string).collect();
    import_text(memory, "/notes/notes.limbic.jsonl", &(lines.join("\n") + "\n"))
}

fn record(id: &str, content: &str, created_at: &str) -> Value {
    json!({ "record": "memory", "id": id, "domain": "general", "content": content, "created_at": created_at })
}

/// The record of a memory that exists, changed a second later, with another text.
fn later(stored: &Value, content: &str) -> Value {
    let mut changed = record(stored["id"].as_str().unwrap_or_default(), content, "2026-01-01T00:00:00.000Z");
    changed["updated_at"] = "2026-01-01T06:00:00.000Z".into();
    changed
}

fn store(memory: &mut Native, fields: &Value) -> Result<Value> {
    Ok(ask(memory, "memory_store", fields)?["memory"].clone())
}

fn get(memory: &mut Native, id: &str) -> Result<Value> {
    Ok(ask(memory, "memory_get", &json!({ "ids": [id] }))?["memories"][0].clone())
}

/// The ids of all memories that are found by a word, or of all that have not ended.
fn shown(memory: &mut Native, query: Option<&str>) -> Result<Vec<String>> {
    let listed = match query {
        Some(query) => ask(memory, "memory_recall", &json!({ "query": query, "limit": 10 }))?,
        None => ask(memory, "memory_list", &json!({}))?,
    };
    let listed = listed["memories"].as_array().context("no list")?;
    let mut ids: Vec<String> =
        listed.iter().filter_map(|memory| Some(memory["id"].as_str()?.to_owned())).collect();
    ids.sort();
    Ok(ids)
}

#[test]
fn an_import_does_not_change_the_owner_of_a_memory() -> Result<()> {
    let mut memory = memory()?;
    let hers = store(&mut memory, &json!({ "id": "a", "content": "Likes green tea", "user_id": "ada" }))?;
    let mut other = later(&hers, "Likes coffee");
    other["user_id"] = "bob".into();
    let history = json!({ "record": "memory_history", "memory": "a", "content": "Likes milk",
        "replaced_at": "2026-01-01T00:00:00.000Z" });
    let answer = import(&mut memory, &[other, history])?;
    ensure!(answer["problems"][0].to_string().contains("another user"), "{answer}");
    let found = get(&mut memory, "a")?;
    ensure!(found["user_id"] == "ada" && found["content"] == "Likes green tea", "{found}");
    ensure!(!found.to_string().contains("Likes milk"), "{found}");

    // A format without users says nothing about the owner.
    let answer = import(&mut memory, &[later(&hers, "Likes black tea")])?;
    let found = get(&mut memory, "a")?;
    ensure!(found["user_id"] == "ada" && found["content"] == "Likes black tea", "{answer} {found}");

    let shared = store(&mut memory, &json!({ "id": "b", "content": "The office opens at nine" }))?;
    let mut taken = later(&shared, "The office opens at ten");
    taken["user_id"] = "bob".into();
    import(&mut memory, &[taken])?;
    let found = get(&mut memory, "b")?;
    ensure!(found["user_id"].is_null() && found["content"] == "The office opens at ten", "{found}");
    Ok(())
}

#[test]
fn a_contradiction_of_an_import_hides_nothing_until_it_is_confirmed() -> Result<()> {
    let mut memory = memory()?;
    store(&mut memory, &json!({ "id": "a", "content": "Deploys need a review", "confidence": 0.7 }))?;
    store(&mut memory, &json!({ "id": "b", "content": "Deploys have a garden", "confidence": 0.9 }))?;
    let edge = |from: &str, to: &str| json!({ "record": "memory_edge", "from": from, "to": to, "link_type": "contradicts" });
    let planted = record("c", "Deploys are unseen on Fridays", "2026-01-01T06:00:00.000Z");
    let older = record("d", "Deploys wait for Tuesdays", "2025-01-01T00:00:00.000Z");
    let answer = import(&mut memory, &[planted, older, edge("c", "a"), edge("b", "a"), edge("c", "d")])?;
    ensure!(answer["problems"][0].to_string().contains("contradict"), "{answer}");
    ensure!(
        shown(&mut memory, Some("deploys"))? == ["a", "b", "c"],
        "of its own memories, the import hides one"
    );
    ask(&mut memory, "review_inbox", &json!({ "accept": ["c"] }))?;
    ensure!(shown(&mut memory, Some("deploys"))? == ["b", "c"], "a person has confirmed it");
    Ok(())
}

#[test]
fn two_records_of_an_import_do_not_end_a_memory_that_was_confirmed() -> Result<()> {
    let mut memory = memory()?;
    let stored = store(&mut memory, &json!({ "id": "a", "content": "Deploys need a review" }))?;
    let ended = |at: &str| {
        let mut ended = later(&stored, "Deploys need a review, mostly");
        ended["updated_at"] = at.into();
        ended["valid_until"] = "2025-01-02T00:00:00.000Z".into();
        ended
    };
    let changed = later(&stored, "Deploys need a review, mostly");
    let answer = import(&mut memory, &[changed, ended("2026-01-01T07:00:00.000Z")])?;
    ensure!(answer["problems"][0].to_string().contains("cannot end"), "{answer}");
    ensure!(shown(&mut memory, None)? == ["a"], "{answer}");

    // An import may end a memory that no person has confirmed, also from another file.
    import(&mut memory, &[record("b", "Ships on Mondays", "2025-01-01T00:00:00.000Z")])?;
    let mut changed = record("b", "Ships on Tuesdays", "2025-01-01T00:00:00.000Z");
    changed["updated_at"] = "2025-02-01T00:00:00.000Z".into();
    import(&mut memory, &[changed.clone()])?;
    changed["updated_at"] = "2025-03-01T00:00:00.000Z".into();
    changed["valid_until"] = "2025-03-01T00:00:00.000Z".into();
    import(&mut memory, &[changed])?;
    ensure!(shown(&mut memory, None)? == ["a"], "b has not ended");
    Ok(())
}

#[test]
fn an_import_of_an_older_state_does_not_lower_the_confidence() -> Result<()> {
    let mut memory = memory()?;
    let stored = json!({ "id": "a", "content": "Deploys need a review", "confidence": 0.9, "pinned": true });
    let created_at = store(&mut memory, &stored)?["created_at"].clone();
    for (updated_at, hour) in [(&json!("2025-06-01T00:00:00.000Z"), 9), (&created_at, 10)] {
        let mut used = record("a", "Deploys need a review", "2025-01-01T00:00:00.000Z");
        used["updated_at"] = updated_at.clone();
        used["confidence"] = 0.0.into();
        used["access_count"] = 7.into();
        used["last_accessed"] = format!("2026-01-01T{hour:02}:00:00.000Z").into();
        let answer = import(&mut memory, &[used])?;
        let found = get(&mut memory, "a")?;
        ensure!(found["confidence"].as_f64() >= Some(0.9), "{updated_at}: {answer} {found}");
    }
    Ok(())
}

#[test]
fn a_record_of_the_future_counts_as_one_of_now() -> Result<()> {
    let file = MemoryFile::new()?;
    let toolsets = || Options { toolsets: TOOLSETS.map(str::to_owned).to_vec(), ..Options::default() };
    let mut memory = file.open(0, toolsets())?;
    introduce(&mut memory);
    let stored = store(&mut memory, &json!({ "id": "a", "content": "Ships on Mondays" }))?;
    let mut ahead = later(&stored, "Ships on Tuesdays");
    ahead["updated_at"] = "2099-01-01T00:00:00.000Z".into();
    ahead["last_accessed"] = "2099-01-01T00:00:00.000Z".into();
    let new = record("b", "Tests run at night", "2099-01-01T00:00:00.000Z");
    let records = [ahead.clone(), new];
    let answer = import(&mut memory, &records)?;
    ensure!(answer["memories_imported"] == 2, "{answer}");
    let exported = String::from_utf8(export(&mut memory, "limbic")?)?;
    ensure!(exported.contains("Ships on Tuesdays") && !exported.contains("2099"), "{exported}");
    // The same file on the next day changes nothing.
    drop(memory);
    let mut memory = file.open(1, toolsets())?;
    introduce(&mut memory);
    let answer = import(&mut memory, &records)?;
    ensure!(answer["memories_imported"] == 0, "{answer}");
    let kept = |text: &str| {
        let lines = text.lines().filter(|line| line.contains(r#""record":"memory"#));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let again = String::from_utf8(export(&mut memory, "limbic")?)?;
    ensure!(kept(&again) == kept(&exported), "{exported}\n{again}");
    // A later change wins, over the same file as well.
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Ships on Fridays" }))?;
    let mut behind = later(&stored, "Ships on Wednesdays");
    behind["updated_at"] = "2026-01-01T12:00:00.000Z".into();
    import(&mut memory, &[behind])?;
    import(&mut memory, &records)?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Fridays", "{found}");
    Ok(())
}

#[test]
fn an_entity_and_a_relation_of_the_future_lose_against_what_is_stored_here() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let entities = json!({ "entities": [{ "name": "Ada", "entityType": "person" }, { "name": "Atlas" }] });
    ask(&mut memory, "create_entities", &entities)?;
    let link = json!({ "relations": [{ "from": "Ada", "to": "Atlas", "relationType": "works on" }] });
    let made = ask(&mut memory, "create_relations", &link)?;
    ask(&mut memory, "end_relation", &json!({ "relation_id": made["relations"][0]["id"] }))?;
    let time = "2099-01-01 00:00:00";
    let records = [
        json!({ "record": "entity", "name": "Ada", "entity_type": "rumour", "status": "activo",
            "created_at": time, "updated_at": time }),
        json!({ "record": "relation", "from": "Ada", "relation_type": "works on", "to": "Atlas", "active": true,
            "created_at": time }),
        json!({ "record": "observation", "entity": "Ada", "content": "drinks tea", "created_at": time }),
        json!({ "record": "observation", "entity": "Ada", "content": "drank milk", "created_at": time,
            "superseded_at": time }),
    ];
    import(&mut memory, &records)?;
    let exported = String::from_utf8(export(&mut memory, "limbic")?)?;
    ensure!(!exported.contains("2099") && !exported.contains("rumour"), "{exported}");
    ensure!(exported.contains(r#""active":false"#) && exported.contains("drinks tea"), "{exported}");
    let answer = import(&mut memory, &records)?;
    ensure!(answer["observations_imported"] == 0 && answer["relations_imported"] == 0, "{answer}");
    Ok(())
}

#[test]
fn an_older_state_is_kept_in_the_history() -> Result<()> {
    let mut memory = memory()?;
    let times = ["2025-01-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z", "2025-03-01T00:00:00.000Z"];
    let state = |content: &str, at: &str| {
        let mut state = record("a", content, times[0]);
        state["updated_at"] = at.into();
        state
    };
    let newest = state("Ships on Fridays", times[2]);
    import(&mut memory, std::slice::from_ref(&newest))?;
    let older = [state("Ships on Mondays", times[0]), state("Ships on Tuesdays", times[1])];
    import(&mut memory, &older[..1])?;
    for (as_of, text) in [("2025-02-15", "Mondays"), ("2025-03-15", "Fridays")] {
        let found = ask(&mut memory, "memory_list", &json!({ "as_of": as_of }))?;
        ensure!(found["memories"][0].to_string().contains(text), "{as_of}: {found}");
    }
    // In any order, and again: the same history.
    for records in [vec![older[1].clone()], older.to_vec(), older.to_vec(), vec![newest]] {
        import(&mut memory, &records)?;
    }
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Fridays", "{found}");
    let history = found["history"].as_array().context("no history")?;
    let contents: Vec<_> = history.iter().map(|earlier| &earlier["content"]).collect();
    ensure!(contents == ["Ships on Mondays", "Ships on Tuesdays"], "{found}");
    Ok(())
}

#[test]
fn a_later_state_keeps_the_one_that_it_replaces() -> Result<()> {
    let mut source = memory()?;
    store(&mut source, &json!({ "id": "a", "content": "Ships on Mondays" }))?;
    let first = export(&mut source, "limbic")?;
    for day in ["Tuesdays", "Fridays"] {
        ask(&mut source, "memory_update", &json!({ "id": "a", "content": format!("Ships on {day}") }))?;
    }
    let last = export(&mut source, "limbic")?;
    // The file's own history says exactly until when each text held.
    let mut copy = memory()?;
    for export in [&first, &last, &first, &last] {
        import_text(&mut copy, "/a.jsonl", std::str::from_utf8(export)?)?;
    }
    let history = |memory: &mut Native| -> Result<Value> { Ok(get(memory, "a")?["history"].clone()) };
    let (wanted, found) = (history(&mut source)?, history(&mut copy)?);
    ensure!(wanted.as_array().map(Vec::len) == Some(2) && found == wanted, "{wanted}\n{found}");
    // What only this database has had is kept, too.
    let mut other = memory()?;
    store(&mut other, &json!({ "id": "a", "content": "Ships when it is ready" }))?;
    let mut later = record("a", "Ships on Sundays", "2026-01-01T00:00:00.000Z");
    later["updated_at"] = "2026-01-01T10:00:00.000Z".into();
    for _ in 0..2 {
        import(&mut other, std::slice::from_ref(&later))?;
    }
    let found = history(&mut other)?;
    ensure!(found.as_array().map(Vec::len) == Some(1), "{found}");
    ensure!(found[0]["content"] == "Ships when it is ready", "{found}");
    Ok(())
}

#[test]
fn an_edited_bullet_does_not_replace_a_text_that_is_newer_than_the_export() -> Result<()> {
    let mut memory = memory()?;
    for (id, text) in [("a", "Ships on Mondays"), ("b", "Rolls back at night")] {
        store(&mut memory, &json!({ "id": id, "content": text }))?;
    }
    let text = String::from_utf8(export(&mut memory, "markdown")?)?;
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Ships on Fridays" }))?;
    let edited = text.replace("Mondays", "Tuesdays").replace("at night", "at noon");
    let answer = import_text(&mut memory, "/notes/memories.md", &edited)?;
    ensure!(answer["memories_imported"] == 1 && answer["skipped"] == 1, "{answer}");
    ensure!(answer["problems"][0].to_string().contains("changed here since the export"), "{answer}");
    ensure!(get(&mut memory, "a")?["content"] == "Ships on Fridays", "{answer}");
    ensure!(get(&mut memory, "b")?["content"] == "Rolls back at noon", "{answer}");
    // The same file may be edited again, without another export.
    let again = edited.replace("at noon", "at dawn");
    let answer = import_text(&mut memory, "/notes/memories.md", &again)?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    ensure!(get(&mut memory, "b")?["content"] == "Rolls back at dawn", "{answer}");
    // Not after a change here.
    ask(&mut memory, "memory_update", &json!({ "id": "b", "content": "Rolls back by itself" }))?;
    import_text(&mut memory, "/notes/memories.md", &again.replace("at dawn", "never"))?;
    ensure!(get(&mut memory, "b")?["content"] == "Rolls back by itself", "{answer}");
    Ok(())
}

#[test]
fn an_edited_bullet_is_stated_last() -> Result<()> {
    let mut memory = memory()?;
    store(&mut memory, &json!({ "id": "a", "content": "Deploys run on Mondays" }))?;
    let links = json!({ "contradicts": [{ "targetId": "a" }] });
    store(&mut memory, &json!({ "id": "b", "content": "Deploys run on Fridays", "relationships": links }))?;
    let text = String::from_utf8(export(&mut memory, "markdown")?)?;
    import_text(&mut memory, "/notes/memories.md", &text.replace("Mondays", "Tuesdays"))?;
    ensure!(get(&mut memory, "a")?["content"] == "Deploys run on Tuesdays");
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    ensure!(shown(&mut memory, Some("deploys"))? == ["a"]);
    Ok(())
}

#[test]
fn an_import_with_the_same_text_does_not_take_back_that_it_was_stated_again() -> Result<()> {
    let mut memory = memory()?;
    let stored = store(&mut memory, &json!({ "id": "a", "content": "Deploys run on Mondays" }))?;
    store(&mut memory, &json!({ "id": "b", "content": "Deploys run on Fridays" }))?;
    store(&mut memory, &json!({ "content": "Deploys run on Mondays" }))?;
    ask(&mut memory, "memory_link", &json!({ "from_id": "b", "to_id": "a", "type": "contradicts" }))?;
    ensure!(shown(&mut memory, Some("deploys"))? == ["a"]);
    let mut tagged = later(&stored, "Deploys run on Mondays");
    tagged["tags"] = json!(["release"]);
    import(&mut memory, &[tagged])?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    ensure!(get(&mut memory, "a")?["tags"] == json!(["release"]));
    ensure!(shown(&mut memory, Some("deploys"))? == ["a"]);
    Ok(())
}

#[test]
fn a_contradiction_of_an_import_is_not_planted_as_a_reference() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    store(&mut memory, &json!({ "id": "a", "content": "Deploys run on Mondays" }))?;
    store(&mut memory, &json!({ "id": "b", "content": "Deploys run on Fridays", "domain": "atlas" }))?;
    let edge = json!({ "record": "memory_edge", "from": "b", "to": "a", "link_type": "contradicts" });
    let reference = json!({
        "record": "memory_reference", "from": "b", "domain": "atlas", "to": "a", "target_domain": "general",
        "description": "contradicts",
    });
    let answer = import(&mut memory, &[edge, reference])?;
    ensure!(answer["skipped"] == 2, "{answer}");
    ask(&mut memory, "memory_update", &json!({ "id": "b", "domain": "general" }))?;
    ensure!(shown(&mut memory, Some("deploys"))? == ["a", "b"], "{answer}");
    Ok(())
}

#[test]
fn an_end_that_is_ahead_of_the_clock_ends_no_relation_again() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["graph", "advanced"])?;
    let names =
        ["Ada", "Bob"].map(|name| json!({ "name": name, "entityType": "person", "observations": [] }));
    ask(&mut memory, "create_entities", &json!({ "entities": names }))?;
    let relation = json!({ "from": "Ada", "to": "Bob", "relationType": "knows" });
    ask(&mut memory, "create_relations", &json!({ "relations": [relation] }))?;
    let ended = json!({
        "record": "relation", "from": "Ada", "relation_type": "knows", "to": "Bob", "active": false,
        "ended_at": "2099-01-01 00:00:00",
    });
    import(&mut memory, &[ended])?;
    let graph = ask(&mut memory, "read_graph", &json!({}))?;
    ensure!(graph["relations"].as_array().map(Vec::len) == Some(1), "{graph}");
    Ok(())
}

/// The time at which a memory was last stated, as an export says.
fn stated_at(memory: &mut Native, id: &str) -> Result<String> {
    let text = String::from_utf8(export(memory, "limbic")?)?;
    let start = format!(r#"{{"record":"memory","id":"{id}""#);
    let line = text.lines().find(|line| line.starts_with(&start)).context("no record")?;
    let record: Value = serde_json::from_str(line)?;
    Ok(record["stated_at"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_later_statement_of_an_equal_or_older_state_is_taken_over() -> Result<()> {
    for is_older in [false, true] {
        let mut memory = memory()?;
        let stored = store(&mut memory, &json!({ "id": "a", "content": "Deploys run on Mondays" }))?;
        if is_older {
            ask(&mut memory, "memory_update", &json!({ "id": "a", "tags": ["release"] }))?;
        }
        wait(&mut memory, 60);
        let mut again = record("a", "Deploys run on Mondays", "");
        again["created_at"] = stored["created_at"].clone();
        again["stated_at"] = "2026-01-01T00:00:30.000Z".into();
        for _ in 0..2 {
            import(&mut memory, std::slice::from_ref(&again))?;
            ensure!(stated_at(&mut memory, "a")? == "2026-01-01T00:00:30.000Z", "{is_older}");
            ensure!(get(&mut memory, "a")?["unconfirmed"].is_null(), "it contradicts nothing");
        }
        // Ahead of the clock by less than a day, it waits: it would count more than what is stated next.
        again["stated_at"] = "2026-01-01T06:00:00.000Z".into();
        import(&mut memory, std::slice::from_ref(&again))?;
        ensure!(get(&mut memory, "a")?["unconfirmed"] == true, "{is_older}");
        ask(&mut memory, "review_inbox", &json!({ "reject": ["a"] }))?;
        let stated = stated_at(&mut memory, "a")?;
        ensure!(stated == "2026-01-01T00:00:30.000Z", "{is_older}: {stated}");
        // Of more than a day ahead it is not known when it was.
        again["stated_at"] = "2099-01-01T00:00:00.000Z".into();
        import(&mut memory, std::slice::from_ref(&again))?;
        ensure!(stated_at(&mut memory, "a")? == stated, "{is_older}");
        // Another text was not stated.
        again["content"] = "Deploys run on Tuesdays".into();
        again["stated_at"] = "2026-01-01T00:00:40.000Z".into();
        import(&mut memory, &[again])?;
        ensure!(stated_at(&mut memory, "a")? == stated, "{is_older}");
        ensure!(get(&mut memory, "a")?["content"] == "Deploys run on Mondays", "{is_older}");
    }
    Ok(())
}

#[test]
fn a_later_statement_of_an_import_hides_nothing_until_it_is_confirmed() -> Result<()> {
    for accepts in [true, false] {
        let mut memory = memory()?;
        let stored = store(&mut memory, &json!({ "id": "a", "content": "Deploys run on Mondays" }))?;
        let links = json!({ "contradicts": [{ "targetId": "a" }] });
        store(
            &mut memory,
            &json!({ "id": "b", "content": "Deploys run on Fridays", "relationships": links }),
        )?;
        ensure!(shown(&mut memory, Some("deploys"))? == ["b"]);
        let mut again = record("a", "Deploys run on Mondays", "");
        again["created_at"] = stored["created_at"].clone();
        again["stated_at"] = "2026-01-01T06:00:00.000Z".into();
        import(&mut memory, &[again])?;
        ensure!(get(&mut memory, "a")?["unconfirmed"] == true);
        ensure!(shown(&mut memory, Some("deploys"))? == ["a", "b"]);
        let decision = if accepts { "accept" } else { "reject" };
        ask(&mut memory, "review_inbox", &json!({ decision: ["a"] }))?;
        let expected = if accepts { "a" } else { "b" };
        ensure!(shown(&mut memory, Some("deploys"))? == [expected], "{decision}");
    }
    Ok(())
}
