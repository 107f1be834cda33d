//! Watched projects: what a change of files leads to, and which folders are watched.

use std::fs;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use limbic_tools::{IndexStep, Options};
use serde_json::{Value, json};

use crate::support::{Server, Workspace};
use crate::{equals_fresh, started};

/// Indexes a project, watches it, and takes note of its folders.
fn watched(workspace: &Workspace, number: u8) -> Result<Server> {
    let mut server = workspace.open("one.db", number)?;
    let arguments = json!({ "path": workspace.project(), "project_id": "p", "wait": true, "watch": true });
    ensure!(server.ask("index_project", &arguments)?["status"] == "completed");
    server.index_pending()?;
    Ok(server)
}

/// The watched folders, if they are not those of the last time.
fn folders(server: &mut Server) -> Result<Option<Vec<String>>> {
    let projects = server.limbic.watched_folders()?;
    ensure!(projects.as_ref().is_none_or(|projects| projects.len() < 2), "{projects:?}");
    Ok(projects.map(|projects| {
        let mut folders: Vec<String> = projects.into_iter().flat_map(|project| project.folders).collect();
        folders.sort();
        folders
    }))
}

/// Notifies the server of changed paths.
fn report(workspace: &Workspace, server: &mut Server, paths: &[&str]) -> Result<()> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    Ok(server.limbic.files_changed(&workspace.project().to_string_lossy(), &paths)?)
}

/// Notifies the server of changed paths, and indexes them. Returns whether it had to list the files of the project
/// again.
fn change(workspace: &Workspace, server: &mut Server, paths: &[&str]) -> Result<bool> {
    let before = server.limbic.watched_folders()?;
    ensure!(before.is_none(), "nothing was walked before the change: {before:?}");
    report(workspace, server, paths)?;
    server.index_pending()?;
    Ok(server.limbic.watched_folders()?.is_some())
}

#[test]
fn a_change_is_indexed_by_reading_its_file_alone_or_by_a_sweep() -> Result<()> {
    let workspace = started()?;
    workspace.write(".gitignore", "build/\n*.log\n")?;
    workspace.write("build/made.py", "def made(): pass\n")?;
    let mut server = watched(&workspace, 1)?;
    ensure!(folders(&mut server)? == Some(vec![String::new(), "app".into(), "src".into()]));
    let module = "def late():\n    pass\n";
    type Change<'a> = Box<dyn Fn() -> Result<()> + 'a>;
    let steps: [(&str, &[&str], bool, Change); 9] = [
        ("changed", &["main.py"], false, Box::new(|| workspace.write("main.py", module))),
        ("new", &["app/late.py"], false, Box::new(|| workspace.write("app/late.py", module))),
        ("deleted", &["app/late.py"], false, Box::new(|| workspace.remove("app/late.py"))),
        (
            "excluded",
            &["build", "build/x.py", "x.log"],
            false,
            Box::new(|| workspace.write("build/x.py", module)),
        ),
        ("a file that is gone again", &["src/.a.rs.swp"], false, Box::new(|| Ok(()))),
        ("a new folder", &["lib"], true, Box::new(|| workspace.write("lib/deep/late.py", module))),
        ("a folder in place of a file", &["main.py"], true, {
            Box::new(|| {
                workspace.remove("main.py")?;
                workspace.write("main.py/late.py", module)
            })
        }),
        (
            "a deleted folder",
            &["app"],
            true,
            Box::new(|| Ok(fs::remove_dir_all(workspace.project().join("app"))?)),
        ),
        ("other rules", &[".gitignore"], true, Box::new(|| workspace.write(".gitignore", "src/\n"))),
    ];
    for (number, (name, paths, is_sweep, step)) in steps.iter().enumerate() {
        step()?;
        ensure!(change(&workspace, &mut server, paths)? == *is_sweep, "{name}");
        equals_fresh(&workspace, &format!("fresh-{number}.db"), name)?;
    }
    workspace.write("lib/late.py", module)?;
    ensure!(change(&workspace, &mut server, &[])?, "without paths, everything may have changed");
    equals_fresh(&workspace, "fresh.db", "no paths")
}

