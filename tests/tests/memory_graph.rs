//! `--compat memory-graph`: the ten tools of Memory Graph with their parameters and documented examples.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    memory_file,
};
use limbic_tools::{Options, tools_json};
use serde_json::{Value, json};

/// Names and parameters as Memory Graph declares them; required ones precede the bar.
const TOOLS: [(&str, &str); 10] = [
    (
        "traverse_memories",
        "| startNodeId maxDepth followDomainPointers targetDomain maxNodesPerDomain resolutionDepth",
    ),
    ("search_memory_content", "query | domain maxResults"),
    ("select_domain", "id |"),
    ("list_domains", "|"),
    ("create_domain", "id name description |"),
    ("store_memory", "content | path tags relationships domainRefs domainPointer summary"),
    (
        "recall_memories",
        "maxNodes strategy | startNodeId path tags relationshipTypes minStrength before after search \
         combinedStrategy sortBy",
    ),
    ("edit_memory", "id | content path tags relationships targetDomain"),
    ("forget_memory", "id | cascade"),
    (
        "generate_mermaid_graph",
        "startNodeId | maxDepth direction relationshipTypes minStrength followDomainPointers contentFormat",
    ),
];

fn compat() -> Options {
    Options {
        compat: Some("memory-graph".into()),
        test_clock: Some(START_MILLIS),
        toolsets: vec!["all".into()],
        ..Options::default()
    }
}

fn listed(options: &Options) -> Result<Vec<Value>> {
    Ok(serde_json::from_str(&tools_json(options))?)
}

fn words<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut words: Vec<&str> = values.collect();
    words.sort_unstable();
    words
}

#[test]
fn exactly_the_ten_tools_are_offered_with_their_parameters() -> Result<()> {
    let tools = listed(&compat())?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, TOOLS.map(|(name, _)| name));
    for (tool, (name, parameters)) in tools.iter().zip(TOOLS) {
        let (required, optional) = parameters.split_once('|').context("a bar")?;
        let schema = &tool["inputSchema"];
        let empty = serde_json::Map::new();
        let known = schema["properties"].as_object().unwrap_or(&empty);
        assert_eq!(
            words(known.keys().map(String::as_str)),
            words(required.split_whitespace().chain(optional.split_whitespace())),
            "{name}"
        );
        let demanded = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert_eq!(words(demanded), words(required.split_whitespace()), "{name}");
    }
    Ok(())
}

#[test]
fn read_only_offers_only_reading_tools() -> Result<()> {
    let tools = listed(&Options { read_only: true, ..compat() })?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "traverse_memories",
            "search_memory_content",
            "select_domain",
            "list_domains",
            "recall_memories",
            "generate_mermaid_graph"
        ]
    );
    Ok(())
}

#[test]
fn every_example_runs_on_memories_of_limbics_own_tools() -> Result<()> {
    for tool in listed(&compat())? {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("memory.db");
        let stored =
            json!({ "id": "0190d2a0-0000-7000-8000-000000000000", "content": "The office is in Lisbon" });
        let mut ours = Native::open(&path)?;
        let (is_error, answer) = ours.call("memory_store", &stored.to_string())?;
        ensure!(!is_error, "{answer}");
        drop(ours);
        let mut theirs = Native::with(connect(&path)?, compat())?;
        let name = tool["name"].as_str().unwrap_or_default();
        let (is_error, answer) = theirs.call(name, &tool["_limbic"]["example"].to_string())?;
        ensure!(!is_error, "the example of {name} fails: {answer}");
    }
    Ok(())
}

#[test]
fn links_are_recalled_traversed_and_replaced() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::with(connect(&folder.path().join("memory.db"))?, compat())?;
    let mut ask =
        |tool: &str, arguments: Value| -> Result<Value> { memory_file::ask(&mut memory, tool, &arguments) };
    let first = ask("store_memory", json!({ "content": "First" }))?["node"]["id"].clone();
    let second = ask(
        "store_memory",
        json!({ "content": "Second", "relationships": { "follows": [{ "targetId": first, "strength": 0.7 }] } }),
    )?["node"]["id"]
        .clone();
    let third = ask(
        "store_memory",
        json!({ "content": "Third", "relationships": { "supports": [{ "targetId": second, "strength": 0.2 }] } }),
    )?["node"]["id"]
        .clone();
    let related = |more: Value| {
        let mut arguments = json!({ "maxNodes": 9, "strategy": "related", "startNodeId": first });
        arguments
            .as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(more.as_object().cloned().into_iter().flatten()));
        arguments
    };
    let ids = |found: &Value| -> Vec<Value> {
        found["results"].as_array().into_iter().flatten().map(|result| result["node"]["id"].clone()).collect()
    };
    assert_eq!(ids(&ask("recall_memories", related(json!({})))?), [second.clone(), third.clone()]);
    assert_eq!(
        ids(&ask("recall_memories", related(json!({ "minStrength": 0.5 })))?),
        std::slice::from_ref(&second)
    );
    assert_eq!(
        ids(&ask("recall_memories", related(json!({ "relationshipTypes": ["follows"] })))?),
        std::slice::from_ref(&second)
    );
    let text = ask("traverse_memories", json!({ "startNodeId": first }))?["text"].to_string();
    ensure!(text.contains("← follows 0.7 Second") && text.contains("← supports 0.2 Third"), "{text}");
    ask(
        "edit_memory",
        json!({ "id": third, "content": "Third, moved on", "tags": ["x"], "relationships": {} }),
    )?;
    assert_eq!(ids(&ask("recall_memories", related(json!({})))?), std::slice::from_ref(&second));
    let deleted = ask("forget_memory", json!({ "id": second, "cascade": true }))?;
    assert_eq!(deleted["deleted"], json!([second, first]));
    assert_eq!(ids(&ask("recall_memories", json!({ "maxNodes": 9, "strategy": "recent" }))?), [third]);
    Ok(())
}

#[test]
fn errors_name_only_tools_that_the_emulated_server_offers() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut memory = Native::with(connect(&folder.path().join("memory.db"))?, compat())?;
    let (is_error, stored) = memory.call("store_memory", r#"{"content": "First"}"#)?;
    ensure!(!is_error, "{stored}");
    let id = serde_json::from_str::<Value>(&stored)?["node"]["id"].clone();
    let offered = TOOLS.map(|(name, _)| name);
    let ours = limbic_tools::TOOLS.iter().map(|tool| tool.name).filter(|name| !offered.contains(name));
    let not_offered: Vec<&str> = ours.chain(["relation_types"]).collect();
    for (tool, arguments) in [
        ("forget_memory", json!({ "id": "nobody" })),
        ("edit_memory", json!({ "id": "nobody", "content": "x" })),
        ("traverse_memories", json!({ "startNodeId": "nobody" })),
        ("generate_mermaid_graph", json!({ "startNodeId": "nobody" })),
        ("generate_mermaid_graph", json!({ "startNodeId": id, "relationshipTypes": ["none"] })),
        ("recall_memories", json!({ "maxNodes": 1, "strategy": "related", "startNodeId": "nobody" })),
        (
            "store_memory",
            json!({ "content": "x", "relationships": { "supports": [{ "targetId": "nobody" }] } }),
        ),
        ("select_domain", json!({ "id": "nowhere" })),
        ("search_memory_content", json!({ "query": "x", "domain": "nowhere" })),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(is_error, "{tool} {arguments}: {answer}");
        let named = not_offered.iter().find(|name| answer.contains(**name));
        ensure!(named.is_none(), "{tool} {arguments} names {named:?}: {answer}");
    }
    Ok(())
}
