//! Guarantees of both servers over stdio: concurrent calls, no blocking by a slow call, resources.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd,
    memory::Native,
    stdio::{Server, limbic_binary, node_main},
    transcript,
};
use serde_json::{Value, json};
use tempfile::tempdir;

type Start = fn(&Path, &[&str]) -> Result<Server>;

/// Starts a server with the toolsets of a transcript.
type StartFor = fn(&Path, &Path) -> Result<Server>;

/// Both servers, by name.
const SERVERS: [(&str, Start); 2] = [("native", Server::native_offering), ("node", Server::node_offering)];

/// Starts a server on a database file.
type StartAlone = fn(&Path) -> Result<Server>;

/// Both servers without an encoder, by name.
const ALONE: [(&str, StartAlone); 2] = [("native", Server::native_alone), ("node", Server::node_alone)];

/// MCP's error code for an unknown resource.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// SQL that runs until it is stopped.
const SLOW: &str =
    r#"{"sql": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"}"#;

#[test]
fn calls_sent_at_once_are_answered_as_if_one_after_another() -> Result<()> {
    let servers: [(&str, StartFor); 2] = [("native", Server::native_for), ("node", Server::node_for)];
    for (name, start) in servers {
        // Calls that wait for the code index let later ones through.
        for case in transcript::all()?.into_iter().filter(|case| !transcript::has_code(case)) {
            let folder = tempdir()?;
            let mut server = start(&folder.path().join("memory.db"), &case)?;
            let answers = transcript::lines(&server.call_all(&transcript::calls(&case)?)?);
            server.stop()?;
            let expected = transcript::expected(&case)?;
            ensure!(
                answers == expected,
                "{name}, {}: {}",
                case.display(),
                transcript::difference(&expected, &answers)
            );
        }
    }
    Ok(())
}

#[test]
fn a_slow_call_delays_only_calls() -> Result<()> {
    for (name, start) in SERVERS {
        let folder = tempdir()?;
        let mut server = start(&folder.path().join("memory.db"), &["graph", "explorer"])?;
        let slow = server.ask("tools/call", &format!(r#"{{"name": "query_sql", "arguments": {SLOW}}}"#))?;
        let next = server.ask("tools/call", r#"{"name": "read_graph", "arguments": {}}"#)?;
        let mut quick = Vec::new();
        for method in ["ping", "initialize", "tools/list", "resources/list", "resources/templates/list"] {
            let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "again", "version": "0" } });
            quick.push(
                server.ask(method, &if method == "initialize" { hello } else { json!({}) }.to_string())?,
            );
        }
        let mut answered = Vec::new();
        while answered.last() != Some(&next) {
            let message = server.next_message()?;
            ensure!(message.get("error").is_none(), "{name}: {message}");
            answered.push(message["id"].as_u64().context("a message without an id")?);
        }
        let at = |id: u64| answered.iter().position(|other| *other == id);
        for id in quick {
            ensure!(
                at(id) < at(slow) && at(id).is_some(),
                "{name}: {id} was answered after {slow}: {answered:?}"
            );
        }
        ensure!(at(slow) < at(next), "{name}: calls were answered out of order: {answered:?}");
        server.stop()?;
    }
    Ok(())
}

/// A number of entities that takes an import several steps.
const MANY: usize = 20_000;

/// Writes a file of the reference server with [`MANY`] entities. Returns the arguments that import it.
fn long_import(folder: &Path) -> Result<String> {
    let path = folder.join("long.jsonl");
    let lines: String = (0..MANY)
        .map(|number| {
            format!(
                "{{\"type\":\"entity\",\"name\":\"entity {number}\",\"entityType\":\"x\",\"observations\":[]}}\n"
            )
        })
        .collect();
    fs::write(&path, lines)?;
    Ok(json!({ "source_path": path }).to_string())
}

