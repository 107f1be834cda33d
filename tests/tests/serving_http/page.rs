//! The explorer on the native server: its files, its guards, its API.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_support::{
    free_port,
    http::{Client, Response, Server, TOKEN},
};
use limbic_tests::stdio::limbic_binary;
use limbic_tests::transcript::ensure_same;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use super::{code, header, quotas::locked, refused};

const PAGE_TOKEN: &str = "the-token-of-the-page-in-tests";
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// A server with a small page.
struct Explorer {
    server: Server,
    folder: TempDir,
}

impl Explorer {
    fn start(more: &[&str]) -> Result<Self> {
        let folder = tempdir()?;
        let page = folder.path().join("ui");
        fs::create_dir_all(page.join("assets"))?;
        fs::write(page.join("index.html"), "<!doctype html><title>Page</title>")?;
        fs::write(page.join("assets/app-0123abcd.js"), "1")?;
        fs::write(folder.path().join("secret.txt"), "not for the page")?;
        let server = Self::serve(folder.path(), more)?;
        Ok(Self { server, folder })
    }

    fn serve(folder: &Path, more: &[&str]) -> Result<Server> {
        let mut limbic = Command::new(limbic_binary()?);
        limbic.args(["serve", "--no-model", "--ui", "--db"]).arg(folder.join("memory.db"));
        limbic.arg("--ui-dir").arg(folder.join("ui")).args(more).env("LIMBIC_PAGE_TOKEN", PAGE_TOKEN);
        Server::start(&mut limbic, free_port()?)
    }

    fn client(&self) -> Client {
        Client::new(self.server.port)
    }

    fn send(&self, method: &str, path: &str, token: &str, body: &str) -> Result<Response> {
        let headers =
            [header("Authorization", &format!("Bearer {token}")), header("Content-Type", "application/json")];
        Ok(self.client().send(method, path, &headers, body)?)
    }

    fn get(&self, path: &str) -> Result<Value> {
        let response = self.send("GET", path, PAGE_TOKEN, "")?;
        ensure!(response.status == 200, "{path}: {response:?}");
        Ok(serde_json::from_str(&response.body)?)
    }

    /// Calls a tool as the page does.
    fn ask(&self, tool: &str, arguments: Value) -> Result<Value> {
        let parameters = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters});
        let response = self.send("POST", "/mcp/explorer", PAGE_TOKEN, &message.to_string())?;
        let answer: Value = serde_json::from_str(&response.body)?;
        ensure!(response.status == 200, "{response:?}");
        let text = answer["result"]["content"][0]["text"].as_str().context("an answer without text")?;
        Ok(serde_json::from_str(text)?)
    }

    /// Waits until the server has queued `count` calls of tools since it started, answered or not.
    fn wait_for_calls(&self, count: u64) -> Result<()> {
        let start = Instant::now();
        loop {
            let listed = self.get("/api/sessions")?;
            let sessions = listed["sessions"].as_array().context("a list")?;
            if sessions.iter().filter_map(|session| session["calls"].as_u64()).sum::<u64>() >= count {
                return Ok(());
            }
            ensure!(start.elapsed() < Duration::from_secs(60), "fewer than {count} calls: {listed}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn token(&self, arguments: &[&str]) -> Result<String> {
        let mut limbic = Command::new(limbic_binary()?);
        limbic.arg("token").args(arguments).arg("--db").arg(self.folder.path().join("memory.db"));
        Ok(String::from_utf8(limbic.output()?.stdout)?.trim().to_owned())
    }

    /// Opens the stream of events.
    fn events(&self, token: &str) -> Result<Events> {
        let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.server.port)))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let host = format!("127.0.0.1:{}", self.server.port);
        let head = format!("Host: {host}\r\nConnection: close\r\nAuthorization: Bearer {token}");
        write!(stream, "GET /api/events HTTP/1.1\r\n{head}\r\n\r\n")?;
        Ok(Events { stream, text: String::new() })
    }
}

/// A stream of events.
struct Events {
    stream: TcpStream,
    text: String,
}

impl Events {
    /// Reads until an event has come.
    fn wait_for(&mut self, part: &str) -> Result<()> {
        let start = Instant::now();
        while !self.text.contains(part) {
            ensure!(start.elapsed() < Duration::from_secs(30), "{part} does not come: {}", self.text);
            ensure!(self.reads()?, "the stream has ended without {part}: {}", self.text);
        }
        Ok(())
    }