#[test]
fn a_question_finds_the_names_of_many_changed_files_that_wait() -> Result<()> {
    let workspace = started()?;
    let write = |name: &str| -> Result<Vec<String>> {
        (0..60)
            .map(|number| {
                let path = format!("many/m{number}.py");
                workspace.write(&path, format!("def {name}_{number}():\n    pass\n"))?;
                Ok(path)
            })
            .collect()
    };
    write("old")?;
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    let changed = write("fresh")?;
    report(&workspace, &mut server, &changed.iter().map(String::as_str).collect::<Vec<_>>())?;
    let found = server.ask("search_symbols", &json!({ "query": "fresh_31" }))?;
    ensure!(found["total"] == 1, "{found}");
    Ok(())
}

#[test]
fn a_project_is_watched_by_every_server_until_it_is_indexed_without() -> Result<()> {
    let workspace = started()?;
    let mut one = watched(&workspace, 1)?;
    ensure!(folders(&mut one)?.is_some_and(|folders| folders.contains(&"app".to_owned())));
    ensure!(folders(&mut one)?.is_none(), "they have not changed");
    // Another server does not know the folders, and lists them once.
    workspace.write("lib/late.py", "def late():\n    pass\n")?;
    let mut two = workspace.open("one.db", 2)?;
    ensure!(folders(&mut two)? == Some(Vec::new()), "nothing was walked yet");
    two.index_pending()?;
    ensure!(folders(&mut two)?.is_some_and(|folders| folders.contains(&"lib".to_owned())));
    ensure!(two.ask("search_symbols", &json!({ "query": "late" }))?["total"] == 1);
    let status = |server: &mut Server| server.ask("get_index_status", &json!({ "project_id": "p" }));
    ensure!(status(&mut one)?["watched"] == true);
    // A sweep that says nothing about watching changes nothing.
    one.index(&workspace.project())?;
    ensure!(folders(&mut one)?.is_some_and(|folders| !folders.is_empty()));
    let arguments = json!({ "path": workspace.project(), "project_id": "p", "wait": true, "watch": false });
    one.ask("index_project", &arguments)?;
    ensure!(folders(&mut one)? == Some(Vec::new()) && status(&mut one)?["watched"].is_null());
    workspace.write("lib/late.py", "def later():\n    pass\n")?;
    report(&workspace, &mut one, &["lib/late.py"])?;
    ensure!(
        status(&mut one)?["status"] == "completed",
        "a change of a project that is not watched is ignored"
    );
    Ok(())
}

#[test]
fn a_project_whose_folder_was_gone_is_indexed_when_it_is_back() -> Result<()> {
    for is_watched in [true, false] {
        let workspace = started()?;
        let mut server = watched(&workspace, 1)?;
        let arguments = json!({ "path": workspace.project(), "project_id": "p", "watch": is_watched });
        server.ask("index_project", &arguments)?;
        server.index_pending()?;
        let away = workspace.project().with_file_name("away");
        if !is_watched {
            server.ask("index_project", &arguments)?;
        }
        fs::rename(workspace.project(), &away)?;
        server.index_pending()?;
        drop(server);
        let mut server = workspace.open("one.db", 2)?;
        server.index_pending()?;
        let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
        ensure!(status["status"] == "failed", "{status}");
        ensure!(folders(&mut server)? == Some(Vec::new()));
        ensure!(server.limbic.index_step()? == IndexStep::Idle, "it is not tried again at once");
        let status_after = |number: u8, seconds: i64| -> Result<(Server, Value)> {
            let mut server = workspace.open_after("one.db", number, seconds)?;
            server.index_pending()?;
            let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
            Ok((server, status))
        };
        ensure!(status_after(3, 700)?.1["status"] == "failed", "the folder is still gone");
        fs::rename(&away, workspace.project())?;
        workspace.write("lib/late.py", "def late():\n    pass\n")?;
        ensure!(status_after(4, 900)?.1["status"] == "failed", "it was tried three minutes before");
        let (mut server, status) = status_after(5, 1400)?;
        ensure!(status["status"] == "completed" && (status["watched"] == true) == is_watched, "{status}");
        if is_watched {
            ensure!(folders(&mut server)?.is_some_and(|folders| folders.contains(&"lib".to_owned())));
        }
        equals_fresh(&workspace, "fresh.db", "it is back")?;
    }
    Ok(())
}

