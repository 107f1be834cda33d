//! Links that wait with a change: which are withdrawn with it, and links to code.

use anyhow::{Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
    transcript::ensure_same,
};
use limbic_tools::{CallerKind, Options};
use serde_json::{Value, json};

use super::{
    enter,
    imports::{TOOLSETS, get, import, memory, reject, shown, state, whole},
};

fn open(file: &MemoryFile) -> Result<Native> {
    let toolsets = TOOLSETS.map(str::to_owned).to_vec();
    let mut memory = file.open(0, Options { toolsets, ..Options::default() })?;
    enter(&mut memory, CallerKind::Cli, "");
    Ok(memory)
}

#[test]
fn a_link_to_code_that_has_changed_is_given_back_as_changed() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = open(&file)?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
    drop(memory);
    connect(&file.path)?.execute_batch(
        "INSERT INTO memory_symbols (memory_id, project_id, file_path, qualified_name, shape_hash, is_unique, given)
         VALUES ('a', 'p', 'x.rs', 'one', 0x1003, 0, 1), ('a', 'p', 'x.rs', 'two', 0x1003, 0, 1);",
    )?;
    let mut memory = open(&file)?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "One" }))?;
    drop(memory);
    // As if the change had linked both again, the second one after another release had formed the shapes anew.
    connect(&file.path)?.execute_batch(
        "UPDATE memory_symbols SET shape_hash = 0x2003, is_unique = 1 WHERE qualified_name = 'one';
         UPDATE memory_symbols SET shape_hash = 0x2004, is_unique = 1 WHERE qualified_name = 'two';",
    )?;
    let mut memory = open(&file)?;
    reject(&mut memory, "a")?;
    drop(memory);
    for (name, expected) in [("one", 0x1003_i64 * 2), ("two", 0x2004_i64 * 2 + 1)] {
        let query =
            format!("SELECT shape_hash * 2 + is_unique FROM memory_symbols WHERE qualified_name = '{name}'");
        ensure!(file.one::<i64>(&query)? == expected, "{name}");
    }
    Ok(())
}

#[test]
fn links_that_a_client_states_twice_or_adds_later_are_withdrawn() -> Result<()> {
    for domain in ["general", "argus"] {
        for has_import in [false, true] {
            let mut memory = memory()?;
            ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
            ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
            for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is at five"), ("d", "It rains")]
            {
                let stored = json!({ "id": id, "content": content, "domain": domain });
                ask(&mut memory, "memory_store", &stored)?;
            }
            if has_import {
                import(&mut memory, &[state("a", "Half", 6)])?;
            }
            let before = whole(&mut memory, "a")?["links"].clone();
            enter(&mut memory, CallerKind::Client, "atlas");
            let links = |ids: &[&str]| -> Value {
                let links: Vec<_> = ids.iter().map(|id| json!({ "targetId": id })).collect();
                json!({ "supports": links })
            };
            let mut change =
                json!({ "id": "a", "content": "One", "tier": "l0", "relationships": links(&["b", "d"]) });
            ask(&mut memory, "memory_update", &change)?;
            change = json!({ "id": "a", "relationships": links(&["b", "c", "d"]) });
            ask(&mut memory, "memory_update", &change)?;
            // What a person states again stays.
            enter(&mut memory, CallerKind::Explorer, "");
            let link = json!({ "from_id": "a", "to_id": "d", "type": "supports", "description": "supports" });
            ask(&mut memory, "memory_link", &link)?;
            reject(&mut memory, "a")?;
            let found = whole(&mut memory, "a")?;
            ensure!(found["memory"]["content"] == "Zero", "{found}");
            let links = found["links"].to_string() + &found["references"].to_string();
            for gone in ["garden", "Tea"] {
                ensure!(!links.contains(gone), "{domain} {has_import}: {links}, {before}");
            }
            ensure!(links.contains("rains") || links.contains("\"d\""), "{domain} {has_import}: {found}");
        }
    }
    Ok(())
}

#[test]
fn a_reference_that_a_person_describes_stays() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = open(&file)?;
    ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero" }))?;
    for (id, content) in [("b", "Tea is at five"), ("c", "It rains")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": "argus" }))?;
    }
    let reference = |to: &str| {
        json!({ "record": "memory_reference", "from": "a", "domain": "general", "to": to,
            "target_domain": "argus", "description": "as of May", "bidirectional": true })
    };
    import(&mut memory, &[state("a", "One", 6), reference("b"), reference("c")])?;
    drop(memory);
    ensure!(file.one::<i64>("SELECT count(*) FROM waiting_links")? == 2);
    let mut memory = open(&file)?;
    let link = json!({ "from_id": "a", "to_id": "b", "type": "related", "description": "as of June" });
    ask(&mut memory, "memory_link", &link)?;
    reject(&mut memory, "a")?;
    drop(memory);
    ensure!(file.one::<String>("SELECT group_concat(description) FROM DOMAIN_REFS")? == "as of June");
    ensure!(file.one::<i64>("SELECT count(*) FROM waiting_links")? == 0);
    Ok(())
}

