//! The native server over HTTP: access control, answers, and sessions that continue on another server.

mod batches;
mod page;
mod quotas;
#[cfg(unix)]
mod sockets;
mod tokens;

use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use anyhow::{Context, Result, ensure};
use limbic_support::{
    free_port,
    http::{Client, Response, Server, TOKEN},
};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{project, stdio::limbic_binary};
use serde_json::{Value, json};
use tempfile::tempdir;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn serve(database: &Path, more: &[&str]) -> Result<Server> {
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db"]).arg(database).args(more);
    Server::start(&mut limbic, free_port()?)
}

/// The standard error of `limbic serve` with options that it rejects.
fn refused(options: &[&str]) -> Result<String> {
    let output: Output =
        Command::new(limbic_binary()?).args(["serve", "--no-model"]).args(options).output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success(), "{options:?} were accepted: {text}");
    Ok(text)
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The headers of an authorised client.
fn pass() -> Vec<(String, String)> {
    vec![header("Authorization", &format!("Bearer {TOKEN}")), header("Content-Type", "application/json")]
}

/// The status of a response and the code of its refusal, which requests of JSON-RPC get with their id.
fn code(response: &Response) -> String {
    let body: Value = serde_json::from_str(&response.body).unwrap_or_default();
    let code = body["code"].as_str().or(body["error"]["data"]["code"].as_str());
    format!("{} {}", response.status, code.unwrap_or_default())
}

#[test]
fn only_requests_for_this_server_with_its_token_are_answered() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let client = Client::new(server.port);
    let send = |headers: &[(String, String)]| client.send("POST", "/mcp", headers, PING);
    ensure!(send(&pass())?.status == 200);
    let port = server.port;
    for (name, value, told) in [
        ("Authorization", "Bearer wrong".to_owned(), "401 unauthorized"),
        ("Authorization", format!("Bearer {TOKEN}x"), "401 unauthorized"),
        ("Authorization", format!("Basic {TOKEN}"), "401 unauthorized"),
        ("Host", format!("evil.example:{port}"), "403 wrong_host"),
        ("Host", format!("127.0.0.1.evil.example:{port}"), "403 wrong_host"),
        ("Host", "127.0.0.1:65536".to_owned(), "403 wrong_host"),
        ("Origin", "http://evil.example".to_owned(), "403 wrong_origin"),
        ("Origin", "null".to_owned(), "403 wrong_origin"),
        ("Content-Type", "text/plain".to_owned(), "415 unsupported_media_type"),
        ("MCP-Protocol-Version", "1999-01-01".to_owned(), "400 unsupported_version"),
        ("Mcp-Session-Id", "of another server".to_owned(), "404 session_not_found"),
    ] {
        let mut headers = pass();
        headers.retain(|(other, _)| other != name);
        headers.push(header(name, &value));
        let response = send(&headers)?;
        ensure!(code(&response) == told, "{name}: {value}: {response:?}");
        let body: Value = serde_json::from_str(&response.body)?;
        ensure!(body["id"] == 1 && body["error"]["code"].is_i64(), "{name}: {response:?}");
    }
    for (name, value) in [
        ("Host", format!("localhost:{port}")),
        ("Origin", format!("http://127.0.0.1:{port}")),
        ("MCP-Protocol-Version", "2025-11-25".to_owned()),
    ] {
        let mut headers = pass();
        headers.push(header(name, &value));
        ensure!(send(&headers)?.status == 200, "{name}: {value}");
    }
    // What a proxy or a browser may have understood otherwise.
    let (own, evil) = (format!("127.0.0.1:{port}"), "evil.example".to_owned());
    let origins = [format!("http://{own}"), format!("http://{evil}")];
    for (target, name, values, told) in [
        ("/mcp".to_owned(), "Host", vec![&own, &evil], "400 ambiguous_host"),
        ("/mcp".to_owned(), "Host", vec![&own, &own], "400 ambiguous_host"),
        (format!("http://{own}/mcp"), "Host", vec![&own, &own], "400 ambiguous_host"),
        (format!("ftp://{own}/mcp"), "Host", vec![&own], "400 ambiguous_host"),
        (format!("http://{evil}/mcp"), "Host", vec![&own], "403 wrong_host"),
        (format!("http://{own}@{evil}/mcp"), "Host", vec![&own], "403 wrong_host"),
        (format!("http://{evil}@{own}/mcp"), "Host", vec![&own], "403 wrong_host"),
        // RFC 9112, section 3.2.2: the host of the target counts.
        (format!("http://{own}/mcp"), "Host", vec![&own], "200 "),
        (format!("HTTP://localhost:{port}/mcp?a=b"), "Host", vec![&evil], "200 "),
        ("/mcp".to_owned(), "Origin", origins.iter().collect(), "403 wrong_origin"),
    ] {
        let mut headers = pass();
        headers.extend(values.iter().map(|value| header(name, value)));
        let response = client.send("POST", &target, &headers, PING)?;
        ensure!(code(&response) == told, "{target} {name} {values:?}: {response:?}");
    }
    let without = client.send("POST", "/mcp", &pass()[1..], PING)?;
    ensure!(code(&without) == "401 unauthorized" && without.head.contains("www-authenticate: bearer"));
    ensure!(without.head.contains("x-content-type-options: nosniff"), "{}", without.head);
    ensure!(!without.body.contains(TOKEN));
    for (method, path, told) in [
        ("GET", "/mcp", "405 method_not_allowed"),
        ("POST", "/", "404 not_found"),
        ("POST", "/mcp/explorer", "404 not_found"),
    ] {
        let response = client.send(method, path, &pass(), PING)?;
        ensure!(code(&response) == told, "{method} {path}: {response:?}");
    }
    Ok(())
}