#[test]
fn a_sweep_that_has_not_begun_keeps_its_turn() -> Result<()> {
    let workspace = started()?;
    let mut server = watched(&workspace, 1)?;
    workspace.write("lib/late.py", "def late():\n    pass\n")?;
    let total = |server: &mut Server| -> Result<u64> {
        let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
        status["total_files"].as_u64().context("a number")
    };
    let before = total(&mut server)?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    let other = workspace.project().with_file_name("other");
    fs::create_dir(&other)?;
    server.ask("index_project", &json!({ "path": other, "project_id": "other" }))?;
    // A new folder: its project would otherwise be listed after the other one, and again after each change.
    report(&workspace, &mut server, &["lib"])?;
    server.limbic.index_step()?;
    ensure!(total(&mut server)? == before + 1, "the project that began first is listed first");
    Ok(())
}

#[test]
fn the_status_of_a_project_tells_the_progress_of_an_update() -> Result<()> {
    let workspace = started()?;
    let mut server = watched(&workspace, 1)?;
    let status = |server: &mut Server| server.ask("get_index_status", &json!({ "project_id": "p" }));
    // A second each by the test clock.
    for _ in 0..60 {
        server.ask("list_projects", &json!({}))?;
    }
    let before = status(&mut server)?;
    workspace.write("main.py", "def late():\n    pass\n")?;
    report(&workspace, &mut server, &["main.py"])?;
    let during = status(&mut server)?;
    ensure!(during["status"] == "indexing" && during["pending_files"] == 1, "{during}");
    ensure!(during["progress_percent"].as_u64().is_some_and(|percent| percent < 100), "{during}");
    ensure!(during["started_at"].as_str() > before["completed_at"].as_str(), "{during}");
    ensure!(during["completed_at"].is_null() && during["eta_seconds"].as_i64() < Some(60), "{during}");
    server.index_pending()?;
    ensure!(status(&mut server)?["progress_percent"] == 100);
    Ok(())
}

/// The number of symbols that call `helper`.
fn callers(server: &mut Server) -> Result<usize> {
    let arguments = json!({ "symbol_id": "p:app/base.py#helper", "action": "callers" });
    let graph = server.ask("symbol_graph", &arguments)?;
    Ok(graph["edges"].as_array().context("edges")?.len())
}

#[test]
fn an_answer_has_what_was_reported_before_it() -> Result<()> {
    let workspace = started()?;
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    let caller = |name: &str| format!("from app.base import helper\n\ndef {name}():\n    return helper()\n");
    ensure!(callers(&mut server)? == 1);
    workspace.write("app/second.py", caller("second"))?;
    workspace.write("main.py", caller("main"))?;
    ensure!(callers(&mut server)? == 1, "nothing was reported yet");
    report(&workspace, &mut server, &["app/second.py", "main.py"])?;
    ensure!(callers(&mut server)? == 3);
    // A new folder, whose files only a walk finds.
    workspace.write("lib/third.py", caller("third"))?;
    report(&workspace, &mut server, &["lib"])?;
    ensure!(callers(&mut server)? == 4);
    let found = server.ask("search_symbols", &json!({ "query": "helper" }))?;
    ensure!(found["total"] == 1 && found["pending_files"] == 0, "{found}");
    server.index_pending()?;
    equals_fresh(&workspace, "fresh.db", "after the answers")
}

#[test]
fn an_answer_has_the_relations_of_a_file_that_a_step_has_just_read() -> Result<()> {
    let workspace = started()?;
    // Files that have just changed are read again before every answer.
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for path in ["app/__init__.py", "app/base.py", "app/models.py", "main.py", "src/lib.rs", "src/a.rs"] {
        let file = fs::File::options().append(true).open(workspace.project().join(path))?;
        file.set_modified(long_ago)?;
    }
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    workspace.write("app/second.py", "from app.base import helper\n\ndef second():\n    helper()\n")?;
    report(&workspace, &mut server, &["app/second.py"])?;
    ensure!(server.limbic.index_step()? == IndexStep::Worked);
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["pending_files"] == 0 && status["status"] == "indexing", "{status}");
    ensure!(callers(&mut server)? == 2);
    Ok(())
}

