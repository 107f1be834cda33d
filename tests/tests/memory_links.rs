//! Dangling links of other programs, effects of links, and user isolation, where a test needs access to the file.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
    memory_file::ask,
};
use serde_json::{Value, json};

fn ids(answer: &Value) -> Vec<&str> {
    answer["nodes"].as_array().into_iter().flatten().filter_map(|node| node["id"].as_str()).collect()
}

fn sql(path: &Path, statements: &str) -> Result<()> {
    Ok(connect(path)?.execute_batch(statements)?)
}

#[test]
fn dangling_references_can_be_removed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Here" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "b", "content": "There", "domain": "atlas" }))?;
    sql(
        &path,
        "INSERT INTO DOMAIN_REFS VALUES ('a', 'general', 'atlas', 'gone', 'x', 1), ('a', 'general', 'atlas', 'b', '', 1)",
    )?;
    let walked = ask(&mut memory, "memory_traverse", &json!({ "start_id": "b", "max_depth": 5 }))?;
    assert_eq!(ids(&walked), ["b", "a"]);
    ensure!(!walked.to_string().contains("gone"), "{walked}");
    ask(&mut memory, "memory_diagram", &json!({ "start_id": "a" }))?;
    let link = json!({ "from_id": "a", "to_id": "gone", "type": "x", "remove": true });
    assert_eq!(ask(&mut memory, "memory_link", &link)?["removed"], true);
    let (is_error, answer) = memory.call("memory_link", &link.to_string())?;
    ensure!(is_error && answer.contains("memory_not_found"), "{answer}");
    Ok(())
}

#[test]
fn memories_of_other_users_are_not_traversed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::open(&folder.path().join("memory.db"))?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    for (id, user, domain) in [
        ("ada-1", "ada", "general"),
        ("bob-1", "bob", "general"),
        ("ada-2", "ada", "general"),
        ("bob-2", "bob", "atlas"),
        ("ada-3", "ada", "atlas"),
    ] {
        let stored = json!({ "id": id, "content": id, "user_id": user, "domain": domain });
        ask(&mut memory, "memory_store", &stored)?;
    }
    for (from, to) in
        [("ada-1", "bob-1"), ("bob-1", "ada-2"), ("ada-1", "bob-2"), ("bob-2", "ada-3"), ("ada-1", "ada-3")]
    {
        let link = json!({ "from_id": from, "to_id": to, "type": "knows", "bidirectional": true });
        ask(&mut memory, "memory_link", &link)?;
    }
    let all = ask(&mut memory, "memory_traverse", &json!({ "start_id": "ada-1", "max_depth": 5 }))?;
    assert_eq!(ids(&all).len(), 5);
    for detail in ["minimal", "standard", "comprehensive"] {
        let walk = json!({ "start_id": "ada-1", "max_depth": 5, "user_id": "ada", "detail": detail });
        let seen = ask(&mut memory, "memory_traverse", &walk)?;
        assert_eq!(ids(&seen), ["ada-1", "ada-3"]);
        ensure!(!seen.to_string().contains("bob"), "{seen}");
    }
    let drawn = ask(&mut memory, "memory_diagram", &json!({ "start_id": "ada-1", "user_id": "ada" }))?;
    ensure!(!drawn.to_string().contains("bob"), "{drawn}");
    ask(&mut memory, "memory_link", &json!({ "from_id": "bob-1", "to_id": "bob-2", "type": "bobs_own" }))?;
    let typed = json!({ "start_id": "ada-1", "user_id": "ada", "relation_types": ["bobs_own"] });
    let (is_error, answer) = memory.call("memory_traverse", &typed.to_string())?;
    ensure!(is_error && answer.ends_with(r#""Types of links: knows"}"#), "{answer}");
    for tool in ["memory_traverse", "memory_diagram"] {
        let (is_error, answer) =
            memory.call(tool, &json!({ "start_id": "bob-1", "user_id": "ada" }).to_string())?;
        ensure!(is_error && answer.contains("memory_not_found"), "{answer}");
    }
    Ok(())
}

#[test]
fn a_long_traversal_is_ordered_and_counts_omitted_memories() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::open(&folder.path().join("memory.db"))?;
    ask(&mut memory, "memory_store", &json!({ "id": "hub", "content": "The hub" }))?;
    let spokes: Vec<Value> = (0..300)
        .map(|index| {
            let strength = f64::from(index % 10) / 10.0;
            json!({ "id": format!("s{index}"), "content": format!("Spoke{index}"),
                "relationships": { "supports": [{ "targetId": "hub", "strength": strength }] } })
        })
        .collect();
    ask(&mut memory, "memory_store", &json!({ "memories": spokes }))?;
    let walk = json!({ "start_id": "hub", "max_nodes_per_domain": 50, "max_tokens": 100_000 });
    let seen = ask(&mut memory, "memory_traverse", &walk)?;
    let strongest: Vec<String> =
        (0..49)
            .map(|index| {
                if index < 30 {
                    format!("s{}", index * 10 + 9)
                } else {
                    format!("s{}", (index - 30) * 10 + 8)
                }
            })
            .collect();
    assert_eq!(ids(&seen)[1..], strongest);
    assert_eq!(seen["omitted"], json!([{ "domain": "general", "over_cap": 251, "over_tokens": 0 }]));
    assert_eq!(seen, ask(&mut memory, "memory_traverse", &walk)?);
    let small = json!({ "start_id": "hub", "max_nodes_per_domain": 300, "max_tokens": 1000 });
    let seen = ask(&mut memory, "memory_traverse", &small)?;
    let shown = ids(&seen).len();
    assert_eq!(seen["omitted"], json!([{ "domain": "general", "over_cap": 1, "over_tokens": 300 - shown }]));
    ensure!(
        seen.to_string().len() < 5000 && shown > 5,
        "{shown} memories in {} bytes",
        seen.to_string().len()
    );
    Ok(())
}

