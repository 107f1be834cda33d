//! A full disk at the database server: that of its tables, and that of its log of changes (`pg_wal`).

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::{Cluster, SmallDisk};
use limbic_tests::{BackEnd, memory_file::ask, stdio::Server};
use serde_json::json;

use super::{contents, prepared, store};

/// Lets every page that is inserted fail with the error that PostgreSQL raises without free disk space (53100).
pub fn fill_disk(cluster: &Cluster, database: &str) -> Result<()> {
    cluster.sql(
        database,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$; \
         CREATE TRIGGER full_disk BEFORE INSERT ON limbic_pages EXECUTE FUNCTION full_disk()",
    )?;
    Ok(())
}

#[test]
fn a_full_disk_of_the_database_server_is_reported_and_loses_nothing() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "full_disk")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    fill_disk(&cluster, "full_disk")?;
    let (is_error, answer) = server.call("memory_store", r#"{"content":"There is no room for it"}"#)?;
    ensure!(is_error && answer.contains("disk_full"), "{answer}");
    ensure!(answer.contains("The disk of the database server is full"), "{answer}");
    cluster.sql("full_disk", "DROP TRIGGER full_disk ON limbic_pages")?;
    let found = contents(&mut server)?;
    ensure!(found.contains("here before") && !found.contains("no room"), "{found}");
    store(&mut server, "There is room again")?;
    server.stop()
}

/// Stores until then have filled the disk of `pg_wal`.
const MAX_STORES: u64 = 2_000;
/// Megabytes of that disk, before and after room was made.
const MEGABYTES: [u32; 2] = [12, 64];

#[test]
fn a_full_disk_of_the_log_of_changes_loses_nothing_that_was_acknowledged() -> Result<()> {
    let Some(disk) = SmallDisk::mount(MEGABYTES[0])? else { return Ok(()) };
    let Some(cluster) = Cluster::start_with_log_on(&disk)? else { return Ok(()) };
    let address = cluster.address("log") + "&connect_timeout=1";
    let mut server = Server::native_of_several(Path::new(&address))?;
    let mut acknowledged: u64 = 0;
    let answer = loop {
        let content = json!({ "content": format!("Number {acknowledged} was acknowledged") }).to_string();
        let (is_error, answer) = server.call("memory_store", &content)?;
        if is_error {
            break answer;
        }
        acknowledged += 1;
        ensure!(acknowledged < MAX_STORES, "the disk does not become full");
    };
    // PostgreSQL ends at once, so it is unknown whether it had committed.
    let told = ["outcome_unknown", "does not answer", "reported"];
    ensure!(told.iter().any(|told| answer.contains(told)), "{answer}");
    ensure!(cluster.log()?.contains("No space left on device"), "{answer}");
    disk.grow(MEGABYTES[1])?;
    // It may have ended already.
    let _ = cluster.crash();
    cluster.resume()?;
    store(&mut server, "There is room again")?;
    let listed = ask(&mut server, "memory_list", &json!({ "limit": 1 }))?;
    let total = listed["total"].as_u64().context("a list has a total")?;
    // The last store and that of unknown outcome.
    ensure!(matches!(total.checked_sub(acknowledged), Some(1 | 2)), "{total} are there of {acknowledged}");
    server.stop()
}
