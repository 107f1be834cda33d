//! The log of a server whose store refuses it: one line when that begins, and one when it ends.

use std::{fs::File, path::Path, process::Command};

use anyhow::{Result, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::stdio;
use serde_json::json;
use tempfile::tempdir;

use super::{outages::wait_for, prepared};

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