    /// Reads what has arrived. Returns whether the stream goes on.
    fn reads(&mut self) -> Result<bool> {
        let mut bytes = [0; 4096];
        let count = self.stream.read(&mut bytes)?;
        self.text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        Ok(count > 0)
    }
}

#[test]
fn the_page_is_served_with_a_strict_policy_and_no_path_leads_out_of_its_folder() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let client = explorer.client();
    let index = client.send("GET", "/", &[], "")?;
    ensure!(index.status == 200 && index.body.contains("<title>Page"), "{index:?}");
    for part in [
        "content-type: text/html; charset=utf-8",
        "cache-control: no-cache",
        "content-security-policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval';",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-opener-policy: same-origin",
    ] {
        ensure!(index.head.contains(part), "{part} is missing: {}", index.head);
    }
    ensure!(!index.body.contains(TOKEN) && !index.body.contains(PAGE_TOKEN));
    let etag = index.head.lines().find_map(|line| line.strip_prefix("etag: ")).context("there is an etag")?;
    let again = client.send("GET", "/", &[header("If-None-Match", etag)], "")?;
    ensure!(again.status == 304 && again.body.is_empty(), "{again:?}");
    let hashed = client.send("GET", "/assets/app-0123abcd.js", &[], "")?;
    ensure!(hashed.head.contains("immutable") && hashed.head.contains("text/javascript"), "{}", hashed.head);
    for path in [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//etc/passwd",
    ] {
        let response = client.send("GET", path, &[], "")?;
        ensure!(code(&response) == "404 not_found", "{path}: {response:?}");
    }
    ensure!(code(&client.send("POST", "/", &[], "")?) == "405 method_not_allowed");
    for (name, value, told) in [
        ("Host", "evil.example", "403 wrong_host"),
        ("Origin", "http://evil.example", "403 wrong_origin"),
        ("Origin", "null", "403 wrong_origin"),
    ] {
        for path in ["/", "/api/status", "/mcp/explorer"] {
            let headers = [header(name, value), header("Authorization", &format!("Bearer {PAGE_TOKEN}"))];
            let response = client.send("GET", path, &headers, "")?;
            ensure!(code(&response) == told, "{name}: {value}: {path}: {response:?}");
        }
    }
    Ok(())
}

#[test]
fn the_token_of_the_explorer_is_not_that_of_agents() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let status = |method: &str, path: &str, token: &str| {
        explorer
            .send(method, path, token, if method == "POST" { PING } else { "" })
            .map(|response| code(&response))
    };
    let agent = explorer.token(&["create", "agent"])?;
    let desk = explorer.token(&["create", "desk", "--explorer", "--read-only"])?;
    for path in ["/api/status", "/api/calls", "/api/database", "/api/events", "/api/tokens", "/api/sessions"]
    {
        for token in [TOKEN, &agent] {
            ensure!(status("GET", path, token)? == "403 forbidden", "{path}");
        }
        ensure!(status("GET", path, "limbic_wrong")? == "401 unauthorized", "{path}");
    }
    ensure!(status("POST", "/mcp/explorer", TOKEN)? == "403 forbidden");
    ensure!(status("POST", "/mcp/explorer", &agent)? == "403 forbidden");
    ensure!(status("POST", "/mcp", PAGE_TOKEN)? == "403 forbidden");
    ensure!(status("POST", "/mcp/explorer", PAGE_TOKEN)? == "200 ");
    ensure!(status("POST", "/mcp/explorer", &desk)? == "200 ");
    let of_desk: Value = serde_json::from_str(&explorer.send("GET", "/api/status", &desk, "")?.body)?;
    ensure!(of_desk["read_only"] == true && explorer.get("/api/status")?["read_only"] == false);
    ensure!(of_desk["overwrites"] == true, "a deletion overwrites what the file held");
    for (options, told) in [
        (&["--ui", "--token", PAGE_TOKEN, "--page-token", PAGE_TOKEN][..], "must differ"),
        (&["--ui", "8080", "--http", "8081"], "name two ports"),
        (&["--ui", "--ui-dir", "/nowhere"], "cargo xtask build"),
        (&["--page-token", PAGE_TOKEN], "--http, which is missing"),
    ] {
        let text = refused(options)?;
        ensure!(text.contains(told) && !text.contains(PAGE_TOKEN), "{options:?}: {text}");
    }
    Ok(())
}

