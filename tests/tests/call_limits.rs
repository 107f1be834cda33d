//! Calls that exceed their limits are stopped, and lose nothing.

use std::{
    cell::Cell,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::sleep,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::Error;
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
    memory_file::MemoryFile,
    stdio::{Program, Server},
};
use limbic_tools::{FileCall, IndexStep, Options, SessionId, TimeLimits};
use serde_json::{Value, json};
use tempfile::tempdir;

thread_local! {
    /// Each test, which has a thread of its own, has a clock of its own.
    static MILLIS: Cell<i64> = const { Cell::new(0) };
}

/// A clock that each reading advances by one.
fn one_per_reading() -> i64 {
    MILLIS.replace(MILLIS.get() + 1)
}

/// Stops calls after this number of readings of the clock.
fn stop_after(readings: u64) -> TimeLimits {
    TimeLimits { clock: one_per_reading, test_limit_millis: Some(readings), stop: None }
}

fn never_stop() -> TimeLimits {
    stop_after(u64::MAX)
}

/// Arguments that create `count` entities, in one transaction.
fn entities(count: usize) -> String {
    let entity =
        |number| json!({ "name": format!("entity {number}"), "observations": ["likes tea", "likes boats"] });
    json!({ "entities": (0..count).map(entity).collect::<Vec<_>>() }).to_string()
}

