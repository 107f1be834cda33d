//! Files and folders that cannot be read for a while are neither deleted from the index nor left unread.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::support::{ChangingFiles, Locked, Server, Workspace, connect, locking_files};
use limbic_code_disk::DiskFiles;

const A: &str = "def alpha():\n    return 1\n";
const B: &str = "def beta():\n    return 2\n";
const DENIED: &str = "cannot be read: you may not read it";

/// A project of two files, of which `inner/b.py` is linked to the memory `m`.
fn started(clock: Option<i64>) -> Result<(Workspace, Server, Locked)> {
    let workspace = Workspace::new()?;
    workspace.write("a.py", A)?;
    workspace.write("inner/b.py", B)?;
    let (mut server, locked) = opened(&workspace, clock)?;
    server.index(&workspace.project())?;
    let memory = json!({ "id": "m", "content": "Beta is two", "symbols": ["inner/b.py#beta"] });
    server.ask("memory_store", &memory)?;
    Ok((workspace, server, locked))
}

fn opened(workspace: &Workspace, clock: Option<i64>) -> Result<(Server, Locked)> {
    let mut server = match clock {
        Some(millis) => workspace.open_at("one.db", &Rc::new(Cell::new(millis)))?,
        None => workspace.open("one.db", 1)?,
    };
    let locked = Locked::default();
    let root = workspace.project();
    server.limbic.set_code_files(Box::new(locking_files(&root, &locked)));
    Ok((server, locked))
}

/// A time at which the files of the test are old: size and time tell that they have not changed.
fn later() -> Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    Ok(i64::try_from(now)? + 3_600_000)
}

fn state(server: &mut Server) -> Result<String> {
    let found = server.ask("memory_get", &json!({ "ids": ["m"] }))?;
    Ok(found["memories"][0]["symbols"][0]["state"].as_str().unwrap_or("none").to_owned())
}

/// The names of the results of a search, and the count of pending files.
fn found(server: &mut Server, query: &str) -> Result<(Vec<String>, Value)> {
    let answer = server.ask("search_code", &json!({ "query": query, "mode": "words" }))?;
    let names = answer["results"].as_array().into_iter().flatten();
    let names = names.map(|it| it["name"].as_str().unwrap_or("?").to_owned()).collect();
    Ok((names, answer["pending_files"].clone()))
}

fn symbols(server: &mut Server) -> Result<Vec<String>> {
    let answer = server.ask("search_symbols", &json!({ "query": "" }))?;
    let ids = answer["results"].as_array().into_iter().flatten();
    Ok(ids.map(|it| it["name"].as_str().unwrap_or("?").to_owned()).collect())
}

#[test]
fn a_folder_that_cannot_be_listed_keeps_its_files() -> Result<()> {
    for clock in [None, Some(later()?)] {
        let (workspace, mut server, locked) = started(clock)?;
        locked.borrow_mut().insert(workspace.project().join("inner"));
        // By a question, and by a sweep.
        for sweeps in [false, true] {
            if sweeps {
                server.index(&workspace.project())?;
            }
            ensure!(found(&mut server, "nothing")?.0.is_empty(), "no such word");
            ensure!(state(&mut server)? == "unknown", "{clock:?} {sweeps}: {}", state(&mut server)?);
            ensure!(symbols(&mut server)? == ["alpha"], "what cannot be looked at is not shown");
        }
        let skipped = server.skipped()?;
        ensure!(skipped.contains(&("inner".into(), "you may not read it".into())), "{skipped:?}");
        ensure!(skipped.contains(&("inner/b.py".into(), DENIED.into())), "{skipped:?}");
        locked.borrow_mut().clear();
        ensure!(found(&mut server, "beta")? == (vec!["beta".to_owned()], json!(0)), "again, {clock:?}");
        ensure!(state(&mut server)? == "holds", "{}", state(&mut server)?);
        server.index(&workspace.project())?;
        ensure!(server.skipped()?.is_empty(), "{:?}", server.skipped()?);
    }
    Ok(())
}