#[test]
fn the_page_uses_all_tools_and_sees_all_users_on_a_server_of_one() -> Result<()> {
    let explorer = Explorer::start(&["--user", "ada"])?;
    let agent = explorer.client();
    agent.call("memory_store", &json!({"content": "The boat sleeps"}))?;
    explorer.ask("memory_store", json!({"id": "ben-1", "content": "The zebra sleeps", "user_id": "ben"}))?;
    ensure!(explorer.ask("memory_list", json!({"domain": "*"}))?["total"] == 2);
    ensure!(agent.call("memory_list", &json!({"domain": "*"}))?.1["total"] == 1);
    ensure!(explorer.ask("query_sql", json!({"sql": "SELECT 1 AS one"}))?.to_string().contains("one"));
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let listed = explorer.send("POST", "/mcp/explorer", PAGE_TOKEN, list)?.body;
    ensure!(listed.contains("explore_graph") && listed.contains("limbic/example"), "{listed}");
    let found = explorer.ask("memory_get", json!({"ids": ["ben-1"]}))?.to_string();
    ensure!(found.contains("explorer"), "its origin is the explorer: {found}");
    // The client of the tests reads texts only.
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, explorer.server.port)))?;
    let host = format!("127.0.0.1:{}", explorer.server.port);
    let head = format!("Host: {host}\r\nConnection: close\r\nAuthorization: Bearer {PAGE_TOKEN}");
    write!(stream, "GET /api/database HTTP/1.1\r\n{head}\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    ensure!(text.contains("filename=\"memory.db\"") && text.contains("SQLite format 3"));
    Ok(())
}