/// How a client states a link from the waiting memory `a` to `b`, which that ends.
fn ways_to_end() -> [(&'static str, Value); 4] {
    let link = json!({ "supersedes": [{ "targetId": "b" }] });
    [
        ("memory_link", json!({ "from_id": "a", "to_id": "b", "type": "supersedes" })),
        ("memory_invalidate", json!({ "id": "b", "superseded_by": "a" })),
        ("memory_store", json!({ "content": "One", "domain": "general", "relationships": link })),
        ("memory_update", json!({ "id": "a", "relationships": link })),
    ]
}

/// A memory in which a client has changed the memory `a`, or has brought it, so that it waits.
fn waiting(is_new: bool) -> Result<Native> {
    let mut memory = memory()?;
    for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is at five"), ("d", "It rains")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": "general" }))?;
    }
    let stored = json!({ "id": "a", "content": "Zero", "domain": "general", "tier": "l0" });
    if !is_new {
        ask(&mut memory, "memory_store", &stored)?;
    }
    enter(&mut memory, CallerKind::Client, "atlas");
    match is_new {
        true => ask(&mut memory, "memory_store", &{
            let mut new = stored;
            new["content"] = "One".into();
            new
        })?,
        false => ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "One" }))?,
    };
    ensure!(get(&mut memory, "a")?["unconfirmed"] == true, "{}", get(&mut memory, "a")?);
    Ok(memory)
}

#[test]
fn what_a_client_ends_by_a_memory_that_waits_holds_again_after_the_rejection() -> Result<()> {
    for is_new in [false, true] {
        for (tool, call) in ways_to_end() {
            let mut memory = waiting(is_new)?;
            ask(&mut memory, tool, &call)?;
            ensure!(shown(&mut memory)? == ["a", "c", "d"], "{tool} {is_new}");
            enter(&mut memory, CallerKind::Explorer, "");
            reject(&mut memory, "a")?;
            let expected: &[&str] = if is_new { &["b", "c", "d"] } else { &["a", "b", "c", "d"] };
            ensure!(shown(&mut memory)? == expected, "{tool} {is_new}: {:?}", shown(&mut memory)?);
        }
    }
    Ok(())
}

#[test]
fn a_link_that_a_client_makes_while_its_memory_waits_is_withdrawn() -> Result<()> {
    for domain in ["general", "argus"] {
        let mut memory = memory()?;
        ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
        ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
        for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is at five"), ("d", "It rains")] {
            ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": domain }))?;
        }
        let before = whole(&mut memory, "a")?;
        enter(&mut memory, CallerKind::Client, "atlas");
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "One" }))?;
        for (from, to, is_bidirectional) in [("a", "b", true), ("c", "a", false), ("a", "d", false)] {
            let link = json!({ "from_id": from, "to_id": to, "type": "supports",
                "bidirectional": is_bidirectional });
            ask(&mut memory, "memory_link", &link)?;
        }
        // What a person states again stays.
        enter(&mut memory, CallerKind::Explorer, "");
        let link = json!({ "from_id": "a", "to_id": "d", "type": "supports" });
        ask(&mut memory, "memory_link", &link)?;
        reject(&mut memory, "a")?;
        let after = whole(&mut memory, "a")?;
        let links = after["links"].to_string() + &after["references"].to_string();
        ensure!(links.contains("rains") || links.contains("\"d\""), "{domain}: {links}");
        ask(
            &mut memory,
            "memory_link",
            &json!({ "from_id": "a", "to_id": "d", "type": "supports",
            "remove": true }),
        )?;
        ensure_same(&whole(&mut memory, "a")?, &before, domain)?;
    }
    Ok(())
}

#[test]
fn links_of_a_client_are_withdrawn_when_what_it_wrote_is_removed() -> Result<()> {
    for is_new in [false, true] {
        let mut memory = waiting(is_new)?;
        for (from, to, link_type) in [("a", "b", "supersedes"), ("c", "a", "supports")] {
            ask(&mut memory, "memory_link", &json!({ "from_id": from, "to_id": to, "type": link_type }))?;
        }
        enter(&mut memory, CallerKind::Explorer, "");
        let plan = ask(&mut memory, "memory_maintain", &json!({ "origin": "client:other" }))?;
        ensure!(plan["totals"]["origin"] == 1, "{plan}");
        ask(&mut memory, "memory_maintain", &json!({ "dry_run": false, "plan_id": plan["plan_id"] }))?;
        let expected: &[&str] = if is_new { &["b", "c", "d"] } else { &["a", "b", "c", "d"] };
        ensure!(shown(&mut memory)? == expected, "{is_new}: {:?}", shown(&mut memory)?);
        if !is_new {
            let links = whole(&mut memory, "a")?["links"].clone();
            ensure!(links.as_array().is_none_or(Vec::is_empty), "{links}");
        }
    }
    Ok(())
}

#[test]
fn links_of_others_and_of_accepted_memories_stay() -> Result<()> {
    let mut memory = waiting(false)?;
    ask(&mut memory, "memory_link", &json!({ "from_id": "a", "to_id": "b", "type": "supports" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    ask(&mut memory, "memory_link", &json!({ "from_id": "c", "to_id": "a", "type": "supports" }))?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Two" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    reject(&mut memory, "a")?;
    let links = whole(&mut memory, "a")?["links"].to_string();
    ensure!(links.contains("garden") && links.contains("Tea"), "{links}");
    Ok(())
}

#[test]
fn what_had_ended_before_a_client_names_a_successor_stays_ended() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is at five")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": "general" }))?;
    }
    ask(&mut memory, "memory_invalidate", &json!({ "id": "b" }))?;
    enter(&mut memory, CallerKind::Client, "atlas");
    let new = json!({ "id": "a", "content": "One", "domain": "general", "tier": "l0" });
    ask(&mut memory, "memory_store", &new)?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "b", "superseded_by": "a" }))?;
    reject(&mut memory, "a")?;
    ensure!(get(&mut memory, "b")?["valid_until"].is_string(), "{}", get(&mut memory, "b")?);
    Ok(())
}
