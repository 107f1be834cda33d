//! Two servers on one database: none replaces what another one has read later, and an answer waits for none.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::db::wal::WalFile;
use limbic_core::rusqlite::Connection;
use serde_json::json;

use crate::support::{ChangingFiles, Server, Workspace, connect};
use crate::{BASE, equals_fresh, search, started};

/// How long the write waits that an answer can do without.
const BRIEF: Duration = Duration::from_millis(500);

/// Files that are the same all the time; `walked` and `read` are called after a walk and after each reading.
fn watching<W: FnMut(), R: FnMut(&str)>(root: &Path, walked: W, read: R) -> Box<ChangingFiles<W, R>> {
    Box::new(ChangingFiles {
        disk: DiskFiles::below_root(root),
        limit: None,
        has_threads: false,
        walked,
        read,
    })
}

/// A write transaction of another server that does not end.
fn writing(workspace: &Workspace) -> Result<Connection> {
    let other = connect(&workspace.project().with_file_name("one.db"))?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    Ok(other)
}

#[test]
fn a_file_that_another_server_has_read_later_is_not_replaced() -> Result<()> {
    for (name, before) in [
        ("changed", Some(BASE.replace("helper", "former"))),
        ("as it was", Some(BASE.to_owned())),
        ("gone", None),
    ] {
        let workspace = started()?;
        let mut one = workspace.open("one.db", 1)?;
        one.index(&workspace.project())?;
        let two = Rc::new(RefCell::new(workspace.open("one.db", 2)?));
        let file = workspace.project().join("app/base.py");
        match &before {
            Some(text) => {
                fs::write(&file, text)?;
                let other = connect(&workspace.project().with_file_name("one.db"))?;
                other.execute("UPDATE code_files SET is_pending = 1 WHERE path = 'app/base.py'", [])?;
                other.execute("UPDATE code_projects SET status = 'indexing'", [])?;
            }
            None => fs::remove_file(&file)?,
        }
        let (stored, found) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(0)));
        let later = {
            let (two, stored, found, file) = (two.clone(), stored.clone(), found.clone(), file.clone());
            move || {
                if !stored.replace(true) {
                    fs::write(&file, BASE.replace("helper", "assist")).expect("there is room");
                    let hits = search(&mut two.borrow_mut(), "assist").expect("the search succeeds");
                    found.set(hits.len());
                }
            }
        };
        if before.is_some() {
            one.limbic.set_code_files(watching(
                &workspace.project(),
                || {},
                move |path: &str| {
                    if path == "app/base.py" {
                        later();
                    }
                },
            ));
            one.index_pending()?;
        } else {
            // A comparison does not find the file, and another server finds it again.
            one.limbic.set_code_files(watching(&workspace.project(), later, |_: &str| {}));
            ensure!(search(&mut one, "zzyzx")?.is_empty());
        }
        ensure!(stored.get() && found.get() > 0, "{name}: the other server has stored it");
        drop(one);
        let mut three = workspace.open("one.db", 3)?;
        let symbols = three.ask("list_projects", &json!({}))?["projects"][0]["symbols"].clone();
        let rows = workspace.rows("one.db")?;
        let has =
            |word: &str| rows.iter().any(|row| row.starts_with("symbol|app/base.py") && row.contains(word));
        ensure!(has("assist") && !has("former") && !has("helper"), "{name}: {symbols} symbols, {rows:#?}");
        three.index(&workspace.project())?;
        equals_fresh(&workspace, "fresh.db", name)?;
    }
    Ok(())
}

#[test]
fn a_file_that_another_server_adds_during_a_walk_stays() -> Result<()> {
    let workspace = started()?;
    let mut one = workspace.open("one.db", 1)?;
    one.index(&workspace.project())?;
    let two = Rc::new(RefCell::new(workspace.open("one.db", 2)?));
    let (root, is_first) = (workspace.project(), Cell::new(true));
    let walked = move || {
        if is_first.replace(false) {
            fs::write(root.join("late.py"), "def late():\n    pass\n").expect("there is room");
            assert!(!search(&mut two.borrow_mut(), "late").expect("the search succeeds").is_empty());
        }
    };
    one.limbic.set_code_files(watching(&workspace.project(), walked, |_: &str| {}));
    one.index(&workspace.project())?;
    equals_fresh(&workspace, "fresh.db", "after a walk that did not find the file")
}

