//! Servers whose PostgreSQL is silent, refuses connections, or loses an answer. No test asserts a duration: the limits
//! are those after which a server counts as hung.

use std::{
    fs::File,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
    proxy::Proxy,
};
use limbic_tests::{
    BackEnd,
    stdio::{self, Server},
};
use serde_json::json;
use tempfile::tempdir;

use super::{contents, limbic, store};

/// The address of a memory behind the proxy.
pub fn behind(proxy: &Proxy, cluster: &Cluster, memory: &str) -> String {
    cluster.address(memory).replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()))
}

/// Waits until a condition holds, for at most two minutes.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !is_so()? {
        ensure!(start.elapsed() < Duration::from_secs(120), "it did not happen in time: {what}");
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn serve(address: &str) -> Result<http::Server> {
    let mut limbic = Command::new(stdio::limbic_binary()?);
    http::Server::start(limbic.args(["serve", "--no-model", "--db", address]), free_port()?)
}

#[test]
fn a_silent_server_fails_a_call_and_is_used_again_when_it_answers() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let address = behind(&proxy, &cluster, "silent") + "&connect_timeout=1&answer_timeout=1";
    let server = serve(&address)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    proxy.hold();
    let (is_error, answer) = client.call("memory_list", &json!({}))?;
    ensure!(is_error && answer.to_string().contains("does not answer"), "{answer}");
    let (is_error, answer) = client.call("memory_store", &json!({"content": "It is stored meanwhile"}))?;
    ensure!(is_error && answer.to_string().contains("does not answer"), "{answer}");
    proxy.release();
    wait_for("the server is used again", || Ok(!client.call("memory_list", &json!({}))?.0))?;
    let found = client.call("memory_list", &json!({}))?.1.to_string();
    ensure!(found.contains("stored before") && !found.contains("meanwhile"), "{found}");
    Ok(())
}

#[test]
fn calls_wait_for_an_outage_together() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let server = serve(&behind(&proxy, &cluster, "outage"))?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    let before = proxy.connections();
    proxy.refuse();
    let calling: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            thread::spawn(move || client.call("memory_list", &json!({})))
        })
        .collect();
    for call in calling {
        let (is_error, answer) = call.join().map_err(|_| anyhow!("a client panicked"))??;
        ensure!(is_error && answer.to_string().contains("does not answer"), "{answer}");
    }
    // One call tries ten times a second for ten seconds. Four that wait one after the other would try 400 times.
    let attempts = proxy.connections() - before;
    ensure!(attempts < 150, "{attempts} attempts to connect");
    proxy.release();
    wait_for("the server is used again", || Ok(!client.call("memory_list", &json!({}))?.0))
}

#[test]
fn an_idle_server_does_not_wait_for_an_outage() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let mut limbic = Command::new(stdio::limbic_binary()?);
    let address = behind(&proxy, &cluster, "idle");
    let server =
        http::Server::start(limbic.args(["serve", "--test-encoder", "--db", &address]), free_port()?)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    let before = proxy.connections();
    proxy.refuse();
    wait_for("idle work needs a connection", || Ok(proxy.connections() > before))?;
    let seen = proxy.connections();
    thread::sleep(Duration::from_secs(5));
    // Work that waited would try ten times a second.
    let attempts = proxy.connections() - seen;
    ensure!(attempts < 25, "{attempts} attempts to connect");
    Ok(())
}

#[test]
fn a_thread_tries_a_silent_postgresql_while_calls_are_answered() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let server = serve(&(behind(&proxy, &cluster, "probed") + "&connect_timeout=1&answer_timeout=1"))?;
    let client = http::Client::new(server.port);
    let fails = || -> Result<()> {
        let (is_error, answer) = client.call("memory_list", &json!({}))?;
        ensure!(is_error && answer.to_string().contains("does not answer"), "{answer}");
        Ok(())
    };
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    proxy.hold();
    let before = proxy.connections();
    // The first call finds that its connection is silent. After a rest, one cannot connect.
    wait_for("a call tries to connect", || {
        fails()?;
        Ok(proxy.connections() > before)
    })?;
    for _ in 0..2 {
        let before = proxy.connections();
        wait_for("it is tried without a call", || Ok(proxy.connections() > before))?;
        fails()?;
    }
    proxy.release();
    wait_for("the server is used again", || Ok(!client.call("memory_list", &json!({}))?.0))?;
    let found = client.call("memory_list", &json!({}))?.1.to_string();
    ensure!(found.contains("It was stored before"), "{found}");
    Ok(())
}