/// Whether a memory is valid, and its successor.
fn state(memory: &mut Native, id: &str) -> Result<(bool, Value)> {
    let found = ask(memory, "memory_get", &json!({ "ids": [id] }))?["memories"][0].clone();
    Ok((found.get("valid_until").is_none(), found["superseded_by"].clone()))
}

#[test]
fn removing_supersedes_reverts_only_its_effect() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    for id in ["first", "second", "old", "told", "ended", "unlike"] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": id }))?;
    }
    let link = |from: &str, to: &str, link_type: &str, remove: bool| json!({ "from_id": from, "to_id": to, "type": link_type, "remove": remove });
    // Of two successors, the remaining one still supersedes it.
    for successor in ["first", "second"] {
        ask(&mut memory, "memory_link", &link(successor, "old", "supersedes", false))?;
    }
    ask(&mut memory, "memory_link", &link("first", "old", "supersedes", true))?;
    assert_eq!(state(&mut memory, "old")?, (false, json!("second")));
    ask(&mut memory, "memory_link", &link("second", "old", "supports", false))?;
    ask(&mut memory, "memory_link", &link("second", "old", "supports", true))?;
    assert_eq!(state(&mut memory, "old")?, (false, json!("second")));
    ask(&mut memory, "memory_link", &link("second", "old", "supersedes", true))?;
    assert_eq!(state(&mut memory, "old")?, (true, Value::Null));
    // Also if the named successor was forgotten.
    for successor in ["first", "second"] {
        ask(&mut memory, "memory_link", &link(successor, "old", "supersedes", false))?;
    }
    ask(&mut memory, "memory_forget", &json!({ "id": "first" }))?;
    assert_eq!(state(&mut memory, "old")?, (false, json!("second")));
    ask(&mut memory, "memory_link", &link("second", "old", "supersedes", true))?;
    assert_eq!(state(&mut memory, "old")?, (true, Value::Null));
    // A memory that would end later ends now.
    sql(&path, "UPDATE MEMORY_NODES SET valid_until = '2999-01-01' WHERE id = 'old'")?;
    ask(&mut memory, "memory_link", &link("second", "old", "supersedes", false))?;
    assert_eq!(state(&mut memory, "old")?.1, "second");
    let current = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(!current.to_string().contains("What old says"), "{current}");
    // An invalidated memory stays invalid, with a reason or without.
    ask(&mut memory, "memory_invalidate", &json!({ "id": "told", "reason": "The office has moved" }))?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "ended" }))?;
    for id in ["told", "ended"] {
        ask(&mut memory, "memory_link", &link("second", id, "supersedes", false))?;
        ask(&mut memory, "memory_link", &link("second", id, "supersedes", true))?;
        assert_eq!(state(&mut memory, id)?, (false, Value::Null), "{id}");
    }
    // What maintenance recorded of a contradiction is removed with it.
    ask(&mut memory, "memory_link", &link("unlike", "second", "contradicts", false))?;
    let plan = ask(&mut memory, "memory_maintain", &json!({ "actions": ["contradictions"] }))?;
    ask(&mut memory, "memory_maintain", &json!({ "plan_id": plan["plan_id"], "dry_run": false }))?;
    assert_eq!(state(&mut memory, "second")?.1, "unlike");
    ask(&mut memory, "memory_link", &link("unlike", "second", "contradicts", true))?;
    assert_eq!(state(&mut memory, "second")?.1, Value::Null);
    Ok(())
}

