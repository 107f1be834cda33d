//! The native server as a program: its versions, its log, its signals, and what is left of it when its database is
//! replaced.

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
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Raw {
    /// The native server on a database, with its log at `log`.
    fn native(database: &Path, log: Stdio, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        command.args(["serve", "--no-model"]).args(options).arg("--db").arg(database);
        Self::start(command.stderr(log))
    }

    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("the server has an input")?;
        let output = BufReader::new(child.stdout.take().context("the server has an output")?);
        Ok(Self { child, input, output })
    }

    fn send(&mut self, message: &str) -> Result<()> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
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
