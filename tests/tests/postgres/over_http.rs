//! Servers over HTTP in front of one store: their named tokens, and the explorer.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Output},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use limbic_pages::{Address, postgres::TokenTable};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
    proxy::Proxy,
};
use limbic_tests::stdio;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{
    PING, failure, limbic,
    outages::{behind, wait_for},
};

#[test]
fn a_token_revoked_at_one_server_is_refused_at_all() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("tokens");
    let token = |what: &str, address: &str| limbic(&format!("token {what}"), address, &[]);
    let created = |name: &str, address: &str| -> Result<String> {
        let output = token(&format!("create {name} --user {name}"), address)?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let unknown = failure(&token("list", &address)?)?;
    ensure!(unknown.contains("there is no memory at") && unknown.contains("memory=tokens"), "{unknown}");
    ensure!(limbic("call memory_list --no-model", &address, &[])?.status.success());
    let listed = token("list", &address)?;
    ensure!(listed.status.success() && listed.stdout.is_empty(), "a store without tokens has none");
    let start = || -> Result<http::Server> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        http::Server::start(limbic.args(["serve", "--no-model", "--db", &address]), free_port()?)
    };
    let servers = [start()?, start()?];
    let (ada, ben) = (created("ada", &address)?, created("ben", &address)?);
    ensure!(failure(&token("create ada", &address)?)?.contains("there is a token \"ada\" already"));
    let mut client = http::Client::with_token(servers[0].port, &ada);
    client.initialize("test")?;
    ensure!(!client.call("memory_store", &json!({"content": "The boat sleeps"}))?.0);
    let elsewhere = http::Client::with_token(servers[1].port, &ben);
    let listed = elsewhere.call("memory_list", &json!({}))?.1;
    ensure!(listed["total"] == 0, "another user's: {listed}");
    // The session goes on at the other server, with its token.
    let client = client.at(servers[1].port);
    ensure!(client.call("memory_list", &json!({}))?.1["total"] == 1);
    let line = String::from_utf8(token("list", &address)?.stdout)?;
    let listed: Value = serde_json::from_str(line.lines().next().context("there are tokens")?)?;
    ensure!(listed["name"] == "ada" && listed["user"] == "ada" && listed["last_used"].is_string(), "{line}");
    // The tokens of another memory in the store are others.
    let other = cluster.address("tokens-of-another");
    ensure!(created("ada", &other)? != ada && token("revoke ben", &other)?.status.code() == Some(1));
    ensure!(token("revoke ada", &address)?.status.success());
    for server in &servers {
        let response = client.at(server.port).post(PING)?;
        ensure!(response.status == 401, "{response:?}");
    }
    ensure!(elsewhere.request("ping", &json!({})).is_ok());
    Ok(())
}

#[test]
fn only_few_requests_wait_for_a_lookup_of_their_tokens() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let address = behind(&proxy, &cluster, "lookups") + "&connect_timeout=600";
    let mut limbic = Command::new(stdio::limbic_binary()?);
    let mut server =
        http::Server::start(limbic.args(["serve", "--no-model", "--db", &address]), free_port()?)?;
    let port = server.port;
    wait_for("the memory is opened", || Ok(proxy.connections() == 1))?;
    // What has not the form of a token needs no lookup.
    for text in ["limbic_x", "limbic_", &format!("limbic_{}", "x".repeat(10_000))] {
        let response = http::Client::with_token(port, text).post(PING)?;
        ensure!(response.status == 401, "{response:?}");
    }
    ensure!(proxy.connections() == 1, "{} connections", proxy.connections());
    proxy.hold();
    let (sender, responses) = channel();
    for _ in 0..80 {
        let (sender, client) =
            (sender.clone(), http::Client::with_token(port, &format!("limbic_{}", "x".repeat(43))));
        // The test may have ended.
        thread::spawn(move || drop(sender.send(client.post(PING))));
    }
    let refused = responses.recv_timeout(Duration::from_secs(60))??;
    ensure!(refused.status == 503 && refused.body.contains("tokens_busy"), "{refused:?}");
    ensure!(http::Client::new(port).post(PING)?.status == 200, "the server's own token needs no lookup");
    server.kill();
    Ok(())
}

#[test]
fn a_token_whose_answer_was_lost_is_created_and_revoked_once() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let address = Address::parse(&behind(&proxy, &cluster, "token-answers"), &|_| None)?;
    let mut table = TokenTable::new(&address, false);
    ensure!(table.add("first", "digest-of-first", "{}")?);
    proxy.cut_after("digest-of-second");
    ensure!(table.add("second", "digest-of-second", "{}")?, "its own row counted as another's");
    ensure!(
        !table.add("second", "digest-of-third", "{}")? && !table.add("second", "digest-of-second", "{}")?
    );
    proxy.cut_after("digest-of-second");
    ensure!(table.remove("second")?, "it was there");
    ensure!(table.list()?.len() == 1 && !table.remove("second")?);
    Ok(())
}

