//! Rejected changes by imports: the memory gets its state, its links and its confirmation back.

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask, transcript::ensure_same};
use limbic_tools::{CallerKind, Options};
use serde_json::{Value, json};

use super::enter;

pub(super) const TOOLSETS: [&str; 4] = ["memory", "domain", "advanced", "explorer"];

/// A memory whose caller is the command line, so that imports wait.
pub(super) fn memory() -> Result<Native> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    enter(&mut memory, CallerKind::Cli, "");
    Ok(memory)
}

/// Imports a Limbic export of these records. Returns the label of the import, "" if it has stored no memory.
pub(super) fn import(memory: &mut Native, records: &[Value]) -> Result<String> {
    import_file(memory, "/notes/notes.limbic.jsonl", records)
}

/// As [`import`], from a file of this name.
pub(super) fn import_file(memory: &mut Native, path: &str, records: &[Value]) -> Result<String> {
    let head = json!({ "record": "export", "format": "limbic", "version": 1 });
    let end = json!({ "record": "end", "records": records.len() });
    let lines: Vec<String> = [&head].into_iter().chain(records).chain([&end]).map(Value::to_string).collect();
    let mut file = (lines.join("\n") + "\n").into_bytes();
    let arguments = json!({ "source_path": path }).to_string();
    let answer = memory.limbic().call_with_file("migrate", &arguments, &[], &mut file, &mut |_, _| {});
    ensure!(!answer.is_error, "{}", answer.json);
    let answer: Value = serde_json::from_str(&answer.json)?;
    Ok(answer["origin"].as_str().unwrap_or_default().to_owned())
}

/// The record of a memory of the domain general that changed at an hour of the first day.
pub(super) fn state(id: &str, content: &str, hour: u32) -> Value {
    json!({
        "record": "memory", "id": id, "domain": "general", "content": content,
        "created_at": "2026-01-01T00:00:00.000Z", "updated_at": format!("2026-01-01T{hour:02}:00:00.000Z"),
    })
}

pub(super) fn edge(from: &str, link_type: &str, to: &str) -> Value {
    json!({ "record": "memory_edge", "from": from, "to": to, "link_type": link_type })
}

pub(super) fn get(memory: &mut Native, id: &str) -> Result<Value> {
    Ok(ask(memory, "memory_get", &json!({ "ids": [id] }))?["memories"][0].clone())
}

/// What a rejection gives back: everything but the time of the last change, the history and the logs.
pub(super) fn whole(memory: &mut Native, id: &str) -> Result<Value> {
    let mut found = ask(memory, "explore_memory", &json!({ "id": id }))?;
    for (part, field) in
        [("memory", "updated_at"), ("times", "updated_at"), ("memory", "effective_confidence")]
    {
        found[part].as_object_mut().context("an object")?.remove(field);
    }
    for part in ["history", "audit", "confidence", "vector", "sessions"] {
        found.as_object_mut().context("an object")?.remove(part);
    }
    Ok(found)
}

pub(super) fn reject(memory: &mut Native, id: &str) -> Result<Value> {
    ask(memory, "review_inbox", &json!({ "reject": [id] }))
}

/// The ids of all memories that are shown.
pub(super) fn shown(memory: &mut Native) -> Result<Vec<String>> {
    let listed = ask(memory, "memory_list", &json!({}))?;
    let listed = listed["memories"].as_array().context("no list")?;
    let mut ids: Vec<String> = listed.iter().filter_map(|it| Some(it["id"].as_str()?.to_owned())).collect();
    ids.sort();
    Ok(ids)
}