#[test]
fn files_of_a_folder_that_is_deleted_while_another_is_locked_are_deleted() -> Result<()> {
    let (workspace, mut server, locked) = started(None)?;
    workspace.write("other/c.py", "def gamma():\n    return 3\n")?;
    server.index(&workspace.project())?;
    locked.borrow_mut().insert(workspace.project().join("inner"));
    fs::remove_dir_all(workspace.project().join("other"))?;
    ensure!(found(&mut server, "gamma")?.0.is_empty(), "deleted");
    locked.borrow_mut().clear();
    ensure!(symbols(&mut server)? == ["alpha", "beta"], "{:?}", symbols(&mut server)?);
    Ok(())
}

#[test]
fn a_file_that_cannot_be_read_is_left_out_and_read_again_later() -> Result<()> {
    for clock in [None, Some(later()?)] {
        let (workspace, mut server, locked) = started(clock)?;
        let file = workspace.project().join("inner/b.py");
        locked.borrow_mut().insert(file);
        workspace.write("inner/b.py", B.replace("2", "20"))?;
        ensure!(found(&mut server, "beta")? == (Vec::new(), json!(1)), "{:?}", found(&mut server, "beta")?);
        ensure!(state(&mut server)? == "unknown", "{}", state(&mut server)?);
        ensure!(server.skipped()? == [("inner/b.py".into(), DENIED.into())], "{:?}", server.skipped()?);
        server.index(&workspace.project())?;
        ensure!(server.skipped()? == [("inner/b.py".into(), DENIED.into())], "{:?}", server.skipped()?);
        ensure!(state(&mut server)? == "unknown", "{}", state(&mut server)?);
        let source = json!({ "project_id": "p", "file_path": "inner/b.py" });
        let refused = server.refused("explore_source", &source)?;
        ensure!(refused.contains("you may not read it"), "{refused}");
        let listed = server.ask("explore_code", &json!({ "project_id": "p", "folder": "inner" }))?;
        ensure!(listed["files"][0]["skipped"] == DENIED, "{listed}");
        // Neither the size nor the time changes.
        locked.borrow_mut().clear();
        ensure!(state(&mut server)? == "changed", "{}", state(&mut server)?);
        ensure!(found(&mut server, "beta")?.0 == ["beta"] && server.skipped()?.is_empty(), "read again");
        workspace.write("inner/b.py", B)?;
        ensure!(state(&mut server)? == "holds", "{}", state(&mut server)?);
    }
    Ok(())
}

#[test]
fn a_file_that_could_not_be_read_at_first_is_read_by_the_next_question() -> Result<()> {
    for clock in [None, Some(later()?)] {
        let workspace = Workspace::new()?;
        workspace.write("a.py", A)?;
        workspace.write("b.py", B)?;
        let (mut server, locked) = opened(&workspace, clock)?;
        locked.borrow_mut().insert(workspace.project().join("b.py"));
        server.index(&workspace.project())?;
        ensure!(server.skipped()? == [("b.py".into(), DENIED.into())], "{:?}", server.skipped()?);
        ensure!(found(&mut server, "beta")?.0.is_empty() && symbols(&mut server)? == ["alpha"]);
        // As earlier versions have stored it.
        let time = fs::metadata(workspace.project().join("b.py"))?.modified()?.duration_since(UNIX_EPOCH)?;
        let values = [i64::try_from(B.len())?, i64::try_from(time.as_nanos())?];
        let other = connect(&workspace.project().with_file_name("one.db"))?;
        other.execute("UPDATE code_files SET size = ?1, mtime = ?2 WHERE path = 'b.py'", values)?;
        locked.borrow_mut().clear();
        ensure!(found(&mut server, "beta")?.0 == ["beta"], "{clock:?}");
        ensure!(server.skipped()?.is_empty(), "{:?}", server.skipped()?);
        ensure!(symbols(&mut server)? == ["alpha", "beta"]);
    }
    Ok(())
}