#[test]
fn requests_through_a_proxy_are_answered_under_its_address_and_its_own() -> Result<()> {
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let mut limbic = Command::new(limbic_binary()?);
    limbic.args(["serve", "--no-model", "--public-url", "https://memory.example/", "--db"]);
    limbic.arg(folder.path().join("memory.db")).stderr(std::fs::File::create(&log)?);
    let server = Server::start(&mut limbic, free_port()?)?;
    let client = Client::new(server.port);
    let (own, public) = (format!("127.0.0.1:{}", server.port), "memory.example");
    let told = |headers: &[(String, String)], host: &str, origin: Option<&str>| -> Result<String> {
        let mut headers = headers.to_vec();
        headers.push(header("Host", host));
        headers.extend(origin.map(|origin| header("Origin", origin)));
        Ok(code(&client.send("POST", "/mcp", &headers, PING)?))
    };
    let origin = Some("https://memory.example");
    let with_port = "memory.example:443";
    for (host, origin) in
        [(public, origin), (with_port, origin), (&own, origin), (public, None), (&own, None)]
    {
        let told = told(&pass(), host, origin)?;
        ensure!(told == "200 ", "{host} {origin:?}: {told}");
    }
    for (host, origin, expected) in [
        ("other.example", origin, "403 wrong_host"),
        ("memory.example:8443", origin, "403 wrong_host"),
        (public, Some("https://other.example"), "403 wrong_origin"),
        (public, Some("http://memory.example"), "403 wrong_origin"),
        (&own, Some("https://memory.example:8443"), "403 wrong_origin"),
    ] {
        let told = told(&pass(), host, origin)?;
        ensure!(told == expected, "{host} {origin:?}: {told}");
    }
    ensure!(told(&pass()[1..], public, origin)? == "401 unauthorized");
    let text = std::fs::read_to_string(&log)?;
    ensure!(text.contains(&format!("requests of the proxy are expected at http://{own}")), "{text}");
    ensure!(text.contains("MCP over HTTP: https://memory.example/mcp"), "{text}");
    Ok(())
}

#[test]
fn messages_are_answered_as_over_standard_input() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let mut client = Client::new(server.port);
    let greeting = client.initialize("Ada's editor")?;
    ensure!(greeting["protocolVersion"] == "2025-11-25", "{greeting}");
    ensure_same(
        &greeting["capabilities"]["resources"],
        &json!({}),
        format!("subscriptions are declared: {greeting}"),
    )?;
    let told = greeting["instructions"].as_str().unwrap_or_default();
    ensure!(told.contains("give domain with each call") && !told.contains("select_domain"), "{told}");
    let ready = client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    ensure!(ready.status == 202 && ready.body.is_empty(), "{ready:?}");
    let listed = client.request("tools/list", &json!({}))?;
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .context("a list")?
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    ensure!(names.contains(&"memory_store") && !names.contains(&"select_domain"), "{names:?}");
    let (is_error, answer) = client.call("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
    ensure!(!is_error, "{answer}");
    let id = &answer["memory"]["id"];
    let (_, found) = client.call("memory_get", &json!({"ids": [id]}))?;
    ensure!(found.to_string().contains("Ada's editor"), "the origin is the client: {found}");
    let (is_error, answer) = client.call("memory_store", &json!({}))?;
    ensure!(is_error && answer["code"] == "invalid_argument", "{answer}");
    for (body, status, told) in [
        ("{", 400, "-32700"),
        ("[]", 400, "-32600"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"capabilities":{}}}"#, 200, "-32602"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#, 200, "-32601"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"memory://none"}}"#,
            200,
            "-32002",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_list","arguments":[]}}"#,
            200,
            "-32602",
        ),
    ] {
        let response = client.post(body)?;
        ensure!(response.status == status && response.body.contains(told), "{body}: {response:?}");
        ensure!(!response.head.contains("mcp-session-id"), "no session has begun: {response:?}");
    }
    Ok(())
}