#[test]
fn all_fields_and_links_are_given_back() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    let other = json!({ "id": "b", "content": "Deploys have a garden", "user_id": "ada" });
    ask(&mut memory, "memory_store", &other)?;
    let other = json!({ "id": "c", "content": "Reviews are short", "domain": "atlas", "user_id": "ada" });
    ask(&mut memory, "memory_store", &other)?;
    let links = json!({ "supports": [{ "targetId": "b", "strength": 0.3 }, { "targetId": "c" }] });
    let stored = json!({
        "id": "a", "content": "Deploys need a review", "category": "convention", "subject": "deploys",
        "tags": ["release", "ops"], "path": "/ops", "summary": "Review", "source": "the team", "importance": 3,
        "metadata": { "ticket": 7 }, "valid_from": "2025-02-03", "event_time": "2025-02-01", "tier": "l1",
        "confidence": 0.1234567890123, "user_id": "ada", "relationships": links,
    });
    ask(&mut memory, "memory_store", &stored)?;
    let (before, before_b) = (whole(&mut memory, "a")?, whole(&mut memory, "b")?);

    let mut changed = state("a", "Deploys need no review", 6);
    changed["created_at"] = "2025-12-01T00:00:00.000Z".into();
    for (field, value) in [
        ("category", json!("decision")),
        ("subject", json!("pushes")),
        ("tags", json!(["x"])),
        ("path", json!("/other")),
        ("pinned", json!(true)),
        ("tier", json!("l0")),
        ("heat", json!("hot")),
        ("domain", json!("atlas")),
        ("access_count", json!(1000)),
        ("last_accessed", json!("2026-01-01T06:00:00.000Z")),
        ("stated_at", json!("2026-01-01T06:00:00.000Z")),
        ("metadata", json!("{\"x\":1}")),
        ("valid_from", json!("2026-01-01")),
    ] {
        changed[field] = value;
    }
    import(&mut memory, &[changed, edge("a", "contradicts", "c"), edge("b", "refines", "a")])?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Deploys need no review" && found["unconfirmed"] == true, "{found}");
    let answer = reject(&mut memory, "a")?;
    ensure_same(&answer["restored"], &json!(["a"]), &answer)?;
    ensure_same(&whole(&mut memory, "a")?, &before, "the memory")?;
    ensure_same(&whole(&mut memory, "b")?, &before_b, "the other end")?;
    // The history keeps what was rejected.
    let found = get(&mut memory, "a")?;
    let history = found["history"].as_array().context("no history")?;
    let texts: Vec<_> = history.iter().map(|earlier| &earlier["content"]).collect();
    ensure!(texts.contains(&&json!("Deploys need no review")), "{found}");
    let query = json!({ "query": "review", "user_id": "ada", "tags": ["release"] });
    let list = ask(&mut memory, "memory_recall", &query)?;
    ensure!(list["memories"].to_string().contains("need a review"), "{list}");
    let inbox = ask(&mut memory, "explore_inbox", &json!({}))?;
    ensure!(inbox["total"] == 0, "{inbox}");
    Ok(())
}

#[test]
fn a_rejected_change_that_is_imported_again_changes_nothing() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Ships on Mondays" }))?;
    let changed = state("a", "Ships on Tuesdays", 6);
    import(&mut memory, std::slice::from_ref(&changed))?;
    reject(&mut memory, "a")?;
    import(&mut memory, std::slice::from_ref(&changed))?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Mondays" && found["unconfirmed"].is_null(), "{found}");
    // A later state of the file is another change.
    import(&mut memory, &[state("a", "Ships on Fridays", 7)])?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Fridays" && found["unconfirmed"] == true, "{found}");
    Ok(())
}

#[test]
fn an_accepted_memory_is_accepted_again_when_a_change_is_rejected() -> Result<()> {
    let mut memory = memory()?;
    import(&mut memory, &[state("a", "Ships on Mondays", 1)])?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    import(&mut memory, &[state("a", "Ships on Tuesdays", 2)])?;
    reject(&mut memory, "a")?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Mondays" && found["unconfirmed"].is_null(), "{found}");
    // What is accepted is not given back any more.
    import(&mut memory, &[state("a", "Ships on Fridays", 3)])?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["restored"] == json!([]) && answer["deleted"] == json!([]), "{answer}");
    ensure!(get(&mut memory, "a")?["content"] == "Ships on Fridays");
    Ok(())
}

#[test]
fn a_rejection_leaves_no_contradiction_that_an_import_could_state_only_while_it_waited() -> Result<()> {
    for is_reference in [false, true] {
        for by_other_file in [false, true] {
            let mut memory = memory()?;
            ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
            ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Deploys need a review" }))?;
            let domain = if is_reference { "atlas" } else { "general" };
            let hidden = json!({ "id": "b", "content": "Deploys have a garden", "domain": domain });
            ask(&mut memory, "memory_store", &hidden)?;
            ask(&mut memory, "memory_store", &json!({ "content": "Deploys need a review" }))?;
            let mut records = vec![state("a", "Deploys need two reviews", 6)];
            if by_other_file {
                import(&mut memory, &records)?;
                records.clear();
            }
            records.push(edge("a", "contradicts", "b"));
            records.push(edge("a", "supports", "b"));
            import(&mut memory, &records)?;
            reject(&mut memory, "a")?;
            ask(&mut memory, "memory_update", &json!({ "id": "b", "domain": "general" }))?;
            ensure!(shown(&mut memory)? == ["a", "b"], "{is_reference} {by_other_file}");
            // A link that is stated again by hand stays.
            import(&mut memory, &[state("a", "Deploys need two reviews", 7), edge("a", "refines", "b")])?;
            ask(&mut memory, "memory_link", &json!({ "from_id": "a", "to_id": "b", "type": "refines" }))?;
            reject(&mut memory, "a")?;
            let links = whole(&mut memory, "a")?["links"].clone();
            ensure!(links.to_string().contains("refines"), "{links}");
        }
    }
    Ok(())
}

#[test]
fn a_link_between_two_waiting_memories_is_withdrawn_with_either() -> Result<()> {
    for rejected in ["a", "b"] {
        let mut memory = memory()?;
        ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Deploys need a review" }))?;
        ask(&mut memory, "memory_store", &json!({ "id": "b", "content": "Deploys have a garden" }))?;
        let changed = [state("a", "Deploys need tea", 6), state("b", "Deploys need milk", 6)];
        let links = [edge("a", "contradicts", "b"), edge("b", "supports", "a")];
        import(&mut memory, &[changed, links].concat())?;
        let accepted = if rejected == "a" { "b" } else { "a" };
        ask(&mut memory, "review_inbox", &json!({ "accept": [accepted], "reject": [rejected] }))?;
        let links = whole(&mut memory, "a")?["links"].to_string();
        ensure!(!links.contains("contradicts") && !links.contains("supports"), "{rejected}: {links}");
        ensure!(shown(&mut memory)? == ["a", "b"], "{rejected}");
    }
    Ok(())
}

