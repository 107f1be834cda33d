//! Links that other programs leave behind, and the wall between users, where only a file can show it.

use std::path::Path;

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
};
use serde_json::{Value, json};

fn ask(memory: &mut Native, tool: &str, arguments: &Value) -> Result<Value> {
    let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
    ensure!(!is_error, "{tool}: {answer}");
    Ok(serde_json::from_str(&answer)?)
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["nodes"].as_array().into_iter().flatten().filter_map(|node| node["id"].as_str()).collect()
}

fn sql(path: &Path, statements: &str) -> Result<()> {
    Ok(connect(path)?.execute_batch(statements)?)
}

#[test]
fn references_to_what_is_gone_do_no_harm_and_can_be_taken_away() -> Result<()> {
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
fn nobody_is_seen_or_walked_through_behind_the_wall() -> Result<()> {
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
        let stored =
            json!({ "id": id, "content": format!("What {id} says"), "user_id": user, "domain": domain });
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
fn a_walk_through_many_memories_keeps_its_order_and_counts_what_it_leaves_out() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::open(&folder.path().join("memory.db"))?;
    ask(&mut memory, "memory_store", &json!({ "id": "hub", "content": "The hub" }))?;
    let spokes: Vec<Value> = (0..300)
        .map(|place| {
            let strength = f64::from(place % 10) / 10.0;
            json!({ "id": format!("s{place}"), "content": format!("Spoke {place}"),
                "relationships": { "supports": [{ "targetId": "hub", "strength": strength }] } })
        })
        .collect();
    ask(&mut memory, "memory_store", &json!({ "memories": spokes }))?;
    let walk = json!({ "start_id": "hub", "max_nodes_per_domain": 50, "max_tokens": 100_000 });
    let seen = ask(&mut memory, "memory_traverse", &walk)?;
    let strongest: Vec<String> =
        (0..49)
            .map(|place| {
                if place < 30 {
                    format!("s{}", place * 10 + 9)
                } else {
                    format!("s{}", (place - 30) * 10 + 8)
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
