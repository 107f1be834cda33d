//! Links that wait: all that one origin has made go with it, and both halves of a bidirectional one.

use anyhow::{Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask, transcript::ensure_same};
use limbic_tools::{Caller, CallerKind, SessionId};
use serde_json::{Value, json};

use super::{
    enter,
    imports::{get, import_file, memory, reject, shown, state, whole},
};

fn enter_as(memory: &mut Native, client: &str, project: &str) {
    let caller = Caller {
        kind: CallerKind::Client,
        client: client.to_owned(),
        project: project.to_owned(),
        ..Caller::default()
    };
    memory.limbic().introduce(&SessionId::default(), caller);
}

/// Removes what an origin has written. Returns the changes of memories with their reasons.
fn remove(memory: &mut Native, origin: &str) -> Result<Vec<(String, String)>> {
    enter(memory, CallerKind::Explorer, "");
    let plan = ask(memory, "memory_maintain", &json!({ "origin": origin }))?;
    let applied = ask(memory, "memory_maintain", &json!({ "dry_run": false, "plan_id": plan["plan_id"] }))?;
    ensure!(applied["passed_over"].as_array().is_none_or(Vec::is_empty), "{applied}");
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    let lines = plan["plan"].as_array().cloned().unwrap_or_default();
    Ok(lines.iter().map(|line| (text(line, "id"), text(line, "reason"))).collect())
}

fn store(memory: &mut Native, id: &str, content: &str) -> Result<()> {
    let stored = json!({ "id": id, "content": content, "domain": "general", "tier": "l0" });
    ask(memory, "memory_store", &stored).map(drop)
}

fn link(memory: &mut Native, from: &str, link_type: &str, to: &str) -> Result<()> {
    let link = json!({ "from_id": from, "to_id": to, "type": link_type });
    ask(memory, "memory_link", &link).map(drop)
}

fn links_of(memory: &mut Native, id: &str) -> Result<String> {
    let found = whole(memory, id)?;
    let count = |field: &str| found[field].as_array().map_or(0, Vec::len);
    Ok(match count("links") + count("references") {
        0 => String::new(),
        _ => format!("{} {}", found["links"], found["references"]),
    })
}

#[test]
fn links_of_the_first_origin_go_with_its_memory_that_another_one_changed() -> Result<()> {
    for is_changed in [false, true] {
        let mut memory = memory()?;
        store(&mut memory, "b", "Deploys have a garden")?;
        enter_as(&mut memory, "one", "atlas");
        store(&mut memory, "a", "Tea is at five")?;
        link(&mut memory, "a", "supersedes", "b")?;
        if is_changed {
            enter_as(&mut memory, "two", "argus");
            ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at six" }))?;
        }
        remove(&mut memory, "client:one")?;
        ensure!(shown(&mut memory)? == ["b"], "{is_changed}: {:?}", shown(&mut memory)?);
    }
    Ok(())
}

#[test]
fn links_that_another_client_makes_from_a_memory_that_waits_go_with_that_client() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("a", "Tea is at five"), ("b", "Deploys have a garden"), ("c", "It rains")] {
        store(&mut memory, id, content)?;
    }
    enter_as(&mut memory, "one", "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at six" }))?;
    link(&mut memory, "a", "supports", "c")?;
    enter_as(&mut memory, "two", "atlas");
    link(&mut memory, "a", "supersedes", "b")?;
    ensure!(shown(&mut memory)? == ["a", "c"]);
    let removed = remove(&mut memory, "client:two")?;
    ensure!(removed == [("a".to_owned(), "Linked by client:two".to_owned())], "{removed:?}");
    ensure!(shown(&mut memory)? == ["a", "b", "c"], "{:?}", shown(&mut memory)?);
    let kept = get(&mut memory, "a")?;
    ensure!(kept["content"] == "Tea is at six" && kept["unconfirmed"] == true, "{kept}");
    let links = links_of(&mut memory, "a")?;
    ensure!(links.contains("rains") && !links.contains("garden"), "{links}");
    Ok(())
}

#[test]
fn links_of_an_import_go_with_it_though_another_import_changed_their_memory() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("a", "Tea is at five"), ("b", "Deploys have a garden")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": "general" }))?;
    }
    import_file(&mut memory, "/notes/first.limbic.jsonl", &[state("a", "Tea is at six", 6)])?;
    let second = import_file(
        &mut memory,
        "/notes/second.limbic.jsonl",
        &[state("c", "It rains", 6), super::imports::edge("a", "supports", "b")],
    )?;
    ensure!(links_of(&mut memory, "b")?.contains("supports"));
    remove(&mut memory, &second)?;
    let links = links_of(&mut memory, "b")?;
    ensure!(links.is_empty() && shown(&mut memory)? == ["a", "b"], "{links}");
    let audit = ask(&mut memory, "explore_memory", &json!({ "id": "a" }))?["audit"].to_string();
    ensure!(audit.contains("\"unlink\""), "{audit}");
    Ok(())
}