#[test]
fn changes_of_an_import_are_taken_back_when_all_that_it_wrote_is_removed() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Ships on Mondays", "tags": ["x"] }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "b", "content": "Rolls back at night" }))?;
    let before = whole(&mut memory, "a")?;
    let first = import(
        &mut memory,
        &[
            state("a", "Ships on Tuesdays", 6),
            state("b", "Rolls back at noon", 6),
            state("new", "Tests run", 6),
        ],
    )?;
    import_file(&mut memory, "/notes/other.limbic.jsonl", &[state("b", "Rolls back at dawn", 7)])?;
    let plan = ask(&mut memory, "memory_maintain", &json!({ "origin": first }))?;
    ensure!(plan["totals"]["origin"] == 3, "{plan}");
    let changes: Vec<_> = plan["plan"].as_array().context("a plan")?.iter().map(|it| &it["change"]).collect();
    ensure!(changes == ["delete", "restore", "restore"], "{plan}");
    let apply = json!({ "dry_run": false, "plan_id": plan["plan_id"] });
    let done = ask(&mut memory, "memory_maintain", &apply)?;
    ensure!(done["totals"]["origin"] == 3 && done["passed_over"].is_null(), "{done}");
    ensure_same(&whole(&mut memory, "a")?, &before, "the first")?;
    ensure!(shown(&mut memory)? == ["a", "b"]);
    // The second one waits for the other import, whose rejection takes back both.
    let found = get(&mut memory, "b")?;
    ensure!(found["content"] == "Rolls back at dawn" && found["unconfirmed"] == true, "{found}");
    reject(&mut memory, "b")?;
    let found = get(&mut memory, "b")?;
    ensure!(found["content"] == "Rolls back at night" && found["unconfirmed"].is_null(), "{found}");
    let plan = ask(&mut memory, "memory_maintain", &json!({ "origin": first }))?;
    ensure!(plan["plan"] == json!([]), "{plan}");
    Ok(())
}

#[test]
fn one_user_takes_back_changes_of_no_other() -> Result<()> {
    let mut memory = memory()?;
    for (id, user) in [("a", "ada"), ("b", "ben")] {
        let stored = json!({ "id": id, "content": format!("{user} ships on Mondays"), "user_id": user });
        ask(&mut memory, "memory_store", &stored)?;
    }
    let import = import(&mut memory, &[state("a", "Ships never", 6), state("b", "Ships never, ever", 6)])?;
    let options = |user: Option<&str>| Options {
        user: user.map(str::to_owned),
        toolsets: TOOLSETS.map(str::to_owned).to_vec(),
        ..Options::default()
    };
    memory.limbic().set_access(options(Some("ada")));
    let plan = ask(&mut memory, "memory_maintain", &json!({ "origin": import }))?;
    ensure!(plan["totals"]["origin"] == 1 && !plan.to_string().contains("ever,"), "{plan}");
    ask(&mut memory, "memory_maintain", &json!({ "dry_run": false, "plan_id": plan["plan_id"] }))?;
    memory.limbic().set_access(options(None));
    ensure!(get(&mut memory, "a")?["content"] == "ada ships on Mondays");
    ensure!(get(&mut memory, "b")?["content"] == "Ships never, ever");
    Ok(())
}

#[test]
fn a_memory_that_an_import_makes_hot_waits() -> Result<()> {
    let mut memory = memory()?;
    let stored = json!({ "id": "a", "content": "Push with --force", "domain": "general" });
    let created_at = ask(&mut memory, "memory_store", &stored)?["memory"]["created_at"].clone();
    let before = whole(&mut memory, "a")?;
    let mut used = state("a", "Push with --force", 0);
    used["created_at"] = created_at.clone();
    used["updated_at"] = Value::Null;
    used["last_accessed"] = "2026-01-01T06:00:00.000Z".into();
    used["heat"] = "warm".into();
    import(&mut memory, std::slice::from_ref(&used))?;
    ensure!(get(&mut memory, "a")?["unconfirmed"].is_null(), "{used}");
    let warm = whole(&mut memory, "a")?;
    ensure!(warm["memory"]["heat"] == "warm", "{warm}");
    used["last_accessed"] = "2026-01-01T07:00:00.000Z".into();
    used["heat"] = "hot".into();
    import(&mut memory, std::slice::from_ref(&used))?;
    ensure!(get(&mut memory, "a")?["unconfirmed"] == true, "{used}");
    reject(&mut memory, "a")?;
    let after = whole(&mut memory, "a")?;
    ensure!(after["memory"]["heat"] == "warm" && after["memory"] == warm["memory"], "{after}\n{before}");
    Ok(())
}