#[test]
fn repeated_links_keep_the_time_of_their_effect() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    ask(&mut memory, "memory_store", &json!({ "id": "old", "content": "What was said" }))?;
    let links = json!({ "supersedes": [{ "targetId": "old" }] });
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "new", "content": "What is so", "relationships": links }),
    )?;
    let ended = |memory: &mut Native| -> Result<Value> {
        Ok(ask(memory, "memory_get", &json!({ "ids": ["old"] }))?["memories"][0]["valid_until"].clone())
    };
    let before = ended(&mut memory)?;
    ask(&mut memory, "memory_update", &json!({ "id": "new", "relationships": links }))?;
    ensure!(before.is_string() && ended(&mut memory)? == before, "{before}");
    ask(&mut memory, "memory_update", &json!({ "id": "new", "relationships": {} }))?;
    ensure!(ended(&mut memory)?.is_null());
    Ok(())
}

#[test]
fn a_domain_moves_with_links_to_other_domains() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::open(&folder.path().join("memory.db"))?;
    ask(&mut memory, "create_domain", &json!({ "id": "away" }))?;
    for (id, domain) in [("a", "general"), ("b", "general"), ("c", "away"), ("d", "away")] {
        let stored =
            json!({ "id": id, "content": format!("What {id} says"), "domain": domain, "source": id });
        ask(&mut memory, "memory_store", &stored)?;
    }
    for (from, to) in [("a", "b"), ("c", "d"), ("a", "c")] {
        ask(&mut memory, "memory_link", &json!({ "from_id": from, "to_id": to, "type": "supports" }))?;
    }
    ask(&mut memory, "delete_domain", &json!({ "id": "away", "move_to": "general" }))?;
    let moved = ask(&mut memory, "memory_get", &json!({ "ids": ["a"] }))?;
    assert_eq!(moved["memories"][0]["edges"].as_array().map(Vec::len), Some(2), "{moved}");
    Ok(())
}

#[test]
fn users_cannot_change_memories_of_others() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::open(&folder.path().join("memory.db"))?;
    for (id, user) in [("ada-1", "ada"), ("ada-2", "ada"), ("bob-1", "bob")] {
        let stored = json!({ "id": id, "content": format!("What {id} says"), "user_id": user });
        ask(&mut memory, "memory_store", &stored)?;
    }
    ask(&mut memory, "memory_store", &json!({ "id": "free", "content": "Nobody's" }))?;
    let before = ask(&mut memory, "memory_list", &json!({ "user_id": "ada" }))?;
    for (tool, mut arguments) in [
        ("memory_update", json!({ "id": "ada-1", "content": "Bob was here" })),
        ("memory_forget", json!({ "id": "ada-1" })),
        ("memory_invalidate", json!({ "id": "ada-1" })),
        ("memory_invalidate", json!({ "id": "bob-1", "superseded_by": "ada-1" })),
        ("memory_link", json!({ "from_id": "bob-1", "to_id": "ada-1", "type": "supersedes" })),
        ("memory_link", json!({ "from_id": "ada-1", "to_id": "bob-1", "type": "supersedes" })),
        (
            "memory_store",
            json!({ "content": "More", "relationships": { "knows": [{ "targetId": "ada-1" }] } }),
        ),
        ("memory_update", json!({ "id": "bob-1", "relationships": { "knows": [{ "targetId": "ada-1" }] } })),
    ] {
        arguments["user_id"] = "bob".into();
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(is_error && answer.contains("Memory not found: ada-1"), "{tool} {arguments}: {answer}");
    }
    // A call without a user may link both, which neither ends nor moves another user's memory.
    let link = json!({ "from_id": "bob-1", "to_id": "ada-1", "type": "supersedes" });
    ask(&mut memory, "memory_link", &link)?;
    assert_eq!(ask(&mut memory, "memory_list", &json!({ "user_id": "ada" }))?, before);
    let gone = ask(&mut memory, "memory_forget", &json!({ "id": "bob-1", "cascade": true }))?;
    assert_eq!(gone["deleted"], json!(["bob-1"]));
    // A memory without an owner can be adopted, and one whose owner was removed.
    ask(&mut memory, "memory_update", &json!({ "id": "free", "user_id": "bob" }))?;
    ask(&mut memory, "memory_update", &json!({ "id": "ada-2", "user_id": "" }))?;
    ask(&mut memory, "memory_update", &json!({ "id": "ada-2", "user_id": "bob" }))?;
    Ok(())
}

