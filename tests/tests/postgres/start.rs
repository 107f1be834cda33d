//! The start of a server over HTTP: what its log says of a store that it cannot use, and the answers to health checks.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use anyhow::{Context, Result, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
    proxy::Proxy,
};
use limbic_tests::stdio;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{
    limbic,
    outages::{behind, wait_for},
    prepared,
};

/// Starts a server that writes its log to a file. `more` are further arguments, split at spaces.
fn serve(address: &str, log: &Path, more: &str) -> Result<http::Server> {
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db", address]).args(more.split_whitespace());
    http::Server::start(limbic.stderr(File::create(log)?), free_port()?)
}

/// The answer to a health check as a proxy sends it: without a token, under a name of its own.
fn health(server: &http::Server) -> Result<(u16, Value)> {
    let host = ("Host".to_owned(), "checks.example".to_owned());
    let http::Response { status, body, .. } =
        http::Client::new(server.port).send("GET", "/healthz", &[host], "")?;
    Ok((status, serde_json::from_str(&body).context(body)?))
}

fn unavailable(reason: &str) -> (u16, Value) {
    (503, json!({"status": "unavailable", "reason": reason}))
}

#[test]
fn a_server_says_at_its_start_why_it_cannot_use_its_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    prepared(&cluster, "begun")?;
    cluster.sql("begun", &format!("CREATE ROLE without_rights LOGIN PASSWORD '{PASSWORD}'"))?;
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let user = |user: &str, password: &str| cluster.address_of(user, password, "begun", "team");
    for (address, more, says, reason) in [
        (user("limbic", "wrong"), "", "password authentication failed", "refused"),
        (
            format!("postgres://limbic:{PASSWORD}@127.0.0.1:{}/begun?memory=team", free_port()?),
            "",
            "does not answer",
            "unreachable",
        ),
        (cluster.address_in("never_created", "team"), "", "Create it with createdb", "refused"),
        (user("without_rights", PASSWORD), "", "The role needs", "refused"),
        (cluster.address_in("begun", "other"), "--read-only", "there is no memory at", "refused"),
    ] {
        let server = serve(&address, &log, more)?;
        wait_for("its log says it", || Ok(fs::read_to_string(&log)?.contains("cannot be opened")))?;
        let said = fs::read_to_string(&log)?;
        ensure!(said.matches(says).count() == 1, "{says:?}: {said}");
        ensure!(!said.contains("the memory is in") && !said.contains(PASSWORD), "{said}");
        let expected = unavailable(reason);
        ensure!(health(&server)? == expected, "{:?}", health(&server)?);
    }
    Ok(())
}

#[test]
fn a_server_starts_before_its_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let folder = tempdir()?;
    let log = folder.path().join("log");
    proxy.refuse();
    let server = serve(&behind(&proxy, &cluster, "early"), &log, "")?;
    wait_for("its log says it", || Ok(fs::read_to_string(&log)?.contains("cannot be opened")))?;
    ensure!(health(&server)?.0 == 503);
    proxy.release();
    wait_for("the store is reached", || Ok(health(&server)? == (200, json!({"status": "ok"}))))?;
    let stored =
        http::Client::new(server.port).call("memory_store", &json!({"content": "The boat sleeps"}))?;
    ensure!(!stored.0, "{}", stored.1);
    wait_for("its log says so", || Ok(fs::read_to_string(&log)?.contains("answers again")))?;
    ensure!(fs::read_to_string(&log)?.matches("does not answer").count() == 1);
    Ok(())
}

#[test]
fn a_store_that_can_be_used_is_opened_at_the_start() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("opened"), tempdir()?);
    let log = folder.path().join("log");
    let server = serve(&address, &log, "")?;
    wait_for("its log says it", || Ok(fs::read_to_string(&log)?.contains("the memory is in postgres://")))?;
    ensure!(health(&server)?.0 == 200);
    let listed = limbic("pages list", &address, &[])?;
    ensure!(String::from_utf8_lossy(&listed.stdout).contains("opened"), "{listed:?}");
    Ok(())
}

#[test]
fn health_checks_notice_missing_rights_and_a_removed_memory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "watched")?;
    cluster.sql("watched", &format!("CREATE ROLE watcher LOGIN PASSWORD '{PASSWORD}'"))?;
    let grant = |rights: &str| {
        let grant = format!("GRANT {rights} ON limbic_store, limbic_memories, limbic_pages TO watcher");
        cluster.sql("watched", &grant)
    };
    let folder = tempdir()?;
    let log = folder.path().join("log");
    let ok = (200, json!({"status": "ok"}));
    let becomes = |server: &http::Server, state: &(u16, Value)| {
        wait_for(&format!("{state:?}"), || Ok(health(server)? == *state))
    };
    grant("SELECT, INSERT, UPDATE, DELETE")?;
    let server = serve(&cluster.address_of("watcher", PASSWORD, "watched", "team"), &log, "")?;
    becomes(&server, &ok)?;
    cluster.sql("watched", "REVOKE UPDATE ON limbic_pages FROM watcher")?;
    becomes(&server, &unavailable("refused"))?;
    grant("UPDATE")?;
    becomes(&server, &ok)?;
    let dropped = limbic("pages drop team --yes", &address, &[])?;
    ensure!(dropped.status.success(), "{dropped:?}");
    becomes(&server, &unavailable("refused"))?;
    Ok(())
}
