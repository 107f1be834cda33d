//! Both servers limited to one user: their lists and answers, on the database of a server for all users.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    BackEnd,
    stdio::{Server, limbic_binary},
};
use serde_json::Value;
use tempfile::tempdir;

#[test]
fn both_servers_are_limited_to_the_user() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut everyone = Server::native_alone(&database)?;
    everyone.call("memory_store", r#"{"id": "ben-1", "content": "The zebra sleeps", "user_id": "ben"}"#)?;
    everyone.call("memory_store", r#"{"id": "nobody-1", "content": "The quagga sleeps"}"#)?;
    everyone.call("create_entities", r#"{"entities": [{"name": "Zebra", "entityType": "animal"}]}"#)?;
    everyone.stop()?;
    let mut lists: Vec<Value> = Vec::new();
    for start in [Server::native_of_user, Server::node_of_user] {
        let mut server = start(&database, "ada")?;
        let (is_error, text) =
            server.call("memory_store", r#"{"id": "ada-1", "content": "The boat sleeps"}"#)?;
        ensure!(!is_error, "{text}");
        let (_, text) = server.call("memory_list", r#"{"domain": "*"}"#)?;
        let listed: Value = serde_json::from_str(&text)?;
        ensure!(listed["total"] == 1 && listed["memories"][0]["user_id"] == "ada", "{text}");
        for (tool, arguments, code) in [
            ("memory_forget", r#"{"id": "ben-1"}"#, "memory_not_found"),
            ("memory_update", r#"{"id": "nobody-1", "content": "Mine"}"#, "memory_not_found"),
            ("memory_list", r#"{"user_id": "ben"}"#, "forbidden"),
            ("read_graph", "{}", "forbidden"),
            ("more_tools", r#"{"name": "migrate", "arguments": {"source_path": "memory.db"}}"#, "forbidden"),
        ] {
            let (is_error, text) = server.call(tool, arguments)?;
            ensure!(is_error && text.contains(&format!("\"code\":\"{code}\"")), "{tool}: {text}");
        }
        let resource = server.answer("resources/read", r#"{"uri": "memory://knowledge-graph"}"#)?;
        ensure!(
            resource
                .is_err_and(|error| error["message"].as_str().is_some_and(|text| text.contains("one user")))
        );
        let mut listed = Vec::new();
        for (method, field) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
        ] {
            let mut answer = server.answer(method, "{}")?.ok().context(method)?;
            listed.push(with_floats(answer[field].take()));
        }
        server.stop()?;
        lists.push(Value::Array(listed));
    }
    ensure!(lists[0] == lists[1], "the servers differ: {lists:#?}");
    let text = lists[0].to_string();
    ensure!(
        text.contains("memory_recall") && !text.contains("read_graph") && !text.contains("memory://"),
        "{text}"
    );
    let mut everyone = Server::native_alone(&database)?;
    let (_, text) = everyone.call("memory_list", "{}")?;
    let listed: Value = serde_json::from_str(&text)?;
    ensure!(listed["total"] == 3, "{text}");
    Ok(())
}

/// A value whose numbers are floating-point numbers: JavaScript writes 1.0 as 1.
fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(with_floats).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, with_floats(field))).collect(),
        other => other,
    }
}

#[test]
fn the_native_server_refuses_options_that_leave_no_tools_for_a_user() -> Result<()> {
    let folder = tempdir()?;
    for more in [["--compat", "memory-graph"], ["--toolsets", "graph"]] {
        let ran = Command::new(limbic_binary()?)
            .args(["serve", "--no-model", "--user", "ada", "--db"])
            .arg(folder.path().join("memory.db"))
            .args(more)
            .output()?;
        let told = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.code() == Some(2) && told.contains("--user"), "{told}");
    }
    Ok(())
}