#[test]
fn ignore_rules_that_cannot_be_read_are_named_and_do_not_count() -> Result<()> {
    for clock in [None, Some(later()?)] {
        let (workspace, mut server, locked) = started(clock)?;
        workspace.write("inner/.gitignore", "made.py\n")?;
        workspace.write("inner/made.py", "def made():\n    return 4\n")?;
        server.index(&workspace.project())?;
        ensure!(symbols(&mut server)? == ["alpha", "beta"] && server.skipped()?.is_empty(), "ignored");
        locked.borrow_mut().insert(workspace.project().join("inner/.gitignore"));
        server.index(&workspace.project())?;
        let reason = "an ignore file that cannot be read (you may not read it), whose rules do not count";
        ensure!(server.skipped()? == [("inner/.gitignore".into(), reason.into())], "{:?}", server.skipped()?);
        ensure!(symbols(&mut server)? == ["alpha", "beta", "made"], "{:?}", symbols(&mut server)?);
        // Neither the size nor the time changes.
        locked.borrow_mut().clear();
        ensure!(found(&mut server, "nothing")?.0.is_empty(), "no such word");
        ensure!(symbols(&mut server)? == ["alpha", "beta"], "{:?}", symbols(&mut server)?);
        server.index(&workspace.project())?;
        ensure!(server.skipped()?.is_empty(), "{:?}", server.skipped()?);
    }
    Ok(())
}

#[test]
fn a_symbol_of_a_file_that_cannot_be_read_is_refused_with_the_reason() -> Result<()> {
    for clock in [None, Some(later()?)] {
        let (workspace, mut server, locked) = started(clock)?;
        workspace.write("c.py", "from inner.b import beta\n\ndef gamma():\n    return beta()\n")?;
        server.index(&workspace.project())?;
        let file = workspace.project().join("inner/b.py");
        locked.borrow_mut().insert(file);
        workspace.write("inner/b.py", B.replace("2", "20"))?;
        let of_line = json!({ "file_path": "inner/b.py", "line": 1, "action": "callees" });
        let in_line = json!({ "file_path": "inner/b.py", "line": 2, "action": "definition" });
        for asked in [json!({ "symbol_id": "p:inner/b.py#beta", "action": "callers" }), of_line, in_line] {
            let refused = server.refused("symbol_graph", &asked)?;
            ensure!(refused.contains("inner/b.py") && refused.contains("you may not read it"), "{refused}");
        }
        // Another symbol is shown, without the relations of the file.
        let asked = json!({ "symbol_id": "p:c.py#gamma", "action": "callees" });
        let answer = server.ask("symbol_graph", &asked)?;
        ensure!(answer["nodes"].as_array().map(Vec::len) == Some(1), "{answer}");
        locked.borrow_mut().clear();
        let answer = server.ask("symbol_graph", &asked)?;
        ensure!(answer["nodes"].as_array().map(Vec::len) == Some(2), "{answer}");
    }
    Ok(())
}

#[test]
fn a_binary_file_that_could_not_be_read_for_a_while_is_still_binary() -> Result<()> {
    let (workspace, mut server, locked) = started(None)?;
    workspace.write("c.py", b"def c():\n    return \"\0\"\n")?;
    server.index(&workspace.project())?;
    ensure!(server.skipped()? == [("c.py".into(), "binary".into())], "{:?}", server.skipped()?);
    locked.borrow_mut().insert(workspace.project().join("c.py"));
    server.index(&workspace.project())?;
    ensure!(server.skipped()? == [("c.py".into(), DENIED.into())], "{:?}", server.skipped()?);
    locked.borrow_mut().clear();
    server.index(&workspace.project())?;
    ensure!(server.skipped()? == [("c.py".into(), "binary".into())], "{:?}", server.skipped()?);
    Ok(())
}

#[test]
fn a_folder_that_disappears_while_it_is_indexed_is_read_when_it_is_back() -> Result<()> {
    let workspace = Workspace::new()?;
    workspace.write("a.py", A)?;
    workspace.write("b.py", B)?;
    let (project, away) = (workspace.project(), workspace.project().with_file_name("away"));
    let mut server = workspace.open("one.db", 1)?;
    let disk = DiskFiles::below_root(project.parent().unwrap_or(&project));
    let (from, to) = (project.clone(), away.clone());
    // After the walk, and before any file is read.
    let walked = move || drop(fs::rename(&from, &to));
    let files = ChangingFiles { disk, limit: None, has_threads: false, walked, read: |_: &str| {} };
    server.limbic.set_code_files(Box::new(files));
    let indexed =
        server.ask("index_project", &json!({ "path": &project, "project_id": "p", "wait": true }))?;
    ensure!(indexed["status"] == "failed", "nothing was read: {indexed}");
    fs::rename(&away, &project)?;
    drop(server);
    let mut server = workspace.open("one.db", 1)?;
    ensure!(found(&mut server, "beta")?.0 == ["beta"], "{:?}", found(&mut server, "beta")?);
    Ok(())
}
