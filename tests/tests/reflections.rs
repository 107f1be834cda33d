//! Reflections: filters apply before ranking, reflections are deleted with their target, and read-only servers only
//! search.

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
};
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};
use tempfile::tempdir;

/// More reflections than candidates: without the filter, the wanted one would not be a candidate.
const OTHERS: usize = 250;

const QUESTION: &str = "why was the deployment moved to another week?";

fn crowd(memory: &mut Native) -> Result<()> {
    for number in 0..OTHERS {
        add(memory, json!({ "target_type": "session", "content": format!("{QUESTION} Thought {number}") }))?;
    }
    let content = "The meeting was moved, since all were away.";
    let lone = json!({ "target_type": "global", "content": content, "author": "nolan", "mood": "duda" });
    add(memory, lone).map(|_| ())
}

fn add(memory: &mut Native, reflection: Value) -> Result<Value> {
    // Called directly, so that the queue is not drained before.
    let answer = memory.limbic().call("add_reflection", &reflection.to_string(), &[]);
    ensure!(!answer.is_error, "{}", answer.json);
    Ok(serde_json::from_str(&answer.json)?)
}

#[test]
fn filters_choose_the_candidates() -> Result<()> {
    let filters =
        [json!({ "author": "nolan" }), json!({ "mood": "duda" }), json!({ "target_type": "global" })];
    for settled in [false, true] {
        let mut memory = Native::in_memory()?;
        crowd(&mut memory)?;
        for filter in &filters {
            let mut arguments = filter.clone();
            arguments["query"] = QUESTION.into();
            arguments["limit"] = 3.into();
            let answer = if settled {
                memory.call("search_reflections", &arguments.to_string())?.1
            } else {
                memory.limbic().call("search_reflections", &arguments.to_string(), &[]).json
            };
            let answer: Value = serde_json::from_str(&answer)?;
            let results = answer["results"].as_array().map_or(0, Vec::len);
            ensure!(results == 1 && answer["results"][0]["author"] == "nolan", "{filter}: {answer}");
            ensure!(answer["mode"] == if settled { "hybrid" } else { "lexical" }, "{answer}");
            ensure!(answer["pending_embeddings"] == if settled { 0 } else { OTHERS + 1 }, "{answer}");
        }
    }
    Ok(())
}

#[test]
fn recall_finds_memories_by_meaning() -> Result<()> {
    let mut memory = Native::in_memory()?;
    crowd(&mut memory)?;
    let question = json!({ "query": "zebra", "author": "nolan" }).to_string();
    let (_, answer) = memory.call("search_reflections", &question)?;
    let answer: Value = serde_json::from_str(&answer)?;
    ensure!(answer["results"][0]["target_type"] == "global", "{answer}");
    Ok(())
}

#[test]
fn a_reflection_is_deleted_with_its_subject() -> Result<()> {
    let mut memory = Native::in_memory()?;
    memory.call("create_entities", r#"{"entities": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}"#)?;
    let relations = r#"{"relations": [{"from": "a", "to": "b", "relationType": "knows"}, {"from": "b", "to": "c", "relationType": "knows"}]}"#;
    memory.call("create_relations", relations)?;
    memory.call("end_relation", r#"{"relation_id": 2}"#)?;
    for (target_type, target_id) in [("entity", 1), ("entity", 2), ("relation", 1), ("relation", 2)] {
        let content = format!("thought on {target_type} {target_id}");
        add(&mut memory, json!({ "target_type": target_type, "target_id": target_id, "content": content }))?;
    }
    let question = r#"{"query": "thought"}"#;
    let left = |memory: &mut Native| -> Result<String> {
        let answer: Value = serde_json::from_str(&memory.call("search_reflections", question)?.1)?;
        let mut contents: Vec<String> = answer["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|result| result["content"].as_str().map(Into::into))
            .collect();
        contents.sort();
        Ok(contents.join(", "))
    };
    memory
        .call("delete_relations", r#"{"relations": [{"from": "a", "to": "b", "relationType": "knows"}]}"#)?;
    let found = left(&mut memory)?;
    ensure!(found == "thought on entity 1, thought on entity 2, thought on relation 2", "{found}");
    memory.call("delete_entities", r#"{"entityNames": ["b"]}"#)?;
    let found = left(&mut memory)?;
    ensure!(found == "thought on entity 1", "{found}");
    Ok(())
}

#[test]
fn a_read_only_server_searches_and_does_not_write() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    add(&mut memory, json!({ "target_type": "global", "content": "a quiet thought" }))?;
    drop(memory);
    let options = Options { read_only: true, ..Options::default() };
    let mut limbic = Limbic::open(connect(&path)?, Box::new(limbic_tests::memory::NoHost), options)?;
    let found = limbic.call("search_reflections", r#"{"query": "quiet"}"#, &[]);
    ensure!(!found.is_error && found.json.contains("a quiet thought"), "{}", found.json);
    let refused = limbic.call("add_reflection", r#"{"target_type": "global", "content": "no"}"#, &[]);
    ensure!(refused.is_error && refused.json.contains("read_only"), "{}", refused.json);
    Ok(())
}
