//! The log of a server whose store refuses it: one line when that begins, and one when it ends. And that of PostgreSQL,
//! which has no contents.

use std::{fs::File, path::Path, process::Command, time::Duration};

use anyhow::{Result, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::{
    BackEnd,
    stdio::{self, Server},
};
use serde_json::json;
use tempfile::tempdir;

use super::{PING, connect, failure, full_disk::fill_disk, limbic, outages::wait_for, prepared, store};

/// Starts a server that writes its log to a file.
fn serve(address: &str, log: &Path) -> Result<http::Server> {
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db", address]).stderr(File::create(log)?);
    http::Server::start(&mut limbic, free_port()?)
}

/// The number of lines of a log that contain a text.
fn lines(log: &Path, text: &str) -> Result<usize> {
    Ok(std::fs::read_to_string(log)?.lines().filter(|line| line.contains(text)).count())
}

#[test]
fn what_a_store_refuses_is_logged_at_its_begin_and_its_end() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    prepared(&cluster, "troubled")?;
    for sql in [
        format!("CREATE ROLE troubled LOGIN PASSWORD '{PASSWORD}'"),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON limbic_store, limbic_memories, limbic_pages TO troubled"
            .to_owned(),
    ] {
        cluster.sql("troubled", &sql)?;
    }
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let server = serve(&cluster.address_of("troubled", PASSWORD, "troubled", "team"), &log)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    let ends_sessions =
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'troubled'";
    let mut ends = 0;
    for (begin, end, says) in [
        (
            "ALTER ROLE troubled PASSWORD 'another'",
            &*format!("ALTER ROLE troubled PASSWORD '{PASSWORD}'"),
            "password authentication failed",
        ),
        (
            "ALTER DATABASE troubled RENAME TO elsewhere",
            "ALTER DATABASE elsewhere RENAME TO troubled",
            "does not exist",
        ),
        ("ALTER ROLE troubled NOLOGIN", "ALTER ROLE troubled LOGIN", "not permitted to log in"),
    ] {
        cluster.sql("postgres", ends_sessions)?;
        cluster.sql("postgres", begin)?;
        for _ in 0..3 {
            ensure!(client.call("memory_list", &json!({}))?.0);
        }
        wait_for("it is logged", || Ok(lines(&log, says)? > 0))?;
        cluster.sql("postgres", end)?;
        wait_for("the server is used again", || Ok(!client.call("memory_list", &json!({}))?.0))?;
        ends += 1;
        wait_for("the end is logged", || Ok(lines(&log, "can be used again")? >= ends))?;
        ensure!(lines(&log, says)? == 1, "{}", std::fs::read_to_string(&log)?);
    }
    // A read says nothing about the right to write.
    cluster.sql("troubled", "REVOKE UPDATE ON limbic_memories FROM troubled")?;
    for _ in 0..3 {
        ensure!(client.call("memory_store", &json!({"content": "It is not stored"}))?.0);
        ensure!(!client.call("memory_list", &json!({}))?.0);
    }
    let says = "permission denied for table limbic_memories";
    wait_for("it is logged", || Ok(lines(&log, says)? > 0))?;
    cluster.sql("troubled", "GRANT UPDATE ON limbic_memories TO troubled")?;
    ensure!(!client.call("memory_store", &json!({"content": "It is stored again"}))?.0);
    wait_for("the end is logged", || Ok(lines(&log, "can be used again")? > ends))?;
    let text = std::fs::read_to_string(&log)?;
    ensure!(lines(&log, says)? == 1 && lines(&log, "can be used again")? == ends + 1, "{text}");
    ensure!(!text.contains(PASSWORD) && !text.contains("another"), "{text}");
    Ok(())
}

#[test]
fn a_memory_with_another_history_is_logged() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "rewritten")?, tempdir()?);
    let log = folder.path().join("log");
    let server = serve(&address, &log)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_store", &json!({"content": "It was stored before"}))?.0);
    cluster.sql("rewritten", "UPDATE limbic_memories SET recent = decode(repeat('ab', 512), 'hex')")?;
    ensure!(client.call("memory_list", &json!({}))?.0);
    ensure!(!client.call("memory_list", &json!({}))?.0);
    wait_for("it is logged", || Ok(lines(&log, "was replaced, or lost its last changes")? == 1))
}