#[test]
fn many_reported_files_are_counted_and_read_later() -> Result<()> {
    let workspace = started()?;
    let paths: Vec<String> = (0..30).map(|number| format!("f{number}.py")).collect();
    for path in &paths {
        workspace.write(path, "def late():\n    pass\n")?;
    }
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    for path in &paths {
        workspace.write(path, "from app.base import helper\n\ndef late():\n    return helper()\n")?;
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    report(&workspace, &mut server, &paths)?;
    let arguments = json!({ "symbol_id": "p:app/base.py#helper", "action": "callers" });
    let graph = server.ask("symbol_graph", &arguments)?;
    ensure!(graph["pending_files"] == 30, "{graph}");
    server.index_pending()?;
    ensure!(callers(&mut server)? == 31);
    equals_fresh(&workspace, "fresh.db", "after the steps")
}

#[test]
fn a_project_that_waits_for_a_sweep_is_compared_before_an_answer_that_found_nothing() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    workspace.write("lib/late.py", "def late():\n    pass\n")?;
    ensure!(server.ask("search_symbols", &json!({ "query": "late" }))?["total"] == 1);
    server.index_pending()?;
    equals_fresh(&workspace, "fresh.db", "after the sweep")
}

#[test]
fn a_client_that_only_reads_does_not_stop_the_index() -> Result<()> {
    let workspace = started()?;
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    server.limbic.set_access(Options { read_only: true, ..Workspace::options() });
    workspace.write("app/second.py", "from app.base import helper\n\ndef second():\n    helper()\n")?;
    report(&workspace, &mut server, &["app/second.py"])?;
    ensure!(server.limbic.index_step()? == IndexStep::Worked);
    ensure!(callers(&mut server)? == 2);
    Ok(())
}

#[test]
fn calls_that_read_code_are_distinguished() -> Result<()> {
    let workspace = started()?;
    let server = workspace.open("one.db", 1)?;
    for (tool, arguments, expected) in [
        ("search_code", "{}", true),
        ("search_symbols", "{}", true),
        ("symbol_graph", "{}", true),
        ("get_index_status", "{}", true),
        ("memory_recall", r#"{"include_code": true}"#, true),
        ("memory_recall", r#"{"include_code": false}"#, false),
        ("memory_recall", "{}", false),
        ("memory_store", "{}", false),
        ("index_project", "{}", false),
        ("no_tool", "{}", false),
        ("search_code", "[", false),
    ] {
        ensure!(server.limbic.reads_code(tool, arguments) == expected, "{tool} {arguments}");
    }
    Ok(())
}

#[test]
fn many_new_paths_at_once_are_a_sweep() -> Result<()> {
    let workspace = started()?;
    workspace.write(".gitignore", "*.log\n")?;
    let mut server = watched(&workspace, 1)?;
    folders(&mut server)?;
    let added = |kind: &str, count: usize| -> Result<Vec<String>> {
        let paths: Vec<String> = (0..count).map(|number| format!("app/{kind}{number}.py")).collect();
        for path in &paths {
            workspace.write(path, format!("def {kind}(): pass\n"))?;
        }
        Ok(paths)
    };
    let mut change_all = |paths: &[String]| -> Result<bool> {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        change(&workspace, &mut server, &paths)
    };
    ensure!(!change_all(&added("few", 16)?)?, "few are read alone");
    ensure!(change_all(&added("many", 17)?)?, "many are a sweep");
    // Known ones and those that are gone are no new ones.
    ensure!(!change_all(&added("many", 17)?)?);
    let gone: Vec<String> = (0..40).map(|number| format!("app/gone{number}.tmp")).collect();
    ensure!(!change_all(&gone)?);
    equals_fresh(&workspace, "fresh.db", "after many changes")
}
