//! Which memories a new one is compared with, and vectors that compare with nothing.

use anyhow::{Result, ensure};
use limbic_protocol::Encoding;
use limbic_tests::{memory::Native, memory_file::ask};
use serde_json::{Value, json};

use super::{drain_with, ids, store, vector_beside};

const RULE: &str = "Do not deploy on Fridays";
const CHANGE: &str = "Deploy on Fridays";

/// Stores the rule, 70 nearer memories with these fields and a number, and the change. Returns
/// whether the rule is linked with the change as a possible contradiction.
fn is_linked_beside(others: impl Fn(usize) -> Value) -> Result<bool> {
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    let own = |id: &str, content: &str| json!({ "id": id, "content": content, "subject": "ops" });
    ask(&mut memory, "memory_store", &own("rule", RULE))?;
    drain_with(&mut memory, &vector_beside(1, 0.9)?)?;
    for number in 0..70 {
        let mut other = others(number);
        other["content"] = format!("{CHANGE}, as team {number} says").into();
        store(&mut memory, 1, &other)?;
    }
    store(&mut memory, 1, &own("change", CHANGE))?;
    let known = ask(&mut memory, "memory_get", &json!({ "ids": ["rule"] }))?;
    Ok(known["memories"][0]["edges"].to_string().contains("possible_contradiction"))
}

#[test]
fn memories_of_others_take_no_place_among_the_nearest() -> Result<()> {
    let of_user = |number: usize| json!({ "subject": "ops", "user_id": format!("user-{}", number % 9) });
    let of_subject = |number: usize| json!({ "subject": format!("team-{}", number % 9) });
    ensure!(is_linked_beside(of_user)?, "other users' memories hide the rule");
    ensure!(is_linked_beside(of_subject)?, "memories with other subjects hide the rule");
    Ok(())
}

#[test]
fn vectors_that_are_not_finite_are_refused() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory, 1, &json!({ "id": "good", "content": "Deploy on Fridays" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "bad", "content": "The ferry leaves at noon" }))?;
    memory.drain_changed(|vector| vector[0] = f32::NAN)?;
    let status = ask(&mut memory, "memory_recall", &json!({ "query": "Deploy on Fridays", "touch": false }))?;
    ensure!(ids(&status).first() == Some(&"good"), "{status}");
    // The text waits for another attempt, and is found by its words.
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "ferry noon", "touch": false }))?;
    ensure!(ids(&found).first() == Some(&"bad"), "{found}");
    // A query without a usable vector is one by words.
    let query = json!({ "query": "ferry", "touch": false }).to_string();
    let tasks = memory.limbic().texts("memory_recall", &query);
    let mut encodings = memory.encoder().encode(&tasks);
    for encoding in encodings.iter_mut().flatten() {
        if let Encoding::Query { vector, .. } = encoding {
            vector.fill(f32::NAN);
        }
    }
    let answer = memory.limbic().call("memory_recall", &query, &encodings);
    let found: Value = serde_json::from_str(&answer.json)?;
    ensure!(ids(&found) == ["bad"], "{found}");
    Ok(())
}