#[test]
fn a_server_ends_on_a_signal_while_postgresql_is_silent() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    for is_connected in [true, false] {
        let proxy = Proxy::to(cluster.port())?;
        // Longer than the test waits for the end.
        let address = behind(&proxy, &cluster, "signal") + "&connect_timeout=600&answer_timeout=600";
        if !is_connected {
            // A server connects when it starts.
            proxy.hold();
        }
        let mut server = serve(&address)?;
        let client = http::Client::new(server.port);
        if is_connected {
            ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
            proxy.hold();
        }
        let calling = thread::spawn(move || client.call("memory_list", &json!({})));
        wait_for("PostgreSQL is asked for", || Ok(proxy.connections() > 0))?;
        // The signal must find the call in its wait; nothing shows when a request was written.
        thread::sleep(Duration::from_millis(200));
        ensure!(Command::new("kill").args(["-TERM", &server.pid().to_string()]).status()?.success());
        wait_for("the server ends", || Ok(server.has_ended()))?;
        // It may be answered with an error, or not at all.
        let _ = calling.join().map_err(|_| anyhow!("the client panicked"))?;
    }
    Ok(())
}

#[test]
fn a_commit_whose_answer_never_comes_is_found_on_a_new_connection() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let address = behind(&proxy, &cluster, "unanswered") + "&answer_timeout=2";
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    proxy.silence_after("; COMMIT");
    store(&mut server, "Its commit was not answered")?;
    let found = contents(&mut server)?;
    ensure!(found.matches("Its commit was not answered").count() == 1, "{found}");
    server.stop()
}

#[test]
fn a_commit_to_which_a_pooler_answers_with_an_error_of_its_own_is_stored_once() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let address = behind(&proxy, &cluster, "pooler_error");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    // PostgreSQL has received both the pages and the commit. 58000 is a system error, which PostgreSQL reports, too.
    proxy.fail_after("; COMMIT", "58000");
    store(&mut server, "Its commit took effect")?;
    let found = contents(&mut server)?;
    ensure!(found.matches("Its commit took effect").count() == 1, "{found}");
    server.stop()
}

/// Demotes a server without closing its connections, as a pooler or an administrator does, and promotes its standby.
fn switch_over(primary: &Cluster, standby: &Cluster) -> Result<()> {
    primary.sql("postgres", "ALTER SYSTEM SET default_transaction_read_only = on")?;
    primary.sql("postgres", "SELECT pg_reload_conf()")?;
    standby.promote()
}