#[test]
fn both_halves_of_a_link_are_withdrawn_with_either_end() -> Result<()> {
    // The client that links, and the memories that it links; `a` waits for the client one, `b` for two.
    for (client, to) in [("one", "b"), ("two", "b"), ("two", "c"), ("three", "b"), ("three", "c")] {
        for rejected in ["a", "b"] {
            if to == "c" && rejected == "b" {
                continue;
            }
            let mut memory = memory()?;
            for (id, content) in [("a", "Tea is at five"), ("b", "Deploys have a garden"), ("c", "It rains")]
            {
                store(&mut memory, id, content)?;
            }
            for (client, id) in [("one", "a"), ("two", "b")] {
                enter_as(&mut memory, client, "atlas");
                let content = format!("Changed by {client}");
                ask(&mut memory, "memory_update", &json!({ "id": id, "content": content }))?;
            }
            enter_as(&mut memory, client, "atlas");
            let link = json!({ "from_id": "a", "to_id": to, "type": "supports", "bidirectional": true });
            ask(&mut memory, "memory_link", &link)?;
            let links = links_of(&mut memory, "a")?;
            ensure!(links.matches(r#""type":"supports""#).count() == 2, "{client} {to}: {links}");
            enter(&mut memory, CallerKind::Explorer, "");
            reject(&mut memory, rejected)?;
            let links = links_of(&mut memory, "a")?;
            ensure!(links.is_empty(), "{client} {to} {rejected}: {links}");
        }
    }
    Ok(())
}

#[test]
fn the_half_of_a_link_that_was_there_before_stays() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("a", "Tea is at five"), ("c", "It rains")] {
        store(&mut memory, id, content)?;
    }
    link(&mut memory, "c", "supports", "a")?;
    let before = links_of(&mut memory, "c")?;
    enter_as(&mut memory, "one", "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at six" }))?;
    enter_as(&mut memory, "two", "atlas");
    let link = json!({ "from_id": "a", "to_id": "c", "type": "supports", "bidirectional": true });
    ask(&mut memory, "memory_link", &link)?;
    enter(&mut memory, CallerKind::Explorer, "");
    reject(&mut memory, "a")?;
    let after = links_of(&mut memory, "c")?;
    ensure!(!after.is_empty() && after == before, "{before}\n{after}");
    Ok(())
}

#[test]
fn a_link_that_was_withdrawn_does_not_come_back_with_its_other_end() -> Result<()> {
    for (link_type, domain, bidirectional) in [
        ("contradicts", "general", false),
        ("supersedes", "general", false),
        ("supports", "general", true),
        ("contradicts", "argus", false),
    ] {
        let mut memory = memory()?;
        ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
        store(&mut memory, "a", "Tea is at five")?;
        let other = json!({ "id": "b", "content": "Deploys have a garden", "domain": domain, "tier": "l0" });
        ask(&mut memory, "memory_store", &other)?;
        let before = whole(&mut memory, "b")?;
        enter_as(&mut memory, "one", "atlas");
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at six" }))?;
        let link = json!({ "from_id": "a", "to_id": "b", "type": link_type, "bidirectional": bidirectional });
        ask(&mut memory, "memory_link", &link)?;
        enter_as(&mut memory, "two", "atlas");
        ask(&mut memory, "memory_update", &json!({ "id": "b", "pinned": true }))?;
        ensure!(!links_of(&mut memory, "b")?.is_empty(), "{link_type} {domain}");
        remove(&mut memory, "client:one")?;
        let links = links_of(&mut memory, "b")?;
        ensure!(links.is_empty(), "{link_type} {domain}: {links}");
        reject(&mut memory, "b")?;
        ensure_same(&whole(&mut memory, "b")?, &before, link_type)?;
    }
    Ok(())
}

#[test]
fn a_link_that_was_withdrawn_does_not_come_back_with_its_memory() -> Result<()> {
    for link_type in ["supports", "supersedes"] {
        let mut memory = memory()?;
        store(&mut memory, "a", "Tea is at five")?;
        store(&mut memory, "b", "Deploys have a garden")?;
        enter_as(&mut memory, "two", "atlas");
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at six" }))?;
        enter_as(&mut memory, "one", "atlas");
        link(&mut memory, "a", link_type, "b")?;
        enter_as(&mut memory, "three", "argus");
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Tea is at seven" }))?;
        ensure!(!links_of(&mut memory, "a")?.is_empty(), "{link_type}");
        remove(&mut memory, "client:one")?;
        ensure!(links_of(&mut memory, "a")?.is_empty(), "{link_type}");
        reject(&mut memory, "a")?;
        let links = links_of(&mut memory, "a")?;
        ensure!(links.is_empty() && shown(&mut memory)? == ["a", "b"], "{link_type}: {links}");
        ensure!(get(&mut memory, "a")?["content"] == "Tea is at six");
    }
    Ok(())
}

#[test]
fn a_link_of_before_comes_back_though_it_was_made_again_by_a_change_that_is_rejected() -> Result<()> {
    let mut memory = memory()?;
    store(&mut memory, "a", "Tea is at five")?;
    store(&mut memory, "b", "Deploys have a garden")?;
    link(&mut memory, "a", "supports", "b")?;
    let before = links_of(&mut memory, "a")?;
    enter_as(&mut memory, "one", "atlas");
    let relationships = json!({ "refines": [{ "targetId": "b" }] });
    let changed = json!({ "id": "a", "content": "Tea is at six", "relationships": relationships });
    ask(&mut memory, "memory_update", &changed)?;
    ensure!(!links_of(&mut memory, "a")?.contains("supports"));
    link(&mut memory, "a", "supports", "b")?;
    enter(&mut memory, CallerKind::Explorer, "");
    reject(&mut memory, "a")?;
    let after = links_of(&mut memory, "a")?;
    ensure!(after == before, "{before}\n{after}");
    Ok(())
}