#[test]
fn other_calls_are_answered_during_an_import() -> Result<()> {
    let folder = tempdir()?;
    let import_dir = folder.path().to_str().context("it is a text")?;
    let server = serve(&folder.path().join("memory.db"), &["--toolsets", "all", "--import-dir", import_dir])?;
    let client = Client::new(server.port);
    let file = folder.path().join("many.jsonl");
    let line = |number: usize| {
        json!({"type": "entity", "name": format!("Entity {number}"), "entityType": "thing", "observations": ["a"]})
            .to_string()
    };
    std::fs::write(&file, (0..3_000).map(line).collect::<Vec<_>>().join("\n"))?;
    let importing = client.clone();
    let import = thread::spawn(move || importing.call("migrate", &json!({"source_path": file})));
    for _ in 0..5 {
        let (is_error, answer) = client.call("memory_list", &json!({}))?;
        ensure!(!is_error, "{answer}");
    }
    let (is_error, answer) = import.join().map_err(|_| anyhow::anyhow!("the client panicked"))??;
    ensure!(!is_error && answer["entities_imported"] == 3_000, "{answer}");
    Ok(())
}

#[test]
fn a_session_continues_on_another_server() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut first = serve(&database, &[])?;
    let mut client = Client::new(first.port);
    client.initialize("Ada's editor")?;
    client.call("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
    first.kill();
    let second = serve(&database, &[])?;
    let client = client.at(second.port);
    let (is_error, answer) = client.call("memory_store", &json!({"content": "Reviews need two people"}))?;
    ensure!(!is_error, "{answer}");
    let (_, found) = client.call("memory_get", &json!({"ids": [answer["memory"]["id"]]}))?;
    ensure!(found.to_string().contains("Ada's editor"), "{found}");
    let (_, listed) = client.call("memory_list", &json!({}))?;
    ensure!(listed.to_string().contains("Tuesdays"), "{listed}");
    let mut headers = pass();
    headers.push(header("Mcp-Session-Id", client.session.as_deref().context("there is a session")?));
    ensure!(client.send("DELETE", "/mcp", &headers, "")?.status == 204);
    Ok(())
}

#[test]
fn a_session_that_has_ended_does_not_exist() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let (mut ended, mut other) = (Client::new(server.port), Client::new(server.port));
    ended.initialize("Ada's editor")?;
    other.initialize("Ada's editor")?;
    let mut headers = pass();
    headers.push(header("Mcp-Session-Id", ended.session.as_deref().context("there is a session")?));
    ensure!(client_status(&ended, "POST", &headers, PING)? == 200);
    ensure!(client_status(&ended, "DELETE", &headers, "")? == 204);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_domains"}}"#;
    for body in [PING, notification, call] {
        ensure!(client_status(&ended, "POST", &headers, body)? == 404, "{body}");
    }
    ensure!(client_status(&ended, "DELETE", &headers, "")? == 404);
    ensure!(other.post(PING)?.status == 200, "other sessions go on");
    // Clients without an id share a session, which none of them ends for the others.
    ensure!(client_status(&ended, "DELETE", &pass(), "")? == 204);
    ensure!(client_status(&ended, "POST", &pass(), PING)? == 200);
    Ok(())
}

fn client_status(client: &Client, method: &str, headers: &[(String, String)], body: &str) -> Result<u16> {
    Ok(client.send(method, "/mcp", headers, body)?.status)
}

#[test]
fn what_is_not_a_message_is_reported_as_such_in_every_protocol() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let client = Client::new(server.port);
    for version in ["2025-11-25", "2026-07-28"] {
        for (body, number) in [("{", -32700), ("[]", -32600), ("5", -32600), (r#"{"id":1}"#, -32600)] {
            let mut headers = pass();
            headers.push(header("MCP-Protocol-Version", version));
            let response = client.send("POST", "/mcp", &headers, body)?;
            let answer: Value = serde_json::from_str(&response.body)?;
            ensure!(
                response.status == 400 && answer["error"]["code"] == number,
                "{version} {body}: {response:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_cursor_and_an_unknown_reference_are_refused() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let mut client = Client::new(server.port);
    client.initialize("Ada's editor")?;
    let code = |method: &str, params: Value| -> Result<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let response = client.post(&body.to_string())?;
        Ok(serde_json::from_str::<Value>(&response.body)?["error"]["code"].take())
    };
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for params in [json!({}), json!({"cursor": null})] {
            ensure!(code(method, params)?.is_null(), "{method}");
        }
        for cursor in [json!("bogus"), json!(""), json!(5)] {
            ensure!(code(method, json!({"cursor": cursor}))? == -32602, "{method} {cursor}");
        }
    }
    for reference in [
        json!({"type": "ref/other", "name": "recall-context"}),
        json!({"name": "recall-context"}),
        json!({"type": "ref/prompt"}),
        json!({"type": "ref/prompt", "uri": "memory://entity/{name}"}),
        json!({"type": "ref/resource", "name": "recall-context"}),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "topic", "value": "a"}});
        ensure!(code("completion/complete", params)? == -32602, "{reference}");
    }
    Ok(())
}

