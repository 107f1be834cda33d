//! Indexing between the calls of clients, in steps of limited work, and indexing that is interrupted by a full disk or
//! by a newer program: nothing is lost, the server goes on, and the index is completed afterwards.

use anyhow::{Result, ensure};
use limbic_tools::IndexStep;
use serde_json::json;

use crate::equals_fresh;
use crate::support::{Workspace, connect};

/// A project of two steps.
fn started() -> Result<Workspace> {
    let workspace = Workspace::new()?;
    for number in 0..300 {
        let body = format!("def f{number}(rows):\n    \"\"\"Sums up {number}.\"\"\"\n    return f0(rows)\n");
        workspace.write(&format!("f{number}.py"), body)?;
    }
    drop(workspace.open("one.db", 1)?);
    Ok(workspace)
}

#[test]
fn a_full_disk_interrupts_the_index_which_goes_on_when_there_is_room() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open_nearly_full("one.db", 1, 45)?;
    let arguments = json!({ "path": workspace.project(), "project_id": "p", "wait": true });
    let error = server.refused("index_project", &arguments)?;
    ensure!(error.contains("disk_full"), "{error}");
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["status"] == "indexing" && status["pending_files"] != 0, "{status}");
    let found = server.ask("search_code", &json!({ "query": "f1", "mode": "words" }))?;
    ensure!(found["pending_files"] == status["pending_files"], "{found}");
    drop(server);
    let mut server = workspace.open("one.db", 1)?;
    server.index_pending()?;
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["status"] == "completed" && status["indexed_files"] == 300, "{status}");
    equals_fresh(&workspace, "fresh.db", "after a full disk")
}

#[test]
fn the_status_says_why_an_index_between_calls_waits() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open_nearly_full("one.db", 1, 45)?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    server.index_pending().expect_err("the disk is full");
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    let reason = status["error_message"].as_str().unwrap_or_default();
    ensure!(reason == "Indexing waits: the disk is full, so make room", "{status}");
    ensure!(status["status"] == "indexing" && status["eta_seconds"].is_null(), "{status}");
    Ok(())
}

#[test]
fn a_server_stops_indexing_a_database_that_a_newer_one_has_upgraded() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    server.limbic.index_step()?;
    server.limbic.index_step()?;
    let before = workspace.rows("one.db")?;
    let other = connect(&workspace.project().with_file_name("one.db"))?;
    let known: i64 = other.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    other.pragma_update(None, "user_version", known + 1)?;
    let error = server.limbic.index_step().expect_err("the database is newer").to_string();
    ensure!(error.contains("Install a newer version of Limbic"), "{error}");
    let error = server.refused("memory_store", &json!({ "content": "Deploys run on Tuesdays" }))?;
    ensure!(error.contains("newer_version"), "{error}");
    ensure!(workspace.rows("one.db")? == before, "an old program wrote into a newer database");
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["pending_files"] == 100, "{status}");
    // The newer program goes on; here it is this one again.
    other.pragma_update(None, "user_version", known)?;
    server.index_pending()?;
    equals_fresh(&workspace, "fresh.db", "after an upgrade")
}

#[test]
fn a_step_resolves_no_further_file_after_fifty_thousand_references() -> Result<()> {
    let workspace = Workspace::new()?;
    for number in 0..4 {
        workspace.write(&format!("f{number}.py"), "f()\n".repeat(30_000))?;
    }
    let mut server = workspace.open("one.db", 1)?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    let connection = connect(&workspace.project().with_file_name("one.db"))?;
    let mut unresolved = Vec::new();
    while server.limbic.index_step()? == IndexStep::Worked {
        let sql = "SELECT count(*) FROM code_files WHERE is_unresolved AND NOT is_pending";
        unresolved.push(connection.query_row(sql, [], |row| row.get::<_, i64>(0))?);
    }
    // Two files have 60,000 references.
    let steps = [4, 2, 0];
    ensure!(unresolved.windows(3).any(|counts| counts == steps), "{unresolved:?}");
    Ok(())
}