#[test]
fn reads_and_tokens_follow_to_the_host_that_writes() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let standby = primary.standby()?;
    let address = primary.address_with(&standby, "demoted");
    let token = |command: &str| -> Result<String> {
        let done = limbic(&format!("token {command} laptop"), &address, &[])?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8(done.stdout)?.trim().to_owned())
    };
    let mut reader = Server::native_of_several(Path::new(&address))?;
    store(&mut reader, "It was stored before")?;
    let laptop = token("create")?;
    let http = serve(&address)?;
    let status = || -> Result<u16> {
        let client = http::Client::with_token(http.port, &laptop);
        Ok(client.post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?.status)
    };
    wait_for("the token is known", || Ok(status()? != 401))?;
    primary.wait_for_standby()?;
    switch_over(&primary, &standby)?;
    let mut writer = Server::native_of_several(Path::new(&address))?;
    wait_for("a new server writes", || {
        Ok(!writer.call("memory_store", r#"{"content":"It was stored after the promotion"}"#)?.0)
    })?;
    wait_for("a server that only lists reads it", || {
        Ok(contents(&mut reader)?.contains("after the promotion"))
    })?;
    token("revoke")?;
    ensure!(status()? == 401, "a token that was revoked at the new primary is still valid");
    writer.stop()?;
    reader.stop()
}

#[test]
fn a_server_follows_to_the_host_that_writes_when_its_own_turns_read_only() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let standby = primary.standby()?;
    let address = primary.address_with(&standby, "read-only");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    primary.wait_for_standby()?;
    store(&mut server, "The standby has it as well")?;
    switch_over(&primary, &standby)?;
    wait_for("the server writes to the promoted one", || {
        Ok(!server.call("memory_store", r#"{"content":"It was stored after the promotion"}"#)?.0)
    })?;
    let found =
        standby.sql("postgres", "SELECT version > 0 FROM limbic_memories WHERE memory = 'read-only'")?;
    ensure!(found == "t" && contents(&mut server)?.contains("after the promotion"));
    server.stop()
}

#[test]
fn the_outcome_of_a_commit_is_unknown_where_postgresql_stays_away() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    // The outcome is queried for twice this time.
    let address = behind(&proxy, &cluster, "unknown") + "&connect_timeout=1&answer_timeout=60";
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    let sql = "SELECT version FROM limbic_memories WHERE memory = 'unknown'";
    let before = cluster.sql("postgres", sql)?;
    proxy.silence_after("; COMMIT");
    let storing = thread::spawn(move || -> Result<(Server, (bool, String))> {
        let answer = server.call("memory_store", r#"{"content":"Nobody was told of it"}"#)?;
        Ok((server, answer))
    });
    wait_for("the commit takes effect", || Ok(cluster.sql("postgres", sql)? != before))?;
    proxy.refuse();
    let (mut server, (is_error, answer)) = storing.join().map_err(|_| anyhow!("the client panicked"))??;
    ensure!(is_error && answer.contains("outcome_unknown"), "{answer}");
    ensure!(answer.contains("It is unknown whether this call was stored"), "{answer}");
    proxy.release();
    wait_for("the server is used again", || Ok(!server.call("memory_list", "{}")?.0))?;
    ensure!(contents(&mut server)?.contains("Nobody was told of it"));
    server.stop()
}

/// The number of lines of a server's log that contain a text.
fn lines(log: &Path, text: &str) -> Result<usize> {
    Ok(std::fs::read_to_string(log)?.lines().filter(|line| line.contains(text)).count())
}

#[test]
fn an_outage_is_logged_at_its_begin_and_its_end() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (proxy, folder) = (Proxy::to(cluster.port())?, tempdir()?);
    let (address, log) =
        (behind(&proxy, &cluster, "logged") + "&connect_timeout=1", folder.path().join("log"));
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--test-encoder", "--toolsets", "memory,code", "--db", &address]);
    let server =
        http::Server::start(limbic.current_dir(folder.path()).stderr(File::create(&log)?), free_port()?)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    for outage in 1..=2 {
        let before = proxy.connections();
        proxy.refuse();
        ensure!(client.call("memory_list", &json!({}))?.0);
        // Idle work tries as well.
        wait_for("it is tried again and again", || Ok(proxy.connections() > before + 5))?;
        ensure!(client.call("memory_list", &json!({}))?.0);
        proxy.release();
        wait_for("the server is used again", || Ok(!client.call("memory_list", &json!({}))?.0))?;
        wait_for("the end is logged", || Ok(lines(&log, "answers again")? >= outage))?;
        let text = std::fs::read_to_string(&log)?;
        ensure!(
            lines(&log, "; it is tried again")? == outage && lines(&log, "answers again")? == outage,
            "{text}"
        );
        ensure!(lines(&log, " is paused: ")? <= outage && !text.contains(PASSWORD), "{text}");
    }
    Ok(())
}