#[test]
fn a_confirmation_counts_on_another_server_with_the_same_token() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let (first, second) = (serve(&database, &[])?, serve(&database, &[])?);
    let client = Client::new(first.port);
    let (_, answer) = client.call("memory_store", &json!({"content": "Deploys run on Tuesdays"}))?;
    let mut call = json!({"name": "memory_forget", "arguments": {"id": answer["memory"]["id"]}});
    let question = client.request_alone("tools/call", &call)?;
    ensure!(question["resultType"] == "input_required", "{question}");
    call["requestState"] = question["requestState"].clone();
    call["inputResponses"] = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let done = client.at(second.port).request_alone("tools/call", &call)?;
    ensure_same(&done["structuredContent"]["deleted"], &json!([answer["memory"]["id"]]), &done)?;
    Ok(())
}

#[test]
fn a_confirmation_counts_only_for_the_whole_text_that_a_person_was_asked_about() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let client = Client::new(server.port);
    let text = |end: &str| format!("{}{end}", "Deploys run on Tuesdays. ".repeat(20));
    let (_, answer) = client.call("memory_store", &json!({"content": text("The first end")}))?;
    let id = &answer["memory"]["id"];
    let mut call = json!({"name": "memory_forget", "arguments": {"id": id}});
    let question = client.request_alone("tools/call", &call)?;
    let (is_error, answer) =
        client.call("memory_update", &json!({"id": id, "content": text("Another end")}))?;
    ensure!(!is_error, "{answer}");
    call["requestState"] = question["requestState"].clone();
    call["inputResponses"] = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let again = client.request_alone("tools/call", &call)?;
    ensure!(again["resultType"] == "input_required", "the text has changed since: {again}");
    call["requestState"] = again["requestState"].clone();
    let done = client.request_alone("tools/call", &call)?;
    ensure_same(&done["structuredContent"]["deleted"], &json!([id]), &done)?;
    Ok(())
}

#[test]
fn invalid_options_are_rejected_without_showing_the_token() -> Result<()> {
    for (options, told) in [
        (&["--http", "70000"][..], "--http must be a port"),
        (&["--http", "nowhere"], "--http must be a port"),
        (&["--http", "0", "--token", "short-secret"], "at least 16 characters"),
        (&["--http", "0", "--token", "a secret with spaces in it"], "only letters"),
        (&["--http", "unix:"], "--http needs a path after unix:"),
        (&["--http", "0", "--public-url", "http://memory.example"], "--public-url"),
        (&["--token", "correct-horse.battery~staple"], "--http, which is missing"),
        (&["--import-dir", "."], "--http, which is missing"),
    ] {
        let text = refused(options)?;
        ensure!(text.contains(told), "{options:?}: {text}");
        ensure!(!text.contains("secret") && !text.contains("horse"), "{text}");
    }
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let text = refused(&["--http", &server.port.to_string()])?;
    ensure!(text.contains("is in use"), "{text}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_and_no_token_is_logged() -> Result<()> {
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let mut limbic = Command::new(limbic_binary()?);
    limbic
        .args(["serve", "--no-model", "--db"])
        .arg(folder.path().join("memory.db"))
        .current_dir(project("tests"));
    let mut server = Server::start(limbic.stderr(std::fs::File::create(&log)?), free_port()?)?;
    Client::new(server.port).call("memory_store", &json!({"content": "It was stored"}))?;
    ensure!(Command::new("kill").arg(server.pid().to_string()).status()?.success());
    let start = std::time::Instant::now();
    while !server.has_ended() {
        ensure!(start.elapsed().as_secs() < 30, "it does not end");
        thread::sleep(std::time::Duration::from_millis(20));
    }
    let text = std::fs::read_to_string(&log)?;
    ensure!(text.contains("MCP over HTTP: http://127.0.0.1:") && !text.contains(TOKEN), "{text}");
    Ok(())
}