/// Starts a server and a long import. Returns the server, the import's arguments and the id of its request.
fn importing(start: StartAlone, folder: &Path) -> Result<(Server, String, u64)> {
    let mut server = start(&folder.join("memory.db"))?;
    let arguments = long_import(folder)?;
    let import = server.ask("tools/call", &format!(r#"{{"name": "migrate", "arguments": {arguments}}}"#))?;
    Ok((server, arguments, import))
}

#[test]
fn a_long_import_lets_other_calls_through() -> Result<()> {
    for (name, start) in ALONE {
        let folder = tempdir()?;
        let (mut server, _, import) = importing(start, folder.path())?;
        let listed = server.ask("tools/call", r#"{"name": "memory_list", "arguments": {}}"#)?;
        let stored = server.ask("tools/call", r#"{"name": "read_graph", "arguments": {"limit": 1}}"#)?;
        let mut answered = Vec::new();
        let mut results = HashMap::new();
        while answered.len() < 3 {
            let mut message = server.next_message()?;
            let id = message["id"].as_u64().context("a message without an id")?;
            answered.push(id);
            results.insert(id, message["result"]["structuredContent"].take());
        }
        ensure!(answered == [listed, stored, import], "{name}: {answered:?}");
        let seen = results[&stored]["totals"]["entities"].as_u64().unwrap_or_default();
        ensure!(seen > 0 && seen < MANY as u64, "{name}: {}", results[&stored]);
        ensure!(results[&import]["entities_imported"] == MANY, "{name}: {}", results[&import]);
        server.stop()?;
    }
    Ok(())
}

#[test]
fn a_long_import_can_be_cancelled_and_completed() -> Result<()> {
    for (name, start) in ALONE {
        let folder = tempdir()?;
        let (mut server, arguments, import) = importing(start, folder.path())?;
        // A call that is cancelled before it starts stores nothing.
        while {
            let (_, seen) = server.call("read_graph", r#"{"limit": 1}"#)?;
            serde_json::from_str::<Value>(&seen)?["totals"]["entities"] == 0
        } {}
        server.notify("notifications/cancelled", &json!({ "requestId": import }).to_string())?;
        // Answered in order: after the import, if that had continued.
        let (_, kept) = server.call("read_graph", r#"{"limit": 1}"#)?;
        let (failed, again) = server.call("migrate", &arguments)?;
        let kept: Value = serde_json::from_str(&kept)?;
        let again: Value = serde_json::from_str(&again)?;
        let kept = kept["totals"]["entities"].as_u64().unwrap_or_default();
        ensure!(kept > 0 && kept < MANY as u64, "{name}: {kept} were stored");
        ensure!(!failed && again["entities_imported"] == MANY, "{name}: {again}");
        let (_, all) = server.call("read_graph", r#"{"limit": 1}"#)?;
        let all: Value = serde_json::from_str(&all)?;
        ensure!(all["totals"]["entities"] == MANY, "{name}: {}", all["totals"]);
        server.stop()?;
    }
    Ok(())
}

#[test]
fn calls_are_answered_if_the_input_ends_during_an_import() -> Result<()> {
    for (name, start) in ALONE {
        let folder = tempdir()?;
        let (mut server, _, import) = importing(start, folder.path())?;
        server.end_input();
        let message = server.next_message()?;
        ensure!(message["id"] == import, "{name}: {message}");
        let imported = &message["result"]["structuredContent"]["entities_imported"];
        ensure!(*imported == MANY, "{name}: {message}");
        server.stop()?;
    }
    Ok(())
}

fn content(server: &mut Server, uri: &str) -> Result<Value> {
    let answer = server.answer("resources/read", &json!({ "uri": uri }).to_string())?;
    let result = answer.map_err(|error| anyhow::anyhow!("{uri} cannot be read: {error}"))?;
    let content = &result["contents"][0];
    ensure!(content["uri"] == uri && content["mimeType"] == "application/json", "{content}");
    Ok(serde_json::from_str(content["text"].as_str().context("a resource without text")?)?)
}

fn code(server: &mut Server, method: &str, uri: &str) -> Result<Value> {
    match server.answer(method, &json!({ "uri": uri }).to_string())? {
        Ok(result) => anyhow::bail!("{method} of {uri} was answered: {result}"),
        Err(error) => Ok(error["code"].clone()),
    }
}

#[test]
fn entities_and_statistics_are_resources() -> Result<()> {
    let mut seen = Vec::new();
    for (name, start) in SERVERS {
        let folder = tempdir()?;
        // Its name is that of the project in the origins.
        let project = folder.path().join("atlas");
        std::fs::create_dir(&project)?;
        let mut server = start(&project.join("memory.db"), &[])?;
        let entities = r#"{"entities": [{"name": "Île ☕", "observations": ["sells coffee"]}, {"name": "a/b c%"}, {"name": "Iléana"}]}"#;
        ensure!(!server.call("create_entities", entities)?.0);
        let relation = r#"{"relations": [{"from": "a/b c%", "to": "Île ☕", "relationType": "near"}]}"#;
        ensure!(!server.call("create_relations", relation)?.0);

        let listed = server.answer("resources/list", "{}")?.map_err(|error| anyhow::anyhow!("{error}"))?;
        let uris: Vec<&str> = listed["resources"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["uri"].as_str())
            .collect();
        ensure!(uris == ["memory://knowledge-graph", "memory://stats"], "{name}: {listed}");
        let templates =
            server.answer("resources/templates/list", "{}")?.map_err(|error| anyhow::anyhow!("{error}"))?;
        ensure!(
            templates["resourceTemplates"][0]["uriTemplate"] == "memory://entity/{name}",
            "{name}: {templates}"
        );

        let place = content(&mut server, "memory://entity/%C3%8Ele%20%E2%98%95")?;
        ensure!(
            place["entity"]["name"] == "Île ☕" && place["relations"][0]["from"] == "a/b c%",
            "{name}: {place}"
        );
        ensure!(place["observations"][0]["content"] == "sells coffee", "{name}: {place}");
        ensure!(content(&mut server, "memory://entity/a%2Fb%20c%25")?["entity"]["name"] == "a/b c%");
        let numbers = content(&mut server, "memory://stats")?;
        ensure!(numbers["counts"]["entities"] == 3, "{name}: {numbers}");
        let graph = content(&mut server, "memory://knowledge-graph")?;
        ensure!(graph["entities"].as_array().map(Vec::len) == Some(3), "{name}: {graph}");
        for uri in
            ["memory://entity/Nobody", "memory://entity/%zz", "memory://entity/", "memory://nothing", ""]
        {
            let found = code(&mut server, "resources/read", uri)?;
            ensure!(found == RESOURCE_NOT_FOUND, "{name}: {uri} gave {found}");
        }
        let begun = json!({ "ref": { "type": "ref/resource", "uri": "memory://entity/{name}" }, "argument": { "name": "name", "value": "il" } });
        let completed = server.answer("completion/complete", &begun.to_string())?;
        let completed = completed.map_err(|error| anyhow::anyhow!("{error}"))?;
        ensure_same(&completed["completion"]["values"], &json!(["Iléana"]), format!("{name}: {completed}"))?;
        seen.push((listed, templates, place, numbers, graph, completed));
        server.stop()?;
    }
    ensure!(seen[0] == seen[1], "the servers differ: {:?}", seen);
    Ok(())
}

#[test]
fn subscribers_are_notified_of_each_change() -> Result<()> {
    const ADA: &str = "memory://entity/Ada";
    for (name, start) in SERVERS {
        let folder = tempdir()?;
        let mut server = start(&folder.path().join("memory.db"), &[])?;
        let subscribe = |server: &mut Server, method: &str, uri: &str| -> Result<()> {
            let answer = server.answer(method, &json!({ "uri": uri }).to_string())?;
            answer.map(|_| ()).map_err(|error| anyhow::anyhow!("{method}: {error}"))
        };
        let unknown = code(&mut server, "resources/subscribe", "memory://nothing")?;
        ensure!(unknown == RESOURCE_NOT_FOUND, "{name}: {unknown}");
        subscribe(&mut server, "resources/subscribe", ADA)?;
        subscribe(&mut server, "resources/subscribe", "memory://stats")?;
        subscribe(&mut server, "resources/unsubscribe", "memory://stats")?;
        for (tool, arguments) in [
            ("create_entities", r#"{"entities": [{"name": "Ada"}]}"#),
            ("add_observations", r#"{"name": "Nobody", "observations": ["fails"]}"#),
            ("search_nodes", r#"{"query": "Ada"}"#),
            ("delete_entities", r#"{"entityNames": ["Ada"]}"#),
        ] {
            server.ask("tools/call", &format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#))?;
        }
        let last = server.ask("ping", "{}")?;
        let last_call = last - 1;
        let mut told = Vec::new();
        let mut open = 2;
        while open > 0 {
            let message = server.next_message()?;
            match message["method"].as_str() {
                Some("notifications/resources/updated") => told.push(message["params"]["uri"].clone()),
                _ if message["id"] == last || message["id"] == last_call => open -= 1,
                _ => {}
            }
        }
        ensure!(told == [ADA, ADA], "{name}: {told:?}");
        server.stop()?;
    }
    Ok(())
}

#[test]
fn subscribers_are_notified_of_other_processes_changes() -> Result<()> {
    const UPDATED: &str = "notifications/resources/updated";
    for (name, start) in SERVERS {
        let folder = tempdir()?;
        let database = folder.path().join("memory.db");
        let mut server = start(&database, &[])?;
        let graph = json!({ "uri": "memory://knowledge-graph" }).to_string();
        let subscribed = server.answer("resources/subscribe", &graph)?;
        subscribed.map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        let written =
            Native::open(&database)?.call("create_entities", r#"{"entities": [{"name": "Ada"}]}"#)?;
        ensure!(!written.0, "{}", written.1);
        for _ in 0..100 {
            server.answer("ping", "{}")?.map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
            if server.notices(UPDATED) > 0 {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        ensure!(server.notices(UPDATED) == 1, "{name}: {} notices", server.notices(UPDATED));
        server.stop()?;
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_database_that_other_users_may_read_causes_a_warning_at_start() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};
    let mut native = Command::new(limbic_binary()?);
    native.arg("serve");
    let mut node = Command::new("node");
    node.arg(node_main()?);
    for mut server in [native, node] {
        let folder = tempdir()?;
        let db = folder.path().join("memory.db");
        server.arg("--no-model").arg("--db").arg(&db).stdin(Stdio::null());
        let mut told = || -> Result<String> { Ok(String::from_utf8(server.output()?.stderr)?) };
        ensure!(!told()?.contains("other users"), "other users may read the created file");
        let mut writer = Server::native_alone(&db)?;
        writer.call("memory_list", "{}")?;
        writer.stop()?;
        fs::set_permissions(&db, fs::Permissions::from_mode(0o640))?;
        let text = told()?;
        ensure!(text.contains(&format!("chmod 600 '{}'", db.display())), "{text}");
        ensure!(fs::metadata(&db)?.permissions().mode() & 0o777 == 0o640, "the server changed the mode");
    }
    Ok(())
}