#[test]
fn a_mark_that_comes_while_a_file_is_read_is_kept() -> Result<()> {
    let workspace = started()?;
    let watch = json!({ "path": workspace.project(), "project_id": "p", "wait": true, "watch": true });
    workspace.open("one.db", 1)?.ask("index_project", &watch)?;
    let two = Rc::new(RefCell::new(workspace.open("one.db", 2)?));
    let (file, root) =
        (workspace.project().join("app/base.py"), workspace.project().to_string_lossy().into_owned());
    let changed = {
        let two = two.clone();
        move || two.borrow_mut().limbic.files_changed(&root, &["app/base.py".to_owned()])
    };
    let (is_awaited, marked, path) = (Rc::new(Cell::new(false)), changed.clone(), file.clone());
    let mut one = workspace.open("one.db", 1)?;
    let is_read = is_awaited.clone();
    one.limbic.set_code_files(watching(
        &workspace.project(),
        || {},
        move |read: &str| {
            if read == "app/base.py" && is_read.replace(false) {
                fs::write(&path, BASE.replace("helper", "assist")).expect("it was read");
                marked().expect("the mark can be stored");
            }
        },
    ));
    // So that this server knows the folders, and no sweep finds the change.
    one.ask("index_project", &watch)?;
    fs::write(&file, BASE.replace("helper", "former"))?;
    changed()?;
    is_awaited.set(true);
    one.index_pending()?;
    ensure!(!is_awaited.get(), "the file was read");
    let rows = workspace.rows("one.db")?;
    let has = |word: &str| rows.iter().any(|row| row.starts_with("symbol|app/base.py") && row.contains(word));
    ensure!(has("assist") && !has("former"), "{rows:#?}");
    Ok(())
}

#[test]
fn a_change_after_reading_is_noticed_though_the_file_was_stored_seconds_later() -> Result<()> {
    let workspace = started()?;
    // On a file system that counts seconds.
    let at = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let file = workspace.project().join("app/base.py");
    let write = |text: &str| -> Result<()> {
        fs::write(&file, text)?;
        Ok(File::options().write(true).open(&file)?.set_modified(at)?)
    };
    write(BASE)?;
    let now = Rc::new(Cell::new(1_800_000_000_500));
    let mut server = workspace.open_at("one.db", &now)?;
    let (waiting, path) = (now.clone(), file.clone());
    let is_first = Cell::new(true);
    server.limbic.set_code_files(watching(
        &workspace.project(),
        || {},
        move |read: &str| {
            if read == "app/base.py" && is_first.replace(false) {
                // In the same second, with the same length; then the server waits for the database.
                fs::write(&path, BASE.replace("helper", "assist")).expect("it was read");
                let changed = File::options().write(true).open(&path).expect("it is there");
                changed.set_modified(at).expect("the time can be set");
                waiting.set(waiting.get() + 5_000);
            }
        },
    ));
    server.index(&workspace.project())?;
    now.set(now.get() + 60_000);
    let found = search(&mut server, "assist")?;
    let hit = found.iter().find(|hit| hit["file_path"] == "app/base.py").context("the file is found")?;
    ensure!(hit["content"].as_str().is_some_and(|text| text.contains("assist")), "{found:?}");
    Ok(())
}

#[test]
fn an_answer_does_not_wait_for_another_server_that_writes() -> Result<()> {
    let workspace = started()?;
    let waits = Rc::new(RefCell::new(Vec::new()));
    let mut server = workspace.open_listening("one.db", &waits)?;
    server.index(&workspace.project())?;
    let another = workspace.project().with_file_name("another");
    fs::create_dir(&another)?;
    fs::write(another.join("other.py"), "def other():\n    pass\n")?;
    server.ask("index_project", &json!({ "path": another, "project_id": "q", "wait": true }))?;
    ensure!(
        waits.borrow().iter().all(|wait| *wait > BRIEF),
        "a call that stores waits for others: {waits:?}"
    );
    waits.borrow_mut().clear();
    let ask = json!({ "query": "helper", "mode": "words" });
    // What is written after this answer waits for the next one.
    workspace.write("app/base.py", BASE.replace("return 1", "return 7"))?;
    let other = writing(&workspace)?;
    let found = server.ask("search_code", &ask)?;
    ensure!(found["pending_files"] == 1, "a file that changed and could not be stored is counted: {found}");
    ensure!(!found["results"].to_string().contains("return 1"), "no answer shows code that is gone: {found}");
    workspace.write("late.py", "def late():\n    pass\n")?;
    fs::write(another.join("late.py"), "def late():\n    pass\n")?;
    waits.borrow_mut().clear();
    let found = server.ask("search_code", &json!({ "query": "late", "mode": "words" }))?;
    ensure!(found["count"] == 0 && found["pending_files"] == 2, "{found}");
    // The comparison of the first project, and not that of the other one.
    ensure!(*waits.borrow() == [BRIEF], "{waits:?}");
    let found = server.ask("search_symbols", &json!({ "query": "late" }))?;
    ensure!(found["total"] == 0 && found["pending_files"] == 2, "{found}");
    let callers = json!({ "symbol_id": "p:main.py#main", "action": "callees" });
    let graph = server.ask("symbol_graph", &callers)?;
    ensure!(graph["pending_files"] == 2, "a file is counted once: {graph}");
    ensure!(waits.borrow().iter().all(|wait| *wait == BRIEF), "{waits:?}");
    other.execute_batch(
        "UPDATE code_files SET is_pending = 1 WHERE path = 'app/base.py'; COMMIT; BEGIN IMMEDIATE",
    )?;
    let found = server.ask("search_code", &ask)?;
    ensure!(found["pending_files"] == 2, "a file that waits already is counted once: {found}");
    other.execute_batch("ROLLBACK")?;
    let found = server.ask("search_code", &ask)?;
    ensure!(found["pending_files"] == 0 && found["results"].to_string().contains("return 7"), "{found}");
    ensure!(!search(&mut server, "late")?.is_empty());
    Ok(())
}

