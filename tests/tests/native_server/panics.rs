//! A panic in the core fails one call: the database is opened again, and everybody else is served, as after a trap on
//! Node.

use std::fs::File;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use limbic_support::{
    free_port,
    http::{Client, Server},
};
use limbic_tests::stdio::{Program, limbic_binary};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{Raw, initialize, logged};

/// The variable that makes calls of a tool, resource or prompt panic.
const TRAP: &str = "LIMBIC_TEST_TRAP";

/// The code of the failure in an answer to a call.
fn failure(answer: &Value) -> Result<Value> {
    ensure!(answer["result"]["isError"] == true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().context("it has a text")?;
    Ok(serde_json::from_str::<Value>(text)?["code"].take())
}

#[test]
fn a_call_that_panics_is_answered_and_the_others_continue_in_their_session() -> Result<()> {
    for program in [Program::Native, Program::Node] {
        let folder = tempdir()?;
        let (database, log) = (folder.path().join("memory.db"), folder.path().join("log"));
        let file = File::create(&log)?;
        let mut server = Raw::of(program, &database, |command| {
            command.args(["--toolsets", "graph,domain"]).env(TRAP, "open_nodes").stderr(file);
        })?;
        server.send(&initialize("2025-06-18"))?;
        server.answer()?;
        server.call(1, "create_domain", r#"{"id": "work", "name": "Work"}"#)?;
        server.call(2, "select_domain", r#"{"id": "work"}"#)?;
        server.call(3, "create_entities", r#"{"entities": [{"name": "before"}]}"#)?;
        server.call(4, "open_nodes", r#"{"names": ["before"]}"#)?;
        server.call(5, "create_entities", r#"{"entities": [{"name": "after"}]}"#)?;
        server.call(6, "open_nodes", r#"{"names": ["after"]}"#)?;
        server.call(7, "read_graph", "{}")?;
        server.call(8, "list_domains", "{}")?;
        for id in 1..=8 {
            let answer = server.answer()?;
            ensure!(answer["id"] == id, "{program:?}: {answer}");
            match id {
                4 | 6 => ensure!(failure(&answer)? == "internal", "{program:?}: {answer}"),
                7 => {
                    let entities = &answer["result"]["structuredContent"]["entities"];
                    let names: Vec<&Value> =
                        entities.as_array().into_iter().flatten().map(|entity| &entity["name"]).collect();
                    ensure!(names == ["before", "after"], "{program:?}: {answer}");
                }
                8 => {
                    let current = &answer["result"]["structuredContent"]["current"];
                    ensure!(current == "work", "{program:?}: {answer}");
                }
                _ => ensure!(answer["result"]["isError"] != true, "{program:?}: {answer}"),
            }
        }
        if program == Program::Native {
            let text = logged(&log, "limbic: the core panicked; the database is opened again")?;
            ensure!(!text.contains("on purpose"), "the message of a panic may quote a stored text: {text}");
        }
        server.end_input();
        ensure!(server.end(10)?.success(), "{program:?}");
    }
    Ok(())
}

#[test]
fn a_resource_and_a_prompt_that_panic_are_answered() -> Result<()> {
    for (trap, method, params) in [
        ("memory://stats", "resources/read", json!({"uri": "memory://stats"})),
        ("recall-context", "prompts/get", json!({"name": "recall-context", "arguments": {"topic": "boats"}})),
    ] {
        let folder = tempdir()?;
        let mut server = Raw::of(Program::Native, &folder.path().join("memory.db"), |command| {
            command.env(TRAP, trap);
        })?;
        server.send(&initialize("2025-06-18"))?;
        server.answer()?;
        server.call(1, "memory_store", r#"{"content": "Boats leave on Tuesdays"}"#)?;
        server.answer()?;
        server.send(&json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params}).to_string())?;
        let answer = server.answer()?;
        ensure!(answer["id"] == 2 && answer["error"]["code"] == -32603, "{method}: {answer}");
        server.call(3, "memory_list", "{}")?;
        let answer = server.answer()?;
        ensure!(answer["result"]["structuredContent"]["total"] == 1, "{method}: {answer}");
    }
    Ok(())
}

#[test]
fn other_clients_and_processes_write_after_a_panic_in_a_transaction() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db"]).arg(&database).env(TRAP, "memory_update");
    let server = Server::start(limbic.stderr(Stdio::null()), free_port()?)?;
    let mut clients = [Client::new(server.port), Client::new(server.port)];
    for client in &mut clients {
        client.initialize("Ada's editor")?;
    }
    let [first, second] = clients;
    let stored = first.ask("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
    let change = json!({"id": stored["memory"]["id"], "content": "Deploys run on Fridays"});
    let (is_error, answer) = first.call("memory_update", &change)?;
    ensure!(is_error && answer["code"] == "internal", "{answer}");
    ensure!(!answer.to_string().contains("on purpose"), "a panic may repeat what is stored: {answer}");
    let mut other = Command::new(limbic_binary()?);
    other.args(["call", "memory_store", r#"{"content": "Reviews need two people"}"#, "--no-model", "--db"]);
    let output = other.arg(&database).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    second.ask("memory_store", &json!({"content": "The office closes at six"}))?;
    let listed = first.ask("memory_list", &json!({}))?;
    let text = listed.to_string();
    ensure!(listed["total"] == 3 && text.contains("Tuesdays") && !text.contains("Fridays"), "{listed}");
    Ok(())
}

#[test]
fn a_question_that_cannot_be_asked_does_not_run_its_call() -> Result<()> {
    let folder = tempdir()?;
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db"]).arg(folder.path().join("memory.db"));
    limbic.env(TRAP, "memory_forget").stderr(Stdio::null());
    let server = Server::start(&mut limbic, free_port()?)?;
    let client = Client::new(server.port);
    let stored = client.ask("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
    let forget = json!({"name": "memory_forget", "arguments": {"id": stored["memory"]["id"]}});
    let answer = client.request_alone("tools/call", &forget)?;
    ensure!(failure(&json!({"result": answer}))? == "internal", "{answer}");
    let listed = client.ask("memory_list", &json!({}))?;
    ensure!(listed["total"] == 1, "{listed}");
    Ok(())
}

#[test]
fn subscribers_are_notified_of_other_processes_after_a_panic() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut server = Raw::of(Program::Native, &database, |command| {
        command.env(TRAP, "memory_list").stderr(Stdio::null());
    })?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    let uri = json!({"uri": "memory://stats"});
    server.send(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": uri}).to_string(),
    )?;
    server.answer()?;
    server.call(2, "memory_list", "{}")?;
    ensure!(failure(&server.answer()?)? == "internal", "it panics");
    // What changed while the database was closed is unknown.
    server.updated()?;
    let mut other = Command::new(limbic_binary()?);
    other.args(["call", "memory_store", r#"{"content": "Reviews need two people"}"#, "--no-model", "--db"]);
    ensure!(other.arg(&database).output()?.status.success(), "another process writes");
    server.updated()
}
