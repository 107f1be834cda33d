//! The native server as a program: its versions, its log, its signals, and what is left of it when its database is
//! replaced.

mod batches;
mod panics;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use limbic_tests::{
    BackEnd,
    stdio::{Program, Server, limbic_binary},
};
use serde_json::{Value, json};
use tempfile::tempdir;

/// SQL that runs until it is stopped.
const SLOW: &str =
    r#"{"sql": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"}"#;

/// More calls than a server answers in the time that it has after a signal.
const CALLS: u32 = 12;

/// More entities than a server imports before a test has sent its next message.
const MANY: usize = 60_000;

/// A server whose messages a test writes itself.
struct Raw {
    child: Child,
    /// Until it is ended.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Raw {
    /// The native server on a database, with its log at `log`.
    fn native(database: &Path, log: Stdio, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        command.args(["serve", "--no-model"]).args(options).arg("--db").arg(database);
        Self::start(command.stderr(log))
    }

    /// A server of a program on a database. `change` adds to its command.
    fn of(program: Program, database: &Path, change: impl FnOnce(&mut Command)) -> Result<Self> {
        let words = program.words()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if program == Program::Native {
            command.arg("serve");
        }
        command.args(["--no-model", "--db"]).arg(database).stderr(Stdio::null());
        change(&mut command);
        Self::start(&mut command)
    }

    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the server has an output")?);
        Ok(Self { child, input, output })
    }

    fn send(&mut self, message: &str) -> Result<()> {
        let input = self.input.as_mut().context("the input has ended")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    fn end_input(&mut self) {
        self.input = None;
    }

    fn call(&mut self, id: u32, tool: &str, arguments: &str) -> Result<()> {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":1}}}}}}"#
        ))
    }

    fn cancel(&mut self, id: u32) -> Result<()> {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))
    }

    fn next(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the server has ended its output");
        Ok(serde_json::from_str(&line)?)
    }

    /// Waits for the notification that a resource may have changed.
    fn updated(&mut self) -> Result<()> {
        while self.next()?["method"] != "notifications/resources/updated" {}
        Ok(())
    }

    /// The next message that is no notification.
    fn answer(&mut self) -> Result<Value> {
        loop {
            let message = self.next()?;
            if message.get("id").is_some() {
                return Ok(message);
            }
        }
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) -> Result<()> {
        ensure!(Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status()?.success());
        Ok(())
    }

    /// How it ends, within some seconds.
    fn end(&mut self, seconds: u64) -> Result<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(seconds) {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        bail!("it does not end within {seconds} s")
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize(version: &str) -> String {
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

/// Writes a file of entities for an import, and returns the arguments of the call.
fn many_entities(folder: &Path) -> Result<String> {
    let file = folder.join("many.jsonl");
    let line = |number: usize| {
        json!({"type": "entity", "name": format!("Entity {number}"), "entityType": "thing", "observations": ["a"]})
            .to_string()
    };
    fs::write(&file, (0..MANY).map(line).collect::<Vec<_>>().join("\n"))?;
    Ok(json!({"source_path": file}).to_string())
}

/// Waits until a log has a text.
fn logged(path: &Path, text: &str) -> Result<String> {
    let start = Instant::now();
    loop {
        let log = fs::read_to_string(path)?;
        if log.contains(text) {
            return Ok(log);
        }
        ensure!(start.elapsed() < Duration::from_secs(20), "{text:?} is not in the log: {log}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_session_keeps_its_domain_when_the_database_is_replaced() -> Result<()> {
    let folder = tempdir()?;
    let (path, copy) = (folder.path().join("memory.db"), folder.path().join("copy.db"));
    let mut server = Server::native_offering(&path, &["memory", "domain"])?;
    ensure!(!server.call("create_domain", r#"{"id": "work", "name": "Work"}"#)?.0);
    ensure!(!server.call("select_domain", r#"{"id": "work"}"#)?.0);
    fs::copy(&path, &copy)?;
    fs::rename(&copy, &path)?;
    let (is_error, answer) = server.call("memory_store", r#"{"content": "Lost with the former file"}"#)?;
    ensure!(is_error && answer.contains(r#""code":"database_moved""#), "{answer}");
    let (is_error, answer) = server.call("memory_store", r#"{"content": "Deploys run on Tuesdays"}"#)?;
    ensure!(!is_error && answer.contains(r#""domain":"work""#), "{answer}");
    server.stop()
}

#[test]
fn a_log_that_cannot_be_written_ends_no_server() -> Result<()> {
    let folder = tempdir()?;
    let (reader, closed) = std::io::pipe()?;
    drop(reader);
    let mut logs = vec![Stdio::from(closed)];
    if Path::new("/dev/full").exists() {
        logs.push(Stdio::from(File::options().write(true).open("/dev/full")?));
    }
    for log in logs {
        let mut server = Raw::native(&folder.path().join("memory.db"), log, &[])?;
        server.send(&initialize("2025-06-18"))?;
        ensure!(server.answer()?["result"]["serverInfo"].is_object());
        server.call(1, "memory_list", "{}")?;
        let answer = server.answer()?;
        ensure!(answer["result"]["structuredContent"]["total"] == 0, "{answer}");
    }
    Ok(())
}

#[test]
fn a_call_that_is_cancelled_in_the_queue_does_not_run() -> Result<()> {
    let folder = tempdir()?;
    let options = ["--toolsets", "memory,explorer"];
    let mut server = Raw::native(&folder.path().join("memory.db"), Stdio::null(), &options)?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    server.call(1, "query_sql", SLOW)?;
    server.call(2, "memory_store", r#"{"content": "Nobody waits for it"}"#)?;
    server.cancel(2)?;
    server.cancel(1)?;
    server.call(3, "memory_list", "{}")?;
    let answer = server.answer()?;
    ensure!(answer["id"] == 3 && answer["result"]["structuredContent"]["total"] == 0, "{answer}");
    Ok(())
}

#[test]
fn the_log_says_what_a_cancelled_import_has_stored() -> Result<()> {
    let folder = tempdir()?;
    let arguments = many_entities(folder.path())?;
    let log = folder.path().join("log");
    let options = ["--toolsets", "all"];
    let file = Stdio::from(File::create(&log)?);
    let mut server = Raw::native(&folder.path().join("memory.db"), file, &options)?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    server.call(1, "migrate", &arguments)?;
    let mut number = 2;
    loop {
        server.call(number, "read_graph", r#"{"limit": 1}"#)?;
        if server.answer()?["result"]["structuredContent"]["totals"]["entities"] != 0 {
            break;
        }
        number += 1;
    }
    server.cancel(1)?;
    let text = logged(&log, "a call of migrate was stopped by its client. ")?;
    ensure!(text.contains("it was cancelled. What was stored before is kept ("), "{text}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_signal_interrupts_an_import_and_a_second_one_ends_the_server() -> Result<()> {
    let folder = tempdir()?;
    let arguments = many_entities(folder.path())?;
    let database = folder.path().join("memory.db");
    let options = ["--toolsets", "all,explorer"];
    let mut server = Raw::native(&database, Stdio::null(), &options)?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    server.call(1, "migrate", &arguments)?;
    // The first progress: it runs.
    while server.next()?["method"] != "notifications/progress" {}
    server.signal("TERM")?;
    let answer = server.answer()?;
    ensure!(answer["id"] == 1 && answer["result"]["isError"] == true, "{answer}");
    ensure!(server.end(10)?.success());

    let mut server = Raw::native(&database, Stdio::null(), &options)?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    for id in 1..=CALLS {
        server.call(id, "query_sql", SLOW)?;
    }
    thread::sleep(Duration::from_millis(300));
    server.signal("INT")?;
    thread::sleep(Duration::from_millis(100));
    server.signal("TERM")?;
    let status = server.end(1)?;
    ensure!(status.code() == Some(1), "{status}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_server_that_ends_stops_its_calls_and_refuses_requests() -> Result<()> {
    let folder = tempdir()?;
    let options = ["--toolsets", "memory,explorer"];
    let mut server = Raw::native(&folder.path().join("memory.db"), Stdio::null(), &options)?;
    server.send(&initialize("2025-06-18"))?;
    server.answer()?;
    // The console stops each by itself, but only after a while.
    for id in 1..=CALLS {
        server.call(id, "query_sql", SLOW)?;
    }
    thread::sleep(Duration::from_millis(300));
    server.signal("TERM")?;
    thread::sleep(Duration::from_millis(100));
    server.call(CALLS + 1, "memory_list", "{}")?;
    let mut code = String::new();
    for id in 1..=CALLS {
        let answer = server.answer()?;
        ensure!(answer["id"] == id, "{answer}");
        code = answer["result"]["content"][0]["text"].to_string();
    }
    ensure!(code.contains("shutting down"), "the last call was not stopped: {code}");
    let refused = server.answer()?;
    ensure!(refused["id"] == CALLS + 1 && refused["error"]["data"]["code"] == "stopping", "{refused}");
    ensure!(server.end(10)?.success());
    Ok(())
}

#[test]
fn every_version_with_an_initialisation_is_negotiated() -> Result<()> {
    for program in [Program::Native, Program::Node] {
        let folder = tempdir()?;
        for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] {
            let mut server = Raw::of(program, &folder.path().join("memory.db"), |_| {})?;
            server.send(&initialize(version))?;
            let answer = server.answer()?;
            ensure!(answer["result"]["protocolVersion"] == version, "{program:?}: {answer}");
            server.call(1, "memory_list", "{}")?;
            let answer = server.answer()?;
            ensure!(answer["result"]["isError"].as_bool() != Some(true), "{program:?} {version}: {answer}");
        }
    }
    Ok(())
}

#[test]
fn an_initialisation_without_its_parameters_is_refused() -> Result<()> {
    for program in [Program::Native, Program::Node] {
        let folder = tempdir()?;
        let mut server = Raw::of(program, &folder.path().join("memory.db"), |_| {})?;
        for params in [
            json!({}),
            json!({"protocolVersion": 5}),
            json!({"protocolVersion": "2025-06-18", "capabilities": []}),
            json!({"protocolVersion": "2025-06-18", "capabilities": null}),
            json!({"protocolVersion": "2025-06-18", "clientInfo": "t"}),
        ] {
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
            server.send(&request.to_string())?;
            let answer = server.answer()?;
            ensure!(answer["error"]["code"] == -32602, "{program:?} {params}: {answer}");
        }
        server.send(&initialize("2025-06-18"))?;
        ensure!(server.answer()?["result"]["serverInfo"].is_object());
    }
    Ok(())
}

#[test]
fn a_byte_order_mark_before_json_is_ignored() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut server = Raw::native(&database, Stdio::null(), &[])?;
    server.send(&format!("\u{feff}{}", initialize("2025-06-18")))?;
    ensure!(server.answer()?["result"]["serverInfo"].is_object());
    server.send("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_list\"}}")?;
    let answer = server.answer()?;
    ensure!(answer["result"]["structuredContent"]["total"] == 0, "{answer}");
    drop(server);
    let mut command = Command::new(limbic_binary()?);
    command.args(["call", "memory_store", "-", "--no-model", "--db"]).arg(&database);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("the command has an input")?;
    input.write_all("\u{feff}{\"content\": \"Deploys run on Tuesdays\"}".as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

#[test]
fn an_unknown_variable_is_named_once_with_the_nearest_known_one() -> Result<()> {
    let folder = tempdir()?;
    let mut command = Command::new(limbic_binary()?);
    command.args(["serve", "--no-model", "--db"]).arg(folder.path().join("memory.db"));
    let output = command.env("LIMBIC_TOOLSET", "memory").stdin(Stdio::null()).output()?;
    let log = String::from_utf8_lossy(&output.stderr);
    let warning =
        "limbic: the variable LIMBIC_TOOLSET is unknown and has no effect. Did you mean LIMBIC_TOOLSETS?";
    ensure!(log.matches(warning).count() == 1, "{log}");
    Ok(())
}

#[test]
fn a_token_without_toolsets_is_refused() -> Result<()> {
    let folder = tempdir()?;
    for list in ["", ",", " , "] {
        let mut command = Command::new(limbic_binary()?);
        command.args(["token", "create", "laptop", "--toolsets", list, "--db"]);
        let output = command.arg(folder.path().join("memory.db")).output()?;
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && output.stdout.is_empty(), "{list:?} was accepted");
        ensure!(log.contains("--toolsets must name at least one toolset"), "{list:?}: {log}");
    }
    Ok(())
}
