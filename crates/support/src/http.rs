//! Servers of MCP over HTTP as child processes, and a minimal client for them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::success;

/// The token of servers in tests.
pub const TOKEN: &str = "a-token-for-tests-and-samples";
/// The version of the protocol without sessions.
const MODERN: &str = "2026-07-28";
/// A server that has not answered by then does not start.
const START_TIME: Duration = Duration::from_secs(60);
/// The longest time between two parts of a response.
const SILENCE: Duration = Duration::from_secs(120);

/// A running server. It ends when this is dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub port: u16,
}

impl Server {
    /// Starts `limbic serve` on a port, with these further arguments, and waits until it answers.
    ///
    /// # Errors
    /// When it ends, or does not answer within a minute.
    pub fn start(limbic: &mut Command, port: u16) -> Result<Self> {
        Self::start_with(limbic, port, TOKEN)
    }

    /// As [`Server::start`], with this token.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_with(limbic: &mut Command, port: u16, token: &str) -> Result<Self> {
        let child = limbic
            .args(["--http", &port.to_string()])
            .env("LIMBIC_TOKEN", token)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("the server does not start")?;
        let mut server = Self { child, port };
        let start = Instant::now();
        while Client::with_token(port, token).request("ping", &json!({})).is_err() {
            ensure!(server.child.try_wait()?.is_none(), "the server ended before it answered");
            ensure!(start.elapsed() < START_TIME, "the server on port {port} does not answer");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// The number of its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether its process has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it without any warning.
    pub fn kill(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A client that opens a connection for each request.
#[derive(Debug, Clone)]
pub struct Client {
    port: u16,
    token: String,
    /// The session that it sends, if any.
    pub session: Option<String>,
}

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status of HTTP.
    pub status: u16,
    /// The lines of the head, in lower case.
    pub head: String,
    /// The content.
    pub body: String,
}

impl Client {
    /// A client of the server on this port.
    #[must_use]
    pub fn new(port: u16) -> Self {
        Self::with_token(port, TOKEN)
    }

    /// A client of the server on this port that has this token.
    #[must_use]
    pub fn with_token(port: u16, token: &str) -> Self {
        Self { port, token: token.to_owned(), session: None }
    }

    /// The same client, with its session, of another server.
    #[must_use]
    pub fn at(&self, port: u16) -> Self {
        Self { port, ..self.clone() }
    }

    /// Begins a session.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn initialize(&mut self, name: &str) -> Result<Value> {
        let client = json!({"name": name, "version": "0"});
        let parameters = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let response = self.post(&message("initialize", &parameters))?;
        let session = response.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        self.session = session.map(str::to_owned);
        result(&response)
    }

    /// Calls a tool. Returns whether it failed, and its answer in JSON.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn call(&self, tool: &str, arguments: &Value) -> Result<(bool, Value)> {
        let (is_error, text) = self.text_of_call(tool, arguments)?;
        Ok((is_error, serde_json::from_str(&text)?))
    }

    /// Calls a tool that must succeed. Returns its answer in JSON.
    ///
    /// # Errors
    /// As [`Client::request`], and when the call fails.
    pub fn ask(&self, tool: &str, arguments: &Value) -> Result<Value> {
        let (is_error, text) = self.text_of_call(tool, arguments)?;
        success(tool, arguments, is_error, &text)
    }

    fn text_of_call(&self, tool: &str, arguments: &Value) -> Result<(bool, String)> {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let text = answer["content"][0]["text"].as_str().context("an answer without text")?;
        Ok((answer["isError"] == json!(true), text.to_owned()))
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// When the server has gone, or answers with an error.
    pub fn request(&self, method: &str, parameters: &Value) -> Result<Value> {
        result(&self.post(&message(method, parameters))?)
    }

    /// Sends a request of protocol 2026-07-28, without a session, as a client that can ask its user.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn request_alone(&self, method: &str, parameters: &Value) -> Result<Value> {
        let mut parameters = parameters.clone();
        parameters["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "alone", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        let name = parameters["name"].as_str().or(parameters["uri"].as_str()).unwrap_or_default();
        let headers = [
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", MODERN.to_owned()),
            ("Mcp-Method", method.to_owned()),
            ("Mcp-Name", name.to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value));
        result(&self.send("POST", "/mcp", &headers, &message(method, &parameters))?)
    }

    /// Posts a message.
    ///
    /// # Errors
    /// When the server has gone.
    pub fn post(&self, body: &str) -> Result<Response> {
        let mut headers = vec![
            ("Authorization".to_owned(), format!("Bearer {}", self.token)),
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(self.session.iter().map(|session| ("Mcp-Session-Id".to_owned(), session.clone())));
        Ok(self.send("POST", "/mcp", &headers, body)?)
    }

    /// Sends a request with these headers, and `Host` unless it is among them.
    ///
    /// # Errors
    /// When the server has gone.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &str,
    ) -> io::Result<Response> {
        let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)))?;
        stream.set_read_timeout(Some(SILENCE))?;
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name == "Host") {
            request.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(request.as_bytes())?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        parsed(&response).ok_or_else(|| io::Error::other("the server ended within its response"))
    }
}

fn message(method: &str, parameters: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).to_string()
}

fn result(response: &Response) -> Result<Value> {
    let mut answer: Value = serde_json::from_str(&response.body)
        .with_context(|| format!("{}: {}", response.status, response.body))?;
    if response.status != 200 || answer.get("error").is_some() {
        bail!("{}: {}", response.status, response.body);
    }
    Ok(answer["result"].take())
}

/// Parses a whole response; `None` for a part of one.
fn parsed(text: &str) -> Option<Response> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    (length.unwrap_or_default() == body.len()).then(|| Response { status, head, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_response_is_none() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: Y\r\n\r\n{}";
        let response = parsed(whole).expect("it is whole");
        assert_eq!((response.status, response.body.as_str()), (200, "{}"));
        for end in 0..whole.len() {
            assert!(parsed(&whole[..end]).is_none(), "{end}");
        }
        assert!(parsed("HTTP/1.1 202 Accepted\r\n\r\n").is_some());
    }
}