#[test]
fn a_link_between_duplicates_of_one_batch_is_dropped() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let to = |id: &str| json!({ "refines": [{ "targetId": id }] });
    let batch = json!({ "memories": [
        { "id": "one", "content": "The office is in Lisbon", "relationships": to("two") },
        { "id": "two", "content": "The office is in Lisbon", "relationships": to("three") },
        { "id": "three", "content": "It has a roof garden" },
        { "id": "four", "content": "It has a roof garden", "relationships": to("three") },
    ] });
    let stored = ask(&mut memory, "memory_store", &batch)?;
    assert_eq!(stored["memories"][1], json!({ "id": "one", "merged_into": "one" }));
    assert_eq!(stored["memories"][3], json!({ "id": "three", "merged_into": "three" }));
    let walked = ask(&mut memory, "memory_traverse", &json!({ "start_id": "one" }))?;
    assert_eq!(ids(&walked), ["one", "three"]);
    // A link to the memory's own id is an error.
    let own = json!({ "memories": [{ "id": "own", "content": "Alone", "relationships": to("own") }] });
    let (is_error, answer) = memory.call("memory_store", &own.to_string())?;
    ensure!(is_error && answer.contains("invalid_argument"), "{answer}");
    Ok(())
}

#[test]
fn near_duplicates_survive_a_cascading_delete() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    for id in ["one", "two", "hanging", "twin"] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": id }))?;
    }
    for id in ["hanging", "twin"] {
        ask(&mut memory, "memory_link", &json!({ "from_id": id, "to_id": "one", "type": "refines" }))?;
    }
    sql(
        &path,
        "INSERT INTO MEMORY_EDGES VALUES
            ('two-one-near_duplicate', 'two', 'one', 'near_duplicate', 0.99, '2026-01-01T00:00:00.000Z', 'general'),
            ('twin-hanging-near_duplicate', 'twin', 'hanging', 'near_duplicate', 0.99, '2026-01-01T00:00:00.000Z',
             'general')",
    )?;
    let gone = ask(&mut memory, "memory_forget", &json!({ "id": "one", "cascade": true }))?;
    assert_eq!(gone["deleted"], json!(["one", "hanging", "twin"]));
    Ok(())
}

#[test]
fn a_link_in_both_directions_stays_one_when_its_memories_come_into_one_domain() -> Result<()> {
    let mut memory = Native::in_memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "work", "name": "Work" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Here" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "b", "content": "There", "domain": "work" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "c", "content": "Elsewhere", "domain": "work" }))?;
    let link =
        |to: &str, both: bool| json!({ "from_id": "a", "to_id": to, "type": "knows", "bidirectional": both });
    ask(&mut memory, "memory_link", &link("b", true))?;
    ask(&mut memory, "memory_link", &link("c", false))?;
    for id in ["b", "c"] {
        ask(&mut memory, "memory_update", &json!({ "id": id, "domain": "general" }))?;
    }
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"] }))?;
    let edges = found["memories"][0]["edges"].as_array().context("edges")?;
    let mut links: Vec<_> =
        edges.iter().map(|edge| format!("{} to {}", edge["source"], edge["target"])).collect();
    links.sort();
    assert_eq!(links, [r#""a" to "b""#, r#""a" to "c""#, r#""b" to "a""#]);
    Ok(())
}
