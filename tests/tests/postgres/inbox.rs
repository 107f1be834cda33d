//! The command `inbox` on a store.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::Cluster;
use limbic_tests::{
    BackEnd,
    memory_file::ask,
    stdio::{self, Server},
};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::failure;

#[test]
fn the_inbox_of_a_store_is_listed_and_decided() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("inbox"), tempdir()?);
    let rule = |id: &str, content: &str| {
        json!({
            "record": "memory", "id": id, "domain": "general", "content": content, "category": "convention",
            "tier": "l0", "pinned": true, "created_at": "2026-01-01T00:00:00.000Z",
        })
    };
    let records = [
        json!({ "record": "export", "format": "limbic", "version": 1 }),
        rule("a", "Reviews need two people"),
        rule("b", "Push with --force"),
        json!({ "record": "end", "records": 2 }),
    ];
    let file = folder.path().join("notes.limbic.jsonl");
    fs::write(&file, records.map(|record| record.to_string() + "\n").concat())?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    ask(&mut server, "migrate", &json!({ "source_path": file }))?;

    let inbox = |action: &[&str]| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        Ok(limbic.args(["inbox", "--db", &address]).args(action).env("HOME", "/nonexistent").output()?)
    };
    let run = |action: &[&str]| -> Result<String> {
        let output = inbox(action)?;
        ensure!(output.status.success(), "{action:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    let waiting =
        || -> Result<Vec<Value>> { run(&[])?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect() };
    let listed = waiting()?;
    ensure!(listed.len() == 2, "{listed:?}");
    let label = listed[0]["origin"].as_str().context("a memory has an origin")?.to_owned();
    ensure!(label.starts_with("import:notes.limbic.jsonl#"), "{label}");
    run(&["accept", "a"])?;
    run(&["reject", "b"])?;
    ensure!(waiting()?.is_empty());
    let found = server.call("memory_list", "{}")?.1;
    ensure!(found.contains("two people") && !found.contains("--force"), "{found}");
    run(&["trust", &label])?;
    run(&["distrust", &label])?;
    failure(&inbox(&["accept", "no-such"])?)?;
    server.stop()
}
