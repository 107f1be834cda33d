//! A minimal MCP client over a child's standard input and output, to test and measure servers.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// A running server. Dropping the client closes its input and ends it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
}

impl Client {
    /// Starts a server.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the server: {command:?}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the server's output was piped")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, lines, last_id: 0 })
    }

    /// The server's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends `initialize` and the notification that follows it; returns the result.
    pub fn initialize(&mut self) -> Result<Value> {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "limbic-xtask", "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(answer)
    }

    /// Calls a tool; returns its structured content, or the content of servers without one.
    ///
    /// # Errors
    /// When the tool answers with an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let content = result.get("structuredContent").unwrap_or(&result["content"]);
        if result["isError"] == Value::Bool(true) {
            bail!("{tool} answered with an error: {content}");
        }
        Ok(content.clone())
    }

    /// Sends a request and waits for its result; notifications are skipped.
    pub fn request(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        loop {
            let line = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    bail!("{method} timed out after {} s", REQUEST_TIMEOUT.as_secs())
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the server exited before it answered {method}"),
            };
            let message: Value = serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))?;
            if message["id"] != json!(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method} failed: {error}");
            }
            return Ok(message["result"].clone());
        }
    }

    /// Closes the server's input.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits until the server has exited. Returns whether it did within five seconds.
    pub fn wait(&mut self) -> bool {
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the server's input is closed")?;
        writeln!(input, "{message}").context("cannot write to the server")
    }
}

impl Drop for Client {
    /// Closes the server's input and waits five seconds for it to exit, then kills it.
    fn drop(&mut self) {
        self.end_input();
        if self.wait() {
            return;
        }
        // A failure cannot be reported.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
