//! Batches of protocol 2025-03-26 over HTTP: one response has the responses to all requests, in their order.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use limbic_support::{
    free_port,
    http::{Client, Response, Server},
};
use limbic_tests::stdio::limbic_binary;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{PING, header, pass, serve};

const VERSION: &str = "2025-03-26";
const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
/// A call that runs until it is stopped.
const SLOW: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_sql","arguments":{"sql":"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"}}}"#;

fn initialize(id: u32, version: &str) -> String {
    let client = json!({"name": "Ada's editor", "version": "0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params}).to_string()
}

/// A client that has agreed on a version.
fn begun(port: u16, version: &str) -> Result<Client> {
    let mut client = Client::new(port);
    let response = client.post(&initialize(0, version))?;
    let session = response.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    client.session = Some(session.with_context(|| format!("there is a session: {response:?}"))?.to_owned());
    Ok(client)
}

fn stored(id: u32, content: &str) -> String {
    let params = json!({"name": "memory_store", "arguments": {"content": content}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn listed(id: u32) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "memory_list"}}).to_string()
}

fn batch(messages: &[&str]) -> String {
    format!("[{}]", messages.join(","))
}

/// The responses of a batch.
fn responses(response: &Response) -> Result<Vec<Value>> {
    ensure!(response.status == 200, "{response:?}");
    Ok(serde_json::from_str(&response.body)?)
}

/// Checks that a batch was refused as a whole with this message.
fn ensure_refused(response: &Response, told: &str) -> Result<()> {
    let answer: Value = serde_json::from_str(&response.body)?;
    let is_refused = response.status == 400 && answer["id"].is_null() && answer["error"]["code"] == -32600;
    ensure!(is_refused && answer["error"]["message"] == told, "{told}: {response:?}");
    Ok(())
}

#[test]
fn a_batch_is_served_in_its_version_and_refused_in_the_others() -> Result<()> {
    const NO_BATCHES: &str = "This version of the protocol has no batches: send each message by itself";
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &[])?;
    let pings = batch(&[PING, PING]);
    ensure_refused(&Client::new(server.port).post(&pings)?, NO_BATCHES)?;
    for version in ["2024-10-07", "2024-11-05", "2025-06-18", "2025-11-25"] {
        ensure_refused(&begun(server.port, version)?.post(&pings)?, NO_BATCHES)?;
    }
    let client = begun(server.port, VERSION)?;
    let unknown = r#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#;
    let cursor = r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/list","params":{"cursor":"x"}}"#;
    let first = stored(7, "Deploys run on Tuesdays");
    let answers = client.post(&batch(&[&first, NOTIFICATION, PING, unknown, cursor, &listed(8)]))?;
    ensure!(answers.body.contains(r#""id":1.0,"#), "ids are returned as received: {answers:?}");
    let answers = responses(&answers)?;
    let outcomes: Vec<String> =
        answers.iter().map(|answer| json!([answer["id"], answer["error"]["code"]]).to_string()).collect();
    let expected = ["[7,null]", "[1,null]", "[\"x\",-32601]", "[1.0,-32602]", "[8,null]"];
    ensure!(outcomes == expected, "{answers:?}");
    ensure!(answers[4]["result"]["structuredContent"]["total"] == 1, "they run in order: {answers:?}");
    // Another server of the memory knows the version, too.
    let second = serve(&database, &[])?;
    ensure!(responses(&client.at(second.port).post(&pings)?)?.len() == 2);
    // Its session belongs to its token as any other.
    let mut stranger = client.clone();
    stranger.session = client.session.map(|session| session.replacen("-batches-", "-", 1));
    ensure!(stranger.post(&pings)?.status == 404, "the version is a part of the session");
    Ok(())
}

#[test]
fn an_invalid_batch_runs_nothing() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let client = begun(server.port, VERSION)?;
    let (first, again) = (stored(1, "Deploys run on Tuesdays"), initialize(2, VERSION));
    let (first, again) = (first.as_str(), again.as_str());
    let many = [PING; 101];
    let alone = r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let cases: [(&[&str], &str); 7] = [
        (&[], "A batch must contain a message"),
        (&many, "A batch has at most 100 messages: send several"),
        (&[first, "7"], "A message must be a JSON object"),
        (&[first, "[]"], "A message must be a JSON object"),
        (&[first, r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#], "The id must be a string or an integer"),
        (&[first, again], "The request initialize cannot be part of a batch"),
        (&[first, alone], "A request that names a version of the protocol cannot be part of a batch"),
    ];
    for (messages, told) in cases {
        ensure_refused(&client.post(&batch(messages))?, told)?;
    }
    let broken = client.post(&format!("[{first},"))?;
    ensure!(broken.status == 400 && broken.body.contains("-32700"), "{broken:?}");
    let mut headers = pass();
    headers.push(header("Mcp-Session-Id", client.session.as_deref().context("there is a session")?));
    headers.push(header("MCP-Protocol-Version", "1999-01-01"));
    let unknown = client.send("POST", "/mcp", &headers, &batch(&[PING]))?;
    ensure!(unknown.status == 400 && unknown.body.contains("unsupported_version"), "{unknown:?}");
    for messages in [&[NOTIFICATION][..], &[NOTIFICATION, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#]] {
        let response = client.post(&batch(messages))?;
        ensure!(response.status == 202 && response.body.is_empty(), "{response:?}");
    }
    let total = responses(&client.post(&batch(&[&listed(1)]))?)?;
    ensure!(total[0]["result"]["structuredContent"]["total"] == 0, "{total:?}");
    Ok(())
}

/// A server whose clients may call [`SLOW`].
fn slow_server(database: &Path) -> Result<Server> {
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--toolsets", "memory,explorer", "--db"]).arg(database);
    Server::start(&mut limbic, free_port()?)
}

#[test]
fn a_request_of_a_batch_is_cancelled_by_itself() -> Result<()> {
    let folder = tempdir()?;
    let server = slow_server(&folder.path().join("memory.db"))?;
    let client = begun(server.port, VERSION)?;
    let waiting = client.clone();
    let batched = thread::spawn(move || waiting.post(&batch(&[SLOW, &listed(2)])));
    // A cancellation that arrives before its request has no effect.
    while !batched.is_finished() {
        thread::sleep(Duration::from_millis(100));
        let response = client.post(&batch(&[CANCELLED]))?;
        ensure!(response.status == 202, "{response:?}");
    }
    let answers = batched.join().map_err(|_| anyhow::anyhow!("the client panicked"))??;
    let answers = responses(&answers)?;
    let text = answers[0]["result"]["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(answers[0]["id"] == 1 && text.contains(r#""code":"cancelled""#), "{answers:?}");
    ensure!(answers[1]["result"]["structuredContent"]["total"] == 0, "{answers:?}");
    Ok(())
}