#[test]
fn recorded_calls_contain_no_secret() -> Result<()> {
    let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!("deploy with {token}");
    let entities = json!({"entities": [{"name": "Ada", "entityType": "Test", "observations": [text]}]});
    let memory = json!({"content": text, "tags": ["deploy"]});
    for (options, call, reading) in [
        (&[][..], ("memory_store", memory), ("memory_recall", json!({"query": text}))),
        (&["--compat", "server-memory"], ("create_entities", entities), ("read_graph", json!({}))),
    ] {
        let explorer = Explorer::start(options)?;
        let mut events = explorer.events(PAGE_TOKEN)?;
        let mut agent = explorer.client();
        agent.initialize("agent")?;
        let (is_error, answer) = agent.call(call.0, &call.1)?;
        ensure!(is_error == options.is_empty(), "{answer}");
        agent.call(reading.0, &reading.1)?;
        events.wait_for(&format!(r#""tool":"{}""#, reading.0))?;
        let calls = explorer.get("/api/calls")?;
        for (shown, count) in [(calls.to_string(), 2), (events.text, 2)] {
            ensure!(!shown.contains(&token), "{shown}");
            ensure!(shown.matches("[withheld: ").count() >= count, "{shown}");
            ensure!(shown.contains("[withheld: GitHub token]"), "{shown}");
        }
        let arguments = calls["calls"][0]["arguments"].as_str().context("recorded arguments")?;
        let length = call.1.to_string().chars().count();
        ensure!(calls["calls"][0]["arguments_chars"] == length, "{calls}");
        let arguments: Value = serde_json::from_str(arguments)?;
        ensure!(arguments.is_object() || is_error, "{arguments}");
    }
    Ok(())
}

#[test]
fn recorded_calls_contain_no_text_that_a_stored_subject_makes_a_secret() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let mut events = explorer.events(PAGE_TOKEN)?;
    let mut agent = explorer.client();
    agent.initialize("agent")?;
    let stored = json!({"id": "a", "content": "See the vault", "subject": "database password"});
    agent.call("memory_store", &stored)?;
    let change = json!({"id": "a", "content": "kestrel-99-Blue", "reason": "rotated"});
    let (is_error, answer) = agent.call("memory_update", &change)?;
    ensure!(is_error && answer.to_string().contains("secret_refused"), "{answer}");
    let (_, answer) = agent.call("more_tools", &json!({"name": "memory_update", "arguments": change}))?;
    ensure!(answer.to_string().contains("secret_refused"), "{answer}");
    events.wait_for(r#""tool":"more_tools""#)?;
    let calls = explorer.get("/api/calls")?.to_string();
    ensure!(!calls.contains("kestrel") && !events.text.contains("kestrel"), "{calls}");
    Ok(())
}

#[test]
fn the_page_is_notified_of_calls_and_changes_also_of_other_processes() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let desk = explorer.token(&["create", "desk", "--explorer"])?;
    let (mut events, mut of_desk) = (explorer.events(PAGE_TOKEN)?, explorer.events(&desk)?);
    events.wait_for(r#""type":"hello""#)?;
    of_desk.wait_for(r#""type":"hello""#)?;
    ensure!(events.text.contains("text/event-stream"), "{}", events.text);
    let mut agent = explorer.client();
    agent.initialize("Ada's editor")?;
    agent.call("memory_list", &json!({}))?;
    events.wait_for(r#""tool":"memory_list""#)?;
    ensure!(!events.text.contains("changed"), "reading changes nothing: {}", events.text);
    agent.call("memory_store", &json!({"content": "The boat sleeps"}))?;
    events.wait_for(r#"{"type":"changed"}"#)?;
    of_desk.wait_for(r#""tool":"memory_store""#)?;
    let calls = explorer.get("/api/calls?after=1")?;
    let (all, last) = (explorer.get("/api/calls")?, &calls["calls"][0]);
    ensure!(
        all["calls"].as_array().is_some_and(|calls| calls.len() == 2) && all["instance"] == calls["instance"]
    );
    ensure!(
        last["tool"] == "memory_store" && last["client"] == "Ada's editor" && last["isError"] == false,
        "{last}"
    );
    let label = last["session"].as_str().context("a label")?;
    ensure!(agent.session.as_deref().is_some_and(|session| session.starts_with(label) && label.len() == 8));
    let sessions = explorer.get("/api/sessions")?;
    ensure!(
        sessions["sessions"][0]["calls"] == 2 && sessions["sessions"][0]["kind"] == "agents",
        "{sessions}"
    );
    events.text.clear();
    let other = Explorer::serve(explorer.folder.path(), &[])?;
    Client::new(other.port).call("memory_store", &json!({"content": "The zebra sleeps"}))?;
    events.wait_for(r#"{"type":"changed"}"#)?;
    ensure!(!events.text.contains("memory_store"), "the call is another server's");
    explorer.token(&["revoke", "desk"])?;
    let start = Instant::now();
    while of_desk.reads()? {
        ensure!(start.elapsed() < Duration::from_secs(30), "the stream of a revoked token does not end");
    }
    Ok(())
}

#[test]
fn the_page_makes_and_revokes_tokens_and_named_tokens_do_not() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let create = |token: &str, fields: &str| explorer.send("POST", "/api/tokens", token, fields);
    let made = create(PAGE_TOKEN, r#"{"name":"laptop","user":"ada","toolsets":["memory"],"expires":"90d"}"#)?;
    let text: Value = serde_json::from_str(&made.body)?;
    let text = text["token"].as_str().context("a token")?;
    ensure!(
        made.status == 201
            && Client::with_token(explorer.server.port, text).request("ping", &json!({})).is_ok()
    );
    for (fields, told) in [
        (r#"{"name":"laptop"}"#, "409 name_taken"),
        (r#"{"name":"../up"}"#, "400 invalid_arguments"),
        (r#"{"name":"a","rights":"all"}"#, "400 invalid_arguments"),
        (r#"{"name":"a","toolsets":[]}"#, "400 invalid_arguments"),
        (r#"{"name":"a","user":"ada","explorer":true}"#, "400 invalid_arguments"),
        (r#"{"name":"a","expires":"soon"}"#, "400 invalid_arguments"),
        ("[]", "400 invalid_arguments"),
    ] {
        ensure!(code(&create(PAGE_TOKEN, fields)?) == told, "{fields}");
    }
    let listed = explorer.get("/api/tokens")?;
    ensure!(listed["can_change"] == true && listed["tokens"][0]["name"] == "laptop", "{listed}");
    ensure_same(&listed["toolsets_of_users"], &json!(["memory", "advanced", "domain", "more"]), &listed)?;
    let desk = explorer.token(&["create", "desk", "--explorer"])?;
    ensure!(code(&create(&desk, r#"{"name":"a"}"#)?) == "403 forbidden");
    let of_desk = explorer.send("GET", "/api/tokens", &desk, "")?.body;
    ensure!(of_desk.contains(r#""can_change":false"#) && !of_desk.contains("laptop"), "{of_desk}");
    let revoke = |name: &str| explorer.send("DELETE", &format!("/api/tokens?name={name}"), PAGE_TOKEN, "");
    ensure!(revoke("laptop")?.status == 200 && code(&revoke("laptop")?) == "404 not_found");
    ensure!(code(&revoke("../memory")?) == "404 not_found");
    let refused = Client::with_token(explorer.server.port, text).post(PING)?;
    ensure!(code(&refused) == "401 unauthorized");
    let reading = Explorer::serve(explorer.folder.path(), &["--read-only"])?;
    let headers = [
        header("Authorization", &format!("Bearer {PAGE_TOKEN}")),
        header("Content-Type", "application/json"),
    ];
    let response = Client::new(reading.port).send("POST", "/api/tokens", &headers, r#"{"name":"a"}"#)?;
    ensure!(code(&response) == "403 read_only", "{response:?}");
    Ok(())
}

#[test]
fn a_read_is_stopped_when_its_client_disconnects() -> Result<()> {
    let explorer = Explorer::start(&["--toolsets", "all"])?;
    let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let parameters = json!({"name": "query_sql", "arguments": {"sql": sql}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}).to_string();
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, explorer.server.port)))?;
    let host = format!("Host: 127.0.0.1:{}", explorer.server.port);
    let head = format!("{host}\r\nAuthorization: Bearer {PAGE_TOKEN}\r\nContent-Type: application/json");
    write!(stream, "POST /mcp/explorer HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{call}", call.len())?;
    explorer.wait_for_calls(1)?;
    drop(stream);
    let start = Instant::now();
    loop {
        let calls = explorer.get("/api/calls")?;
        let found =
            calls["calls"].as_array().and_then(|calls| calls.iter().find(|it| it["tool"] == "query_sql"));
        if let Some(call) = found {
            ensure!(call.to_string().contains("cancelled"), "{call}");
            return Ok(());
        }
        ensure!(start.elapsed() < Duration::from_secs(60), "the call does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_cancellation_concerns_calls_of_its_own_session_only() -> Result<()> {
    let explorer = Explorer::start(&[])?;
    let (alone, mut editor) = (explorer.client(), explorer.client());
    editor.initialize("Ada's editor")?;
    alone.call("memory_store", &json!({"content": "The boat sleeps"}))?;
    let post = |client: &Client, tool: &str, arguments: Value| {
        let parameters = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": parameters});
        let (client, message) = (client.clone(), message.to_string());
        thread::spawn(move || client.post(&message))
    };
    let answer = |response: thread::JoinHandle<Result<Response>>| -> Result<Value> {
        let response = response.join().ok().context("a response")??;
        Ok(serde_json::from_str::<Value>(&response.body)?["result"].take())
    };
    // From here on, the first call waits, and the others in the queue behind it.
    let lock = locked(&explorer.folder.path().join("memory.db"))?;
    let stored = post(&alone, "memory_store", json!({"content": "The zebra sleeps"}));
    explorer.wait_for_calls(2)?;
    let of_alone = post(&alone, "memory_list", json!({}));
    let of_editor = post(&editor, "memory_list", json!({}));
    explorer.wait_for_calls(4)?;
    // Clients without a session cannot be distinguished: this may be another one with the same ids.
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    for client in [&alone, &editor] {
        ensure!(client.post(cancelled)?.status == 202);
    }
    drop(lock);
    let (stored, of_alone, of_editor) = (answer(stored)?, answer(of_alone)?, answer(of_editor)?);
    ensure!(stored["structuredContent"].is_object(), "a write is not stopped: {stored}");
    ensure!(of_alone["structuredContent"].is_object(), "it is another client's: {of_alone}");
    let stopped = of_editor["content"][0]["text"].as_str().context("an answer")?;
    ensure!(serde_json::from_str::<Value>(stopped)?["code"] == "cancelled", "{of_editor}");
    Ok(())
}
