//! The memories of a store: listing, removing, and importing into one that holds nothing.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::Cluster;
use limbic_tests::{
    BackEnd,
    memory_file::ask,
    stdio::{Server, limbic_binary},
};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{connect, contents, failure, limbic, prepared, store};

/// The lines of a command that succeeds, as JSON.
fn lines(command: &str, address: &str) -> Result<Vec<Value>> {
    let output = limbic(command, address, &[])?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

#[test]
fn a_database_without_a_store_has_no_memories() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE no_store")?;
    let address = cluster.address_in("no_store", "team");
    ensure!(lines("pages list", &address)?.is_empty());
    ensure!(failure(&limbic("pages drop", &address, &["team"])?)?.contains("there is no memory at"));
    let tables = "SELECT count(*) FROM pg_class WHERE relname LIKE 'limbic%'";
    ensure!(cluster.sql("no_store", tables)? == "0", "asking creates nothing");
    Ok(())
}

#[test]
fn a_store_in_another_schema_is_none_that_is_hidden() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE two_schemas")?;
    cluster.sql("two_schemas", "CREATE SCHEMA one; CREATE SCHEMA two")?;
    let address = |schema: &str| {
        format!("{}&options=-csearch_path%3D{schema}", cluster.address_in("two_schemas", "team"))
    };
    for schema in ["one", "two"] {
        let made = limbic("call memory_list --no-model", &address(schema), &[])?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    ensure!(limbic("token create laptop", &address("two"), &[])?.status.success());
    let listed = limbic("token list", &address("one"), &[])?;
    ensure!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    Ok(())
}

#[test]
fn what_may_only_read_imports_and_removes_nothing() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "kept")?, tempdir()?);
    let file = folder.path().join("copy.db");
    let file = file.to_str().context("a path is text")?;
    ensure!(limbic("pages export", &address, &[file])?.status.success());
    let other = address.replace("memory=team", "memory=other");
    for (command, address, argument) in
        [("pages drop --yes", &address, "team"), ("pages import", &other, file)]
    {
        let mut limbic = Command::new(limbic_binary()?);
        limbic.args(command.split(' ')).args([argument, "--db", address]).env("LIMBIC_READ_ONLY", "1");
        let refused = failure(&limbic.output()?)?;
        ensure!(refused.contains("LIMBIC_READ_ONLY"), "{refused}");
    }
    ensure!(lines("pages list", &address)?.len() == 1);
    Ok(())
}

#[test]
fn the_memories_of_a_store_are_listed_and_removed_by_their_name() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "removal")?;
    let other = address.replace("memory=team", "memory=other");
    ensure!(limbic("call memory_list --no-model", &other, &[])?.status.success());
    ensure!(limbic("token create laptop", &address, &[])?.status.success());
    let listed = lines("pages list", &address)?;
    let names: Vec<&Value> = listed.iter().map(|memory| &memory["name"]).collect();
    ensure!(names == ["other", "team"], "{listed:?}");
    let team = &listed[1];
    ensure!(team["bytes"].as_u64() == team["pages"].as_u64().map(|pages| pages * 4096), "{team}");
    ensure!(team["last_written"].as_str() >= team["created"].as_str(), "{team}");
    // The name of the address does not matter.
    let elsewhere = address.replace("memory=team", "memory=unknown");
    ensure!(lines("pages list", &elsewhere)? == listed, "a list creates no memory");
    let unknown = failure(&limbic("pages drop --yes", &address, &["nobody"])?)?;
    ensure!(unknown.contains("there is no memory at") && unknown.contains("memory=nobody"), "{unknown}");
    ensure!(failure(&limbic("pages drop", &address, &["nobody"])?)?.contains("there is no memory at"));
    let shown = limbic("pages drop", &elsewhere, &["team"])?;
    ensure!(shown.status.code() == Some(1) && failure(&shown)?.contains("--yes"));
    ensure!(lines("pages list", &address)? == listed, "nothing was removed");
    let removed = limbic("pages drop --yes", &elsewhere, &["team"])?;
    ensure!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    ensure!(lines("pages list", &address)?.len() == 1);
    for table in ["limbic_pages", "limbic_tokens"] {
        let left = format!("SELECT count(*) FROM {table} WHERE memory = 'team'");
        ensure!(cluster.sql("removal", &left)? == "0", "{table}");
    }
    ensure!(failure(&limbic("token list", &address, &[])?)?.contains("there is no memory at"));
    Ok(())
}

#[test]
fn a_server_whose_memory_was_removed_says_so_and_creates_no_other_one() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "removed")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    let folder = tempdir()?;
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().context("a path is text")?;
    ensure!(limbic("pages export", &address, &[copy])?.status.success());
    // Not while another program writes.
    let writer = connect(&address)?;
    writer.execute_batch("BEGIN IMMEDIATE")?;
    let busy = failure(&limbic("pages drop --yes", &address, &["team"])?)?;
    ensure!(busy.contains("is being written"), "{busy}");
    writer.execute_batch("ROLLBACK")?;
    drop(writer);
    ensure!(limbic("pages drop --yes", &address, &["team"])?.status.success());
    let sessions = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                    WHERE datname = 'removed' AND pid <> pg_backend_pid()";
    for _ in 0..2 {
        for (tool, arguments) in
            [("memory_list", "{}"), ("memory_store", r#"{"content":"It is not stored"}"#)]
        {
            let (is_error, answer) = server.call(tool, arguments)?;
            ensure!(is_error && answer.contains("is no longer in the store"), "{answer}");
        }
        // A connection that is made again finds the same.
        cluster.sql("removed", sessions)?;
    }
    ensure!(cluster.sql("removed", "SELECT count(*) FROM limbic_memories")? == "0");
    ensure!(limbic("pages import", &address, &[copy])?.status.success());
    // It is another history, which is reported once.
    let (is_error, answer) = server.call("memory_list", "{}")?;
    ensure!(!is_error || answer.contains("database_moved"), "{answer}");
    ensure!(contents(&mut server)?.contains("It was stored before"));
    server.stop()
}

#[test]
fn an_import_replaces_a_memory_that_servers_have_opened_if_it_holds_nothing() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("opened"), tempdir()?);
    let file = folder.path().join("memory.db");
    let mut source = Server::native_of_several(&file)?;
    store(&mut source, "Deploys run on Tuesdays")?;
    source.stop()?;
    let path = file.to_str().context("a path is text")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    ensure!(!contents(&mut server)?.contains("Tuesdays"));
    ensure!(!server.call("memory_recall", r#"{"query":"When do deploys run?"}"#)?.0);
    let imported = limbic("pages import", &address, &[path])?;
    ensure!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let (is_error, answer) = server.call("memory_list", "{}")?;
    ensure!(is_error && answer.contains("database_moved") && answer.contains("an import"), "{answer}");
    ensure!(contents(&mut server)?.contains("Tuesdays"));
    server.stop()?;
    // One in which something was stored is not replaced, also if it was deleted later.
    let used = cluster.address("used");
    let mut server = Server::native_of_several(Path::new(&used))?;
    let stored = store(&mut server, "Reviews need two people")?;
    let refused = failure(&limbic("pages import", &used, &[path])?)?;
    ensure!(refused.contains("is not empty") && refused.contains("limbic pages drop"), "{refused}");
    ask(&mut server, "memory_forget", &json!({ "id": stored["memory"]["id"] }))?;
    ensure!(failure(&limbic("pages import", &used, &[path])?)?.contains("is not empty"));
    ensure!(!contents(&mut server)?.contains("Tuesdays"));
    server.stop()
}
