//! Resources and completions show no more than the tools that may be called.

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{START_MILLIS, memory::CountingHost, stdio::Server};
use limbic_tools::{Limbic, Options, resource_templates_json, resources_json};
use serde_json::{Value, json};
use tempfile::tempdir;

const GRAPH: &str = "memory://knowledge-graph";
const STATS: &str = "memory://stats";
const ENTITY: &str = "memory://entity/Payroll";
const TEMPLATE: &str = "memory://entity/{name}";

/// Arguments of the prompt `recall-context`, with a word that each has.
const WORDS: [(&str, &str); 4] =
    [("entity", "Payroll"), ("tag", "merger"), ("domain", "general"), ("category", "decision")];

/// A memory with an entity and a memory.
fn filled() -> Result<Limbic> {
    limbic_vfs::register_vec0();
    let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
    let host = Box::<CountingHost>::default();
    let mut limbic = Limbic::open(Connection::open_in_memory()?, host, options)?;
    for (tool, arguments) in [
        ("create_entities", json!({"entities": [{"name": "Payroll", "observations": ["Ada earns 90k"]}]})),
        ("memory_store", json!({"content": "The merger closes", "category": "decision", "tags": ["merger"]})),
    ] {
        let answer = limbic.call(tool, &arguments.to_string(), &[]);
        ensure!(!answer.is_error, "{}", answer.json);
    }
    Ok(limbic)
}

fn with(toolsets: &[&str]) -> Options {
    Options { toolsets: toolsets.iter().map(|&name| name.to_owned()).collect(), ..Options::default() }
}

fn values(limbic: &mut Limbic, template: &str, part: &str) -> Result<Vec<String>> {
    let answer = limbic.complete(template, part, "", "");
    ensure!(!answer.is_error, "{}", answer.json);
    let mut found: Value = serde_json::from_str(&answer.json)?;
    Ok(serde_json::from_value(found["values"].take())?)
}

#[test]
fn resources_and_completions_keep_to_the_toolsets() -> Result<()> {
    let mut limbic = filled()?;
    let all: &[&str] = &[GRAPH, STATS, ENTITY];
    for (toolsets, readable, words) in [
        (&[][..], all, "entity tag domain category"),
        (&["all"], all, "entity tag domain category"),
        (&["more"], all, "entity tag domain category"),
        (&["graph", "memory"], all, "entity tag domain category"),
        (&["graph"], &[GRAPH, ENTITY], ""),
        (&["memory"], &[], "tag domain category"),
        (&["memory", "code"], &[], "tag domain category"),
        (&["domain"], &[], ""),
        (&["code"], &[], ""),
        (&["advanced"], &[], ""),
        (&["explorer"], all, ""),
    ] {
        let options = with(toolsets);
        limbic.set_access(options.clone());
        let listed = format!("{}{}", resources_json(&options), resource_templates_json(&options));
        for uri in all {
            let (read, expected) = (limbic.read_resource(uri), readable.contains(uri));
            ensure!(read.is_error != expected, "{toolsets:?}: {uri}: {}", read.json);
            ensure!(expected || read.json.contains("resource_not_found"), "{toolsets:?}: {}", read.json);
            let named = if *uri == ENTITY { TEMPLATE } else { uri };
            ensure!(listed.contains(named) == expected, "{toolsets:?}: {listed}");
        }
        let names = values(&mut limbic, TEMPLATE, "name")?;
        ensure!(names.is_empty() != readable.contains(&ENTITY), "{toolsets:?}: {names:?}");
        for (part, word) in WORDS {
            let found = values(&mut limbic, "prompt:recall-context", part)?;
            let expected = words.split(' ').any(|known| known == part);
            ensure!(found.iter().any(|one| one == word) == expected, "{toolsets:?}: {part}: {found:?}");
            ensure!(expected || found.is_empty(), "{toolsets:?}: {part}: {found:?}");
        }
        let prompt = limbic.prompt("recall-context", r#"{"domain": "*"}"#);
        ensure!(prompt.is_error == words.is_empty(), "{toolsets:?}: {}", prompt.json);
    }
    Ok(())
}

#[test]
fn the_tools_of_other_servers_have_their_resources_with_any_toolset() -> Result<()> {
    for (compat, count) in [("server-memory", 1), ("memory-graph", 2)] {
        let options = Options { compat: Some(compat.into()), ..with(&["memory"]) };
        let listed: Vec<Value> = serde_json::from_str(&resources_json(&options))?;
        ensure!(listed.len() == count, "{compat}: {listed:?}");
        let mut limbic = filled()?;
        limbic.set_access(options);
        for resource in &listed {
            let read = limbic.read_resource(resource["uri"].as_str().context("uri")?);
            ensure!(!read.is_error, "{compat}: {}", read.json);
        }
    }
    Ok(())
}

#[test]
fn a_server_without_the_graph_neither_reads_nor_watches_it() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut server = Server::native_limited(&database, &["memory"], None)?;
    for (method, field) in
        [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let listed = server.answer(method, "{}")?.ok().context(method)?;
        ensure!(listed[field] == json!([]), "{listed}");
    }
    for method in ["resources/read", "resources/subscribe"] {
        for uri in [GRAPH, STATS, ENTITY] {
            let refused = server.answer(method, &json!({ "uri": uri }).to_string())?;
            ensure!(refused.is_err_and(|error| error["code"] == -32002), "{method} of {uri}");
        }
    }
    server.stop()
}