#[test]
fn tokens_that_cannot_be_read_are_no_wrong_tokens() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let owner = prepared(&cluster, "unread_tokens")?;
    for sql in [
        format!("CREATE ROLE unread LOGIN PASSWORD '{PASSWORD}'"),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON limbic_store, limbic_memories, limbic_pages TO unread"
            .to_owned(),
        "REVOKE USAGE ON SCHEMA public FROM PUBLIC".to_owned(),
        "GRANT USAGE ON SCHEMA public TO unread".to_owned(),
    ] {
        cluster.sql("unread_tokens", &sql)?;
    }
    let created = limbic("token create laptop", &owner, &[])?;
    let token = String::from_utf8(created.stdout)?.trim().to_owned();
    let address = cluster.address_of("unread", PASSWORD, "unread_tokens", "team");
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let server = serve(&address, &log)?;
    wait_for("the memory is opened", || Ok(lines(&log, "the memory is in")? == 1))?;
    let client = http::Client::with_token(server.port, &token);
    let status = || -> Result<u16> { Ok(client.post(PING)?.status) };
    ensure!(status()? == 503, "without SELECT on limbic_tokens");
    ensure!(lines(&log, "tokens cannot be read")? == 1, "{}", std::fs::read_to_string(&log)?);
    cluster.sql("unread_tokens", "GRANT SELECT, UPDATE ON limbic_tokens TO unread")?;
    ensure!(status()? == 200);
    cluster.sql("unread_tokens", "REVOKE USAGE ON SCHEMA public FROM unread")?;
    ensure!(status()? == 503, "without USAGE of the schema");
    ensure!(lines(&log, "search_path")? == 1, "{}", std::fs::read_to_string(&log)?);
    let refused = failure(&limbic("token list", &address, &[])?)?;
    ensure!(refused.contains("USAGE of their schema"), "{refused}");
    cluster.sql("unread_tokens", "GRANT USAGE ON SCHEMA public TO unread")?;
    ensure!(status()? == 200);
    ensure!(lines(&log, "tokens can be read again")? == 2);
    Ok(())
}

#[test]
fn the_session_that_a_write_has_waited_for_is_logged() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "held_lock")?, tempdir()?);
    let log = folder.path().join("log");
    let server = serve(&address, &log)?;
    let client = http::Client::new(server.port);
    let holder = connect(&address)?;
    // As the core does: the lock of a transaction that has not announced its write is below a savepoint.
    limbic_vfs::expect_write(Some(Duration::from_secs(60)));
    holder.execute_batch("BEGIN IMMEDIATE")?;
    limbic_vfs::expect_write(None);
    let (is_error, answer) = client.call("memory_store", &json!({"content": "It is not stored"}))?;
    ensure!(is_error && answer["code"] == "database_busy", "{answer}");
    let process = cluster.sql(
        "held_lock",
        "SELECT pid FROM pg_stat_activity WHERE datname = 'held_lock' AND state = 'idle in transaction'",
    )?;
    let advice = format!("pg_terminate_backend({})", process.trim());
    wait_for("the session is logged", || Ok(lines(&log, &advice)? == 1))?;
    ensure!(lines(&log, "of limbic at 127.0.0.1")? == 1, "{}", std::fs::read_to_string(&log)?);
    holder.execute_batch("ROLLBACK")?;
    ensure!(!client.call("memory_store", &json!({"content": "It is stored"}))?.0);
    wait_for("the end is logged", || Ok(lines(&log, "can be used again")? == 1))
}

#[test]
fn postgresql_logs_no_content_of_statements_that_fail() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let set = |setting: &str| -> Result<()> {
        cluster.sql("postgres", &format!("ALTER SYSTEM SET {setting}"))?;
        cluster.reload()
    };
    let has_logged = |content: &str| -> Result<bool> {
        let hex: String = content.bytes().map(|byte| format!("{byte:02x}")).collect();
        Ok(cluster.log()?.contains(&hex))
    };
    set("log_parameter_max_length_on_error = -1")?;
    let address = cluster.address("logged-statements");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    fill_disk(&cluster, "postgres")?;
    let (is_error, answer) = server.call("memory_store", r#"{"content":"There is no room for it"}"#)?;
    ensure!(is_error && answer.contains("disk_full"), "{answer}");
    ensure!(cluster.log()?.contains("INSERT INTO limbic_pages") && !has_logged("no room for it")?);
    cluster.sql("postgres", "DROP TRIGGER full_disk ON limbic_pages")?;
    // What is slow is logged with its parameters, unless a superuser prevents it.
    set("log_min_duration_statement = 0")?;
    store(&mut server, "A slow store")?;
    ensure!(has_logged("A slow store")?, "SECURITY.md says that it is logged");
    server.stop()?;
    cluster.sql("postgres", "ALTER ROLE limbic SET log_parameter_max_length = 0")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "Another slow one")?;
    ensure!(!has_logged("Another slow one")?);
    server.stop()
}