#[test]
fn accesses_that_a_busy_database_refuses_are_recorded_later() -> Result<()> {
    let workspace = Workspace::new()?;
    let mut server = workspace.open("one.db", 1)?;
    server.ask("memory_store", &json!({ "content": "Deploys run on Tuesdays" }))?;
    let accesses = || -> Result<i64> {
        let connection = connect(&workspace.project().with_file_name("one.db"))?;
        Ok(connection.query_row("SELECT access_count FROM MEMORY_NODES", [], |row| row.get(0))?)
    };
    let before = accesses()?;
    let recall = json!({ "query": "deploys" });
    let other = writing(&workspace)?;
    server.ask("memory_recall", &recall)?;
    server.limbic.finish()?;
    server.ask("memory_recall", &recall)?;
    ensure!(accesses()? == before, "another server writes");
    other.execute_batch("ROLLBACK")?;
    server.limbic.finish()?;
    ensure!(accesses()? == before + 2, "{} after {before}", accesses()?);
    Ok(())
}

#[test]
fn feedback_that_a_busy_database_refuses_is_recorded_later() -> Result<()> {
    let workspace = Workspace::new()?;
    let mut server = workspace.open("one.db", 1)?;
    let tea = json!({ "name": "Tea", "observations": ["is green"] });
    server.ask("create_entities", &json!({ "entities": [tea] }))?;
    server.ask("search_semantic", &json!({ "query": "green tea" }))?;
    server.limbic.finish()?;
    let other = writing(&workspace)?;
    server.ask("open_nodes", &json!({ "names": ["Tea"] }))?;
    server.limbic.finish()?;
    other.execute_batch("ROLLBACK")?;
    server.limbic.finish()?;
    let connection = connect(&workspace.project().with_file_name("one.db"))?;
    let rows: i64 = connection.query_row("SELECT count(*) FROM implicit_feedback", [], |row| row.get(0))?;
    ensure!(rows == 1, "{rows} uses are recorded");
    Ok(())
}

#[test]
fn what_was_deferred_is_not_done_in_a_database_that_replaces_the_first() -> Result<()> {
    let workspace = Workspace::new()?;
    let mut other = workspace.open("two.db", 2)?;
    other.ask("memory_store", &json!({ "content": "Deploys run on Mondays" }))?;
    let bytes = other.limbic.export()?;
    let mut server = workspace.open("one.db", 1)?;
    server.ask("memory_store", &json!({ "content": "Deploys run on Tuesdays" }))?;
    let accesses = || -> Result<i64> {
        let connection = connect(&workspace.project().with_file_name("one.db"))?;
        Ok(connection.query_row("SELECT access_count FROM MEMORY_NODES", [], |row| row.get(0))?)
    };
    let writer = writing(&workspace)?;
    server.ask("memory_recall", &json!({ "query": "deploys" }))?;
    server.limbic.finish()?;
    writer.execute_batch("ROLLBACK")?;
    server.limbic.import(bytes.as_slice(), bytes.len(), WalFile::Absent)?;
    let before = accesses()?;
    server.limbic.finish()?;
    ensure!(accesses()? == before, "{} after {before}", accesses()?);
    Ok(())
}

#[test]
fn a_failed_project_is_completed_after_a_comparison() -> Result<()> {
    let workspace = Workspace::new()?;
    for number in 0..250 {
        workspace.write(&format!("f{number}.py"), format!("def f{number}():\n    pass\n"))?;
    }
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let away = workspace.project().with_file_name("away");
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    fs::rename(workspace.project(), &away)?;
    server.index_pending()?;
    let status = |server: &mut Server| server.ask("get_index_status", &json!({ "project_id": "p" }));
    ensure!(status(&mut server)?["status"] == "failed", "the folder is away");
    fs::rename(&away, workspace.project())?;
    for number in 0..250 {
        workspace.write(&format!("f{number}.py"), format!("def g{number}():\n    return {number}\n"))?;
    }
    ensure!(!search(&mut server, "g249")?.is_empty() || !search(&mut server, "g0")?.is_empty());
    server.index_pending()?;
    let status = status(&mut server)?;
    ensure!(status["status"] == "completed" && status["pending_files"] == 0, "{status}");
    equals_fresh(&workspace, "fresh.db", "after a comparison")
}
