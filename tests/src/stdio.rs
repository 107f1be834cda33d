//! Back ends behind MCP: a server as a child process, one JSON message a line.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{BackEnd, START_MILLIS, project};

/// A server that speaks MCP over its standard input and output.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

#[derive(Deserialize)]
struct Response {
    id: Option<u64>,
    result: Option<Value>,
    error: Option<Value>,
}

impl Server {
    /// The native server, `limbic serve`, on a database file.
    ///
    /// # Errors
    /// When it has not been built or does not answer.
    pub fn native(database: &Path) -> Result<Self> {
        let binary = limbic_binary()?;
        Self::start(Command::new(binary).arg("serve"), database)
    }

    /// The Node server on a database file.
    ///
    /// # Errors
    /// When it has not been built or does not answer.
    pub fn node(database: &Path) -> Result<Self> {
        let main = project("node/dist/main.js");
        ensure!(main.exists(), "node/dist/main.js is missing: run cargo xtask build");
        Self::start(Command::new("node").arg(main), database)
    }

    /// Ends the server's input and waits for it to go.
    ///
    /// # Errors
    /// When it ends with a failure.
    pub fn stop(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    fn start(command: &mut Command, database: &Path) -> Result<Self> {
        let clock = START_MILLIS.to_string();
        let mut child = command
            .args(["--test-encoder", "--settle", "--test-clock", &clock, "--db"])
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .context("the server does not start")?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the server has no output")?);
        let mut server = Self { child, input, output, last_id: 0 };
        let client = json!({ "name": "limbic-tests", "version": "0" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.request("initialize", &hello.to_string())?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string())?;
        Ok(server)
    }

    fn send(&mut self, message: &str) -> Result<()> {
        let input = self.input.as_mut().context("the server's input has ended")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    fn request(&mut self, method: &str, parameters: &str) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{parameters}}}"#))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server has ended its output");
            let response: Response = serde_json::from_str(&line)
                .with_context(|| format!("the server wrote what is no message: {line}"))?;
            if response.id != Some(id) {
                continue;
            }
            match (response.result, response.error) {
                (Some(result), None) => return Ok(result),
                (_, error) => bail!("{method} failed: {error:?}"),
            }
        }
    }
}

impl BackEnd for Server {
    fn call(&mut self, tool: &str, arguments: &str) -> Result<(bool, String)> {
        let arguments = RawValue::from_string(arguments.to_owned())?;
        let name = serde_json::to_string(tool)?;
        let result = self.request("tools/call", &format!(r#"{{"name":{name},"arguments":{arguments}}}"#))?;
        let is_error = result["isError"].as_bool().unwrap_or(false);
        let text = result["content"][0]["text"].as_str().context("an answer without text")?.to_owned();
        if !is_error {
            let structured: Value = serde_json::from_str(&text)?;
            ensure!(
                same(&result["structuredContent"], &structured),
                "text and structured content differ: {text}"
            );
        }
        Ok((is_error, text))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // A server that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether two values say the same: JavaScript writes 0.0 as 0.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// The binary that this test run was built with.
fn limbic_binary() -> Result<PathBuf> {
    let folder = std::env::current_exe()?;
    let folder = folder.parent().and_then(Path::parent).context("the test program stands in no folder")?;
    let binary = folder.join("limbic");
    ensure!(binary.exists(), "{} is missing: run cargo build -p limbic-cli", binary.display());
    Ok(binary)
}
