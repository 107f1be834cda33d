//! `--compat server-memory` together with Limbic's own tools. `tests/node/compat.test.ts` compares it with the
//! reference server; this file covers data that only Limbic's files can contain.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd, START_MILLIS,
    export_import::import,
    memory::{Native, connect},
    memory_file::ask,
};
use limbic_tools::{Options, tools_json};
use serde_json::{Value, json};
use tempfile::TempDir;

const NINE: [&str; 9] = [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
];

fn compat() -> Options {
    Options { compat: Some("server-memory".into()), test_clock: Some(START_MILLIS), ..Options::default() }
}

fn own() -> Options {
    Options { test_clock: Some(START_MILLIS), ..Options::default() }
}

/// A database file, opened for each call with or without `--compat`.
struct File(TempDir);

impl File {
    fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn reference(&self, tool: &str, arguments: &Value) -> Result<Value> {
        ask_file(&self.path(), compat(), tool, arguments)
    }

    fn own(&self, tool: &str, arguments: &Value) -> Result<Value> {
        ask_file(&self.path(), own(), tool, arguments)
    }

    /// Names of the entities in an answer.
    fn names(&self, options: Options) -> Result<Vec<String>> {
        let graph = ask_file(&self.path(), options, "read_graph", &json!({}))?;
        let entities = graph["entities"].as_array().cloned().unwrap_or_default();
        Ok(entities.iter().filter_map(|entity| entity["name"].as_str()).map(Into::into).collect())
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("memory.db")
    }
}

fn ask_file(path: &Path, options: Options, tool: &str, arguments: &Value) -> Result<Value> {
    let mut memory = Native::with(connect(path)?, options)?;
    let answer = ask(&mut memory, tool, arguments)?;
    memory.drain()?;
    Ok(answer)
}

fn entity(name: &str) -> Value {
    json!({ "name": name, "entityType": "t", "observations": [] })
}

fn relation(from: &str, to: &str) -> Value {
    json!({ "from": from, "to": to, "relationType": "knows" })
}

fn listed(options: &Options) -> Result<Vec<String>> {
    let tools: Vec<Value> = serde_json::from_str(&tools_json(options))?;
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str()).map(Into::into).collect())
}

