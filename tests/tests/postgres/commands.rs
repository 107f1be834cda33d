//! Commands on a store: exports that replace a file, imports that fail, and commands that only read.

use std::{
    fs::{self, File},
    process::Command,
};

use anyhow::{Result, ensure};
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::stdio::{self};
use serde_json::json;
use tempfile::tempdir;

use super::{outages::wait_for, prepared};

#[test]
fn the_log_of_a_server_has_the_reason_of_the_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let log = folder.path().join("log");
    prepared(&cluster, "logged_reason")?;
    cluster.sql("logged_reason", &format!("CREATE ROLE logged LOGIN PASSWORD '{PASSWORD}'"))?;
    let tables = "limbic_store, limbic_memories, limbic_pages";
    cluster.sql("logged_reason", &format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO logged"))?;
    let address = cluster.address_of("logged", PASSWORD, "logged_reason", "team");
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db", &address]).stderr(File::create(&log)?);
    let server = http::Server::start(&mut limbic, free_port()?)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_list", &json!({}))?.0);
    cluster.sql("logged_reason", "REVOKE UPDATE ON limbic_memories FROM logged")?;
    ensure!(!client.call("memory_recall", &json!({"query": "here before"}))?.0);
    wait_for("it is logged", || Ok(fs::read_to_string(&log)?.contains(" is paused: ")))?;
    let text = fs::read_to_string(&log)?;
    ensure!(text.contains("permission denied for table limbic_memories"), "{text}");
    ensure!(!text.contains("disk I/O error") && !text.contains(PASSWORD), "{text}");
    Ok(())
}