#[test]
fn tokens_move_with_their_memory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("tokens-moved"), tempdir()?);
    let path = |name: &str| folder.path().join(name).to_str().map(str::to_owned).context("a path is text");
    let (file, copy) = (path("memory.db")?, path("copy.db")?);
    let succeeds = |output: Output| -> Result<String> {
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    succeeds(limbic(
        "call memory_store --no-model",
        &file,
        &[r#"{"content":"The boat sleeps","user_id":"ada"}"#],
    )?)?;
    let token = succeeds(limbic("token create laptop --user ada", &file, &[])?)?;
    // Another token of the same name would lose its meaning.
    succeeds(limbic("token create laptop", &address, &[])?)?;
    let clash = failure(&limbic("pages import", &address, &[&file])?)?;
    ensure!(clash.contains("laptop") && clash.contains("--no-tokens"), "{clash}");
    ensure!(
        failure(&limbic("pages export", &address, &[&copy])?)?.contains("there is no memory at"),
        "the memory was stored"
    );
    succeeds(limbic("token revoke laptop", &address, &[])?)?;
    let imported = limbic("pages import", &address, &[&file])?;
    let told = String::from_utf8_lossy(&imported.stderr).into_owned();
    ensure!(
        imported.status.success() && told.contains("laptop") && told.contains("until they are revoked"),
        "{told}"
    );
    let mut serve = Command::new(stdio::limbic_binary()?);
    let server = http::Server::start(serve.args(["serve", "--no-model", "--db", &address]), free_port()?)?;
    let client = http::Client::with_token(server.port, &token);
    let listed = client.call("memory_list", &json!({}))?.1;
    ensure!(listed["total"] == 1, "{listed}");
    succeeds(limbic("pages export", &address, &[&copy])?)?;
    let line: Value = serde_json::from_str(&succeeds(limbic("token list", &copy, &[])?)?)?;
    ensure!(line["name"] == "laptop" && line["user"] == "ada" && line["last_used"].is_string(), "{line}");
    let digest = |database: &str| -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(format!("{database}-tokens/laptop.json"))?)?)
    };
    ensure!(digest(&file)? == digest(&copy)?);
    let alone = path("alone.db")?;
    succeeds(limbic("pages export --no-tokens", &address, &[&alone])?)?;
    ensure!(succeeds(limbic("token list", &alone, &[])?)?.is_empty());
    Ok(())
}

#[test]
fn the_explorer_on_a_store_is_notified_of_changes_by_other_servers() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("explorer"), tempdir()?);
    std::fs::write(folder.path().join("index.html"), "<!doctype html>")?;
    let start = || -> Result<http::Server> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        limbic.args(["serve", "--no-model", "--ui", "--db", &address, "--ui-dir"]).arg(folder.path());
        http::Server::start(limbic.env("LIMBIC_PAGE_TOKEN", "the-token-of-the-page-in-tests"), free_port()?)
    };
    let (shown, other) = (start()?, start()?);
    let get = |path: &str| -> Result<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", shown.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let head = format!("Host: 127.0.0.1:{}\r\nConnection: close", shown.port);
        let token = "Authorization: Bearer the-token-of-the-page-in-tests";
        write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n{token}\r\n\r\n")?;
        Ok(stream)
    };
    let whole = |path: &str| -> Result<String> {
        let mut bytes = Vec::new();
        get(path)?.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let mut events = get("/api/events")?;
    let mut text = String::new();
    let mut wait_for = |part: &str| -> Result<()> {
        while !text.contains(part) {
            let mut bytes = [0; 4096];
            let count = events.read(&mut bytes)?;
            text.push_str(&String::from_utf8_lossy(&bytes[..count]));
            ensure!(count > 0 && text.matches("still here").count() < 2, "{part} does not come: {text}");
        }
        Ok(())
    };
    wait_for("hello")?;
    http::Client::new(other.port).call("memory_store", &json!({"content": "The boat sleeps"}))?;
    wait_for(r#"{"type":"changed"}"#)?;
    let status = whole("/api/status")?;
    ensure!(status.contains("memory=explorer") && !status.contains(PASSWORD), "{status}");
    ensure!(status.contains(r#""overwrites":false"#), "{status}");
    let database = whole("/api/database")?;
    ensure!(database.contains("SQLite format 3") && database.contains("The boat sleeps"));
    Ok(())
}

#[test]
fn the_event_streams_of_a_token_share_the_lookups_that_check_it() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let (address, folder) = (cluster.address("streams"), tempdir()?);
    std::fs::write(folder.path().join("index.html"), "<!doctype html>")?;
    let created = |name: &str| -> Result<String> {
        let output = limbic(&format!("token create {name} --explorer"), &address, &[])?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let (many, one) = (created("many")?, created("one")?);
    let digest = |name: &str| {
        cluster.sql("postgres", &format!("SELECT sha256 FROM limbic_tokens WHERE name = '{name}'"))
    };
    let (of_many, of_one) = (digest("many")?, digest("one")?);
    cluster.sql("postgres", "ALTER SYSTEM SET log_statement = 'all'")?;
    cluster.sql("postgres", "SELECT pg_reload_conf()")?;
    let mut limbic_serve = Command::new(stdio::limbic_binary()?);
    limbic_serve.args(["serve", "--no-model", "--ui", "--db", &address, "--ui-dir"]).arg(folder.path());
    limbic_serve.env("LIMBIC_PAGE_TOKEN", "the-token-of-the-page-in-tests");
    let server = http::Server::start(&mut limbic_serve, free_port()?)?;
    let stream = |token: &str| -> Result<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port))?;
        let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {token}", server.port);
        write!(stream, "GET /api/events HTTP/1.1\r\n{head}\r\n\r\n")?;
        Ok(stream)
    };
    const STREAMS: usize = 20;
    let mut open = (0..STREAMS).map(|_| stream(&many)).collect::<Result<Vec<_>>>()?;
    open.push(stream(&one)?);
    let lookups = |digest: &str| -> Result<usize> { Ok(cluster.log()?.matches(digest).count()) };
    wait_for("the tokens are checked again and again", || Ok(lookups(&of_one)? >= 6))?;
    // Each stream's own request is looked up as well.
    let (many, one) = (lookups(&of_many)? - STREAMS, lookups(&of_one)?);
    ensure!(many <= 3 * one, "{many} lookups for {STREAMS} streams, {one} for one");
    Ok(())
}