fn count(memory: &mut Native) -> Result<u64> {
    let (_, graph) = memory.call("read_graph", r#"{"limit": 1}"#)?;
    let graph: Value = serde_json::from_str(&graph)?;
    graph["totals"]["entities"].as_u64().context("the total")
}

fn code(answer: &str) -> Result<String> {
    let answer: Value = serde_json::from_str(answer)?;
    Ok(answer["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_write_that_takes_too_long_is_rolled_back_wherever_it_is_stopped() -> Result<()> {
    let mut stopped = 0;
    for readings in [0, 1, 2, 5, 10, 20, 50, 100, 200] {
        let mut memory = Native::in_memory()?;
        memory.limbic().limit_time(stop_after(readings));
        // Not with what a client waits for besides, which has the same limit here.
        let answer = memory.limbic().call("create_entities", &entities(200), &[]);
        memory.limbic().limit_time(never_stop());
        let expected = if answer.is_error {
            stopped += 1;
            ensure!(code(&answer.json)? == "timeout", "{readings}: {}", answer.json);
            ensure!(answer.json.contains("several calls"), "{}", answer.json);
            0
        } else {
            200
        };
        ensure!(count(&mut memory)? == expected, "{readings}");
        let (is_error, answer) = memory.call("create_entities", &entities(200))?;
        ensure!(!is_error, "the next call works: {answer}");
        ensure!(count(&mut memory)? == 200, "{readings}");
    }
    ensure!(stopped >= 4, "only {stopped} calls were stopped");
    Ok(())
}

#[test]
fn a_read_stops_when_its_client_has_gone_and_a_write_does_not() -> Result<()> {
    let mut memory = Native::in_memory()?;
    memory.limbic().limit_time(never_stop());
    memory.limbic().set_abandoned(Some(Arc::new(|| true)));
    ensure!(!memory.call("create_entities", &entities(200))?.0, "what is written is kept");
    let (is_error, answer) = memory.call("read_graph", "{}")?;
    ensure!(is_error && code(&answer)? == "cancelled", "{answer}");
    memory.limbic().set_abandoned(None);
    ensure!(count(&mut memory)? == 200);
    Ok(())
}

#[test]
fn a_statement_is_interrupted_when_its_client_leaves_while_it_runs() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = Native::offering(&folder.path().join("memory.db"), &["explorer"])?;
    memory.limbic().limit_time(never_stop());
    let checks = AtomicUsize::new(0);
    // Far fewer than until the statement exceeds the limit of the console.
    let leaves = move || checks.fetch_add(1, Ordering::Relaxed) >= 100;
    memory.limbic().set_abandoned(Some(Arc::new(leaves)));
    let (is_error, answer) = memory.call("query_sql", &json!({ "sql": ENDLESS }).to_string())?;
    ensure!(is_error && code(&answer)? == "cancelled", "{answer}");
    ensure!(answer.contains("Call the tool again"), "{answer}");
    Ok(())
}

#[test]
fn a_dry_run_of_maintenance_is_limited_as_a_read_and_a_plan_as_a_write() -> Result<()> {
    let file = MemoryFile::new()?;
    let options = || Options { toolsets: vec!["all".into(), "more".into()], ..Options::default() };
    let stored = json!({ "content": "Tea is at four", "expires_at": "2026-12-01T00:00:00Z" }).to_string();
    let (is_error, answer) = file.open(0, options())?.call("memory_store", &stored)?;
    ensure!(!is_error, "{answer}");
    let mut memory = file.open(3_650, options())?;
    memory.limbic().limit_time(never_stop());
    let (is_error, answer) = memory.call("memory_maintain", "{}")?;
    ensure!(!is_error, "{answer}");
    let plan: Value = serde_json::from_str(&answer)?;
    let apply = json!({ "dry_run": false, "plan_id": plan["plan_id"] });
    let nested = |arguments: &Value| json!({ "name": "memory_maintain", "arguments": arguments }).to_string();
    memory.limbic().set_abandoned(Some(Arc::new(|| true)));
    for (tool, arguments) in [
        ("memory_maintain", "{}".to_owned()),
        ("memory_maintain", json!({ "dry_run": true, "actions": ["expire"] }).to_string()),
        ("more_tools", nested(&json!({}))),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments)?;
        ensure!(is_error && code(&answer)? == "cancelled", "{tool} {arguments}: {answer}");
    }
    let (is_error, answer) = memory.call("more_tools", &nested(&apply))?;
    ensure!(!is_error && answer.contains(r#""applied":true"#), "what is written is kept: {answer}");
    Ok(())
}

#[test]
fn an_import_that_is_stopped_keeps_its_earlier_steps() -> Result<()> {
    let lines = |number: usize| {
        format!("{{\"type\":\"entity\",\"name\":\"entity {number}\",\"entityType\":\"x\"}}\n")
    };
    let file: Vec<u8> = (0..5_000).map(lines).collect::<String>().into_bytes();
    let mut memory = Native::in_memory()?;
    memory.limbic().limit_time(never_stop());
    let arguments = json!({ "source_path": "some file" }).to_string();
    let mut import = FileCall::new(SessionId::default(), "migrate", &arguments, Box::new(file));
    ensure!(memory.limbic().step(&mut import, &mut |_, _| {}).is_none());
    let before = count(&mut memory)?;
    memory.limbic().limit_time(stop_after(1));
    let answer = memory.limbic().step(&mut import, &mut |_, _| {}).context("it ends")?;
    ensure!(answer.is_error && code(&answer.json)? == "timeout", "{}", answer.json);
    ensure!(answer.json.contains("run it again to complete it"), "{}", answer.json);
    memory.limbic().limit_time(never_stop());
    ensure!(before > 0 && count(&mut memory)? == before, "the step is rolled back");
    Ok(())
}

#[test]
fn each_step_of_work_between_calls_is_stopped_at_its_limit_and_done_later() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().join("project");
    std::fs::create_dir(&root)?;
    for number in 0..30 {
        let text = (0..20).map(|line| format!("pub fn f_{number}_{line}() {{ f_{number}_0() }}\n"));
        std::fs::write(root.join(format!("f{number}.rs")), text.collect::<String>())?;
    }
    let path = folder.path().join("memory.db");
    let options = Options { toolsets: vec!["all".into()], code: true, ..Options::default() };
    let mut memory = Native::with(connect(&path)?, options)?;
    memory.limbic().set_code_files(Box::new(DiskFiles::below_root(folder.path())));
    memory.limbic().limit_time(never_stop());
    let (is_error, answer) = memory.call("index_project", &json!({ "path": root }).to_string())?;
    ensure!(!is_error, "{answer}");
    let is_timeout = |error: &Error| matches!(error, Error::Timeout { .. });
    // Wherever a step is stopped, what it did is rolled back, and another one does it again.
    let mut stopped = 0;
    for readings in 0_u64.. {
        memory.limbic().limit_time(stop_after(readings));
        match memory.limbic().index_step() {
            Ok(IndexStep::Worked) => {}
            Ok(_) => break,
            Err(error) if is_timeout(&error) => stopped += 1,
            Err(error) => return Err(error.into()),
        }
    }
    ensure!(stopped > 3, "{stopped} steps were stopped");
    memory.limbic().limit_time(never_stop());
    let (_, status) = memory.call("list_projects", "{}")?;
    ensure!(status.contains(r#""status":"completed""#) && status.contains(r#""files":30"#), "{status}");

    ensure!(!memory.call("memory_store", r#"{"content": "Tea is at four"}"#)?.0);
    ensure!(!memory.limbic().call("memory_recall", r#"{"query": "tea"}"#, &[]).is_error);
    memory.limbic().limit_time(stop_after(0));
    ensure!(memory.limbic().finish().is_err_and(|error| is_timeout(&error)), "what a call deferred");
    ensure!(memory.limbic().pending(8).is_err_and(|error| is_timeout(&error)), "the embedding queue");
    ensure!(memory.limbic().store_vectors(&[], "test@1").is_err_and(|error| is_timeout(&error)), "vectors");
    memory.limbic().limit_time(never_stop());
    memory.drain()?;
    ensure!(memory.limbic().outstanding()? == 0);
    Ok(())
}

/// SQL that runs until it is stopped.
const ENDLESS: &str =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

fn server(database: &Path, limit_millis: Option<&str>) -> Result<Server> {
    Server::native_limited(database, &["graph", "explorer"], limit_millis)
}

fn call(tool: &str, arguments: &Value) -> String {
    json!({ "name": tool, "arguments": arguments }).to_string()
}

#[test]
fn the_native_server_stops_a_call_and_answers_the_others() -> Result<()> {
    let folder = tempdir()?;
    let mut server = server(&folder.path().join("memory.db"), Some("20"))?;
    let slow = server.ask("tools/call", &call("query_sql", &json!({ "sql": ENDLESS })))?;
    // Resources have no limit.
    let next = server.ask("resources/read", &json!({ "uri": "memory://stats" }).to_string())?;
    let stopped = server.next_message()?;
    ensure!(stopped["id"] == slow && stopped["result"]["isError"] == true, "{stopped}");
    let text = stopped["result"]["content"][0]["text"].as_str().context("an answer")?;
    ensure!(code(text)? == "timeout" && text.contains("its time limit of 0.02 seconds"), "{text}");
    let answered = server.next_message()?;
    ensure!(answered["id"] == next && answered["result"]["contents"].is_array(), "{answered}");
    server.stop()?;
    Ok(())
}

#[test]
fn the_native_server_stops_a_read_that_is_cancelled_while_it_runs() -> Result<()> {
    let folder = tempdir()?;
    let mut server = server(&folder.path().join("memory.db"), None)?;
    let slow = server.ask("tools/call", &call("query_sql", &json!({ "sql": ENDLESS })))?;
    server.notify("notifications/cancelled", &json!({ "requestId": slow }).to_string())?;
    let next = server.ask("tools/call", &call("read_graph", &json!({})))?;
    let answered = server.next_message()?;
    // Without the cancellation it is answered with `sql_stopped`.
    ensure!(answered["id"] == next, "a cancelled request gets no response: {answered}");
    server.stop()?;
    Ok(())
}

#[test]
fn the_native_server_stops_a_queue_whose_steps_take_too_long() -> Result<()> {
    let folder = tempdir()?;
    let (path, log) = (folder.path().join("memory.db"), folder.path().join("log"));
    // The queue is of this encoder, and never ends.
    let list = call("memory_list", &json!({}));
    let mut before = Server::native(&path)?;
    before.answer("tools/call", &list)?.map_err(|error| anyhow!("{error}"))?;
    before.stop()?;
    connect(&path)?.execute_batch(
        "DROP TABLE embedding_queue;
         CREATE VIEW embedding_queue AS
             WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 0 AS tries FROM n",
    )?;
    let mut server = Command::new(&Program::Native.words()?[0])
        .args(["serve", "--test-encoder", "--db"])
        .arg(&path)
        .env("LIMBIC_TEST_LIMIT", "200")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(File::create(&log)?)
        .spawn()?;
    let mut input = server.stdin.take().context("the server has no input")?;
    let mut output = BufReader::new(server.stdout.take().context("the server has no output")?).lines();
    let mut ask = |method: &str, params: &str| -> Result<String> {
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)?;
        Ok(output.next().context("the server has ended")??)
    };
    let client = json!({ "name": "test", "version": "0" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    ask("initialize", &hello.to_string())?;
    // Opens the database. If the encoder has loaded by then, the call itself reads the queue and is stopped.
    ask("tools/call", &list)?;
    let stopped = "reading of the embedding queue took too long several times";
    for _ in 0..300 {
        if fs::read_to_string(&log)?.contains(stopped) {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    ensure!(ask("ping", "{}")?.contains("result"), "the server answers");
    drop(input);
    ensure!(server.wait()?.success());
    let log = fs::read_to_string(&log)?;
    ensure!(log.matches(stopped).count() == 1, "{log}");
    Ok(())
}