#[test]
fn exactly_the_nine_tools_are_offered() -> Result<()> {
    assert_eq!(listed(&compat())?, NINE);
    assert_eq!(listed(&Options { toolsets: vec!["all".into()], ..compat() })?, NINE);
    assert_eq!(listed(&Options { read_only: true, ..compat() })?, NINE[6..]);
    let file = File::new()?;
    let mut memory = Native::with(connect(&file.path())?, compat())?;
    ensure!(memory.call("search_semantic", r#"{"query": "x"}"#)?.0, "ours are not there");
    Ok(())
}

#[test]
fn answers_are_described_as_by_the_reference_server() -> Result<()> {
    let tools: Vec<Value> = serde_json::from_str(&tools_json(&compat()))?;
    let create = tools.iter().find(|tool| tool["name"] == "create_entities").context("it is offered")?;
    let name = create.pointer("/outputSchema/properties/entities/items/properties/name/description");
    assert_eq!(name, Some(&json!("The name of the entity")));
    Ok(())
}

#[test]
fn a_placeholder_is_an_empty_entity() -> Result<()> {
    let file = File::new()?;
    file.reference("create_entities", &json!({ "entities": [entity("a")] }))?;
    file.reference("create_relations", &json!({ "relations": [relation("a", "b"), relation("c", "a")] }))?;
    assert_eq!(file.names(compat())?, ["a"]);
    assert_eq!(file.names(own())?, ["a", "b", "c"]);
    Ok(())
}

#[test]
fn a_relation_between_two_placeholders_is_read() -> Result<()> {
    let file = File::new()?;
    let link = relation("Ada", "Grace");
    file.reference("create_relations", &json!({ "relations": [link] }))?;
    let graph = file.reference("read_graph", &json!({}))?;
    ensure_same(&graph, &json!({ "entities": [], "relations": [link] }), &graph)?;
    Ok(())
}

#[test]
fn observations_turn_a_placeholder_into_an_entity() -> Result<()> {
    let file = File::new()?;
    file.reference("create_relations", &json!({ "relations": [relation("a", "b")] }))?;
    file.own("add_observations", &json!({ "name": "b", "observations": ["x"] }))?;
    assert_eq!(file.names(compat())?, ["b"]);
    file.own("create_entities", &json!({ "entities": [{ "name": "a" }] }))?;
    assert_eq!(file.names(compat())?, ["a", "b"]);
    let created = file.reference("create_entities", &json!({ "entities": [entity("a"), entity("b")] }))?;
    assert_eq!(created, json!({ "entities": [] }));
    Ok(())
}

#[test]
fn a_placeholder_is_deleted_with_its_last_relation() -> Result<()> {
    let file = File::new()?;
    let relations = json!({ "relations": [relation("a", "b"), relation("c", "b"), relation("d", "d")] });
    file.reference("create_relations", &relations)?;
    file.reference("delete_relations", &json!({ "relations": [relation("a", "b"), relation("d", "d")] }))?;
    assert_eq!(file.names(own())?, ["b", "c"]);
    file.reference("delete_entities", &json!({ "entityNames": ["b"] }))?;
    assert_eq!(file.names(own())?, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_placeholder_that_is_created_keeps_its_relations() -> Result<()> {
    let file = File::new()?;
    file.reference("create_relations", &json!({ "relations": [relation("a", "lighthouse")] }))?;
    file.reference("create_entities", &json!({ "entities": [entity("a"), entity("lighthouse")] }))?;
    let opened = file.own("open_nodes", &json!({ "names": ["lighthouse"] }))?;
    assert_eq!(opened["relations"], json!([relation("a", "lighthouse")]));
    let found = file.own("search_semantic", &json!({ "query": "lighthouse", "limit": 1 }))?;
    assert_eq!(found["results"][0]["name"], "lighthouse");
    assert_eq!(found["pending_embeddings"], 0);
    Ok(())
}

#[test]
fn history_is_hidden_and_ended_records_can_be_created_again() -> Result<()> {
    let file = File::new()?;
    file.own(
        "create_entities",
        &json!({ "entities": [{ "name": "a", "observations": ["old"] }, { "name": "b" }] }),
    )?;
    file.own("add_observations", &json!({ "name": "a", "observations": ["new"], "supersedes": 1 }))?;
    file.own("create_relations", &json!({ "relations": [relation("a", "b")] }))?;
    file.own("end_relation", &json!({ "relation_id": 1 }))?;
    let graph = file.reference("open_nodes", &json!({ "names": ["a"] }))?;
    let a = json!({ "name": "a", "entityType": "Generic", "observations": ["new"] });
    assert_eq!(graph, json!({ "entities": [a], "relations": [] }));
    file.reference("delete_relations", &json!({ "relations": [relation("a", "b")] }))?;
    let created = file.reference("create_relations", &json!({ "relations": [relation("a", "b")] }))?;
    assert_eq!(created, json!({ "relations": [relation("a", "b")] }));
    Ok(())
}

#[test]
fn empty_texts_are_embedded_like_others() -> Result<()> {
    let file = File::new()?;
    let empty = json!({ "name": "", "entityType": "", "observations": ["", ""] });
    file.reference("create_entities", &json!({ "entities": [empty] }))?;
    let mut memory = Native::with(connect(&file.path())?, own())?;
    memory.drain()?;
    ensure!(memory.limbic().pending(1)?.is_empty(), "the queue is worked off");
    Ok(())
}

#[test]
fn texts_over_the_limits_are_rejected_completely() -> Result<()> {
    let file = File::new()?;
    let mut memory = Native::with(connect(&file.path())?, compat())?;
    let long_name = json!({ "entities": [entity("kept out"), entity(&"n".repeat(501))] });
    let long_text =
        json!({ "entities": [{ "name": "a", "entityType": "t", "observations": ["x".repeat(10_001)] }] });
    let long_end = json!({ "relations": [relation("a", &"n".repeat(501))] });
    for (tool, arguments) in
        [("create_entities", long_name), ("create_entities", long_text), ("create_relations", long_end)]
    {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(is_error && answer.contains("invalid_argument"), "{tool}: {answer}");
    }
    drop(memory);
    assert_eq!(file.names(own())?, Vec::<String>::new());
    Ok(())
}

#[test]
fn the_graph_is_a_resource_with_and_without_compat() -> Result<()> {
    let file = File::new()?;
    let graph = file.reference("create_entities", &json!({ "entities": [entity("a")] }))?;
    for options in [compat(), own()] {
        let mut memory = Native::with(connect(&file.path())?, options)?;
        let answer = memory.limbic().read_resource("memory://knowledge-graph");
        let read: Value = serde_json::from_str(&answer.json)?;
        assert_eq!(read, json!({ "entities": graph["entities"], "relations": [] }));
        let unknown = memory.limbic().read_resource("memory://nothing");
        ensure!(unknown.is_error && unknown.json.contains("resource_not_found"), "{}", unknown.json);
    }
    Ok(())
}

#[test]
fn the_graph_is_the_only_resource() -> Result<()> {
    let file = File::new()?;
    file.own("create_entities", &json!({ "entities": [{ "name": "a" }] }))?;
    for (options, offered) in [(compat(), 1), (own(), 3)] {
        let mut memory = Native::with(connect(&file.path())?, options)?;
        let uris = ["memory://knowledge-graph", "memory://stats", "memory://entity/a"];
        let readable = uris.iter().filter(|uri| !memory.limbic().read_resource(uri).is_error).count();
        ensure!(readable == offered, "{readable} of {uris:?} can be read");
    }
    Ok(())
}

/// A graph of 80 entities with observations in mixed order, superseded ones, placeholders and ended relations. Every
/// eighth entity is a lighthouse.
fn mixed(file: &File) -> Result<()> {
    let name = |number: usize| match number % 8 {
        0 => format!("Lighthouse {number}"),
        _ => format!("Buoy {number}"),
    };
    let entities: Vec<Value> = (0..80)
        .map(|number| json!({ "name": name(number), "entityType": "mark", "observations": [format!("old {number}")] }))
        .collect();
    file.reference("create_entities", &json!({ "entities": entities }))?;
    let more: Vec<Value> = (0..80)
        .rev()
        .map(
            |number| json!({ "entityName": name(number), "contents": [format!("\"new\" {number}"), "both"] }),
        )
        .collect();
    file.reference("add_observations", &json!({ "observations": more }))?;
    let relations: Vec<Value> = (0..80)
        .flat_map(|number| {
            [relation(&name(number), &name((number * 7 + 1) % 80)), relation("the sea", &name(number))]
        })
        .collect();
    file.reference("create_relations", &json!({ "relations": relations }))?;
    file.own("end_relation", &json!({ "relation_id": 1 }))?;
    let newer = json!({ "name": name(8), "observations": ["newest"], "supersedes": 9 });
    file.own("add_observations", &newer)?;
    Ok(())
}

#[test]
fn entities_read_one_by_one_equal_those_of_the_whole_graph() -> Result<()> {
    let file = File::new()?;
    mixed(&file)?;
    let whole = file.reference("read_graph", &json!({}))?;
    let text = whole.to_string();
    ensure!(!text.contains("old 8\"") && text.contains("newest"), "a superseded text is shown: {text}");
    let list = |graph: &Value, name: &str| graph[name].as_array().cloned().unwrap_or_default();
    assert_eq!((list(&whole, "entities").len(), list(&whole, "relations").len()), (80, 159));
    // The first is read one by one, the second with the whole graph; the third is found in all entities.
    for query in ["lighthouse", "buoy", "\"NEW\""] {
        let found = file.reference("search_nodes", &json!({ "query": query }))?;
        let expected: Vec<Value> = list(&whole, "entities")
            .into_iter()
            .filter(|entity| {
                entity.to_string().to_lowercase().contains(&query.to_lowercase().replace('"', "\\\""))
            })
            .collect();
        let names: Vec<&str> = expected.iter().filter_map(|entity| entity["name"].as_str()).collect();
        let touches = |relation: &Value| {
            ["from", "to"].iter().any(|end| names.iter().any(|name| relation[*end] == *name))
        };
        let relations: Vec<Value> = list(&whole, "relations").into_iter().filter(touches).collect();
        assert_eq!(found, json!({ "entities": expected, "relations": relations }), "{query}");
        let opened = file.reference("open_nodes", &json!({ "names": names }))?;
        assert_eq!(opened, found, "{query}");
    }
    Ok(())
}

/// The entities that the memory `a` mentions.
fn mentioned(file: &File) -> Result<Value> {
    let found = file.own("memory_get", &json!({ "ids": ["a"] }))?;
    Ok(found["memories"][0]["entities"].clone())
}

#[test]
fn an_entity_that_is_created_is_linked_with_earlier_memories() -> Result<()> {
    let entities = json!({ "entities": [entity("Ada")] });
    let reflection = json!({ "target_type": "entity", "target_id": 1, "content": "Curious" });
    let observation = json!({ "name": "Ada", "observations": ["likes tea"] });
    for has_placeholder in [false, true] {
        for (is_own, tool, arguments) in [
            (false, "create_entities", &entities),
            (true, "create_entities", &entities),
            (true, "add_observations", &observation),
            (true, "add_reflection", &reflection),
        ] {
            if !has_placeholder && tool != "create_entities" {
                continue;
            }
            let file = File::new()?;
            if has_placeholder {
                file.reference("create_relations", &json!({ "relations": [relation("Ada", "Bo")] }))?;
            }
            file.own("memory_store", &json!({ "id": "a", "content": "Ada likes tea" }))?;
            ensure!(mentioned(&file)?.is_null(), "a placeholder is mentioned");
            if is_own {
                file.own(tool, arguments)?
            } else {
                file.reference(tool, arguments)?
            };
            let found = mentioned(&file)?;
            ensure!(found == json!(["Ada"]), "{tool}, placeholder: {has_placeholder}: {found}");
        }
    }
    Ok(())
}

#[test]
fn a_mention_of_a_placeholder_that_was_given_stays_when_it_is_created() -> Result<()> {
    let file = File::new()?;
    file.reference("create_relations", &json!({ "relations": [relation("Ada", "Bo")] }))?;
    file.own("memory_store", &json!({ "id": "a", "content": "Likes tea", "entities": ["Ada"] }))?;
    file.reference("create_entities", &json!({ "entities": [entity("Ada")] }))?;
    let found = mentioned(&file)?;
    ensure!(found == json!(["Ada"]), "{found}");
    // It still counts as given.
    file.own("memory_update", &json!({ "id": "a", "content": "Likes coffee" }))?;
    let found = mentioned(&file)?;
    ensure!(found == json!(["Ada"]), "after a change of the text: {found}");
    Ok(())
}

#[test]
fn imported_entities_are_linked_with_earlier_memories() -> Result<()> {
    let mut memory = Native::in_memory()?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Ada and Bob like tea" }))?;
    let lines = [
        r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#,
        r#"{"type":"entity","name":"Bob","entityType":"person","observations":[]}"#,
    ];
    import(&mut memory, lines.join("\n").as_bytes(), false)?;
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"] }))?;
    ensure_same(&found["memories"][0]["entities"], &json!(["Ada", "Bob"]), &found)
}
