//! Projects that change while they are read, and one with too many files.

use anyhow::{Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tools::IndexStep;
use serde_json::json;

use crate::{
    BASE, equals_fresh, started,
    support::{ChangingFiles, Workspace},
};

#[test]
fn a_project_that_changes_while_it_is_read_is_indexed_as_it_is_afterwards() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    let root = workspace.project();
    let (after_walk, after_reading) = (root.clone(), root.clone());
    let mut walks = 0;
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&root),
        limit: None,
        has_threads: false,
        walked: move || {
            walks += 1;
            if walks == 1 {
                // A listed file is gone, and another one is a folder now.
                std::fs::remove_file(after_walk.join("src/a.rs")).expect("it was listed");
                std::fs::remove_file(after_walk.join("main.py")).expect("it was listed");
                std::fs::create_dir(after_walk.join("main.py")).expect("there is nothing");
                std::fs::write(after_walk.join("late.py"), "def late(): pass\n").expect("there is room");
            }
        },
        read: move |path: &str| {
            // The new text has the same length, so that size and time may be the same.
            if path == "app/base.py" {
                let text = BASE.replace("helper", "assist");
                std::fs::write(after_reading.join(path), text).expect("it was read");
            }
        },
    }));
    let status = server.index(&root)?;
    ensure!(status["total_files"] == 4, "{status}");
    server.index(&root)?;
    equals_fresh(&workspace, "fresh.db", "after a second look")
}

#[test]
fn a_project_with_too_many_files_fails_and_names_the_limit() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    // All but the project, which tells of the failure.
    let files = || -> Result<Vec<String>> {
        let rows = workspace.rows("one.db")?;
        Ok(rows.into_iter().filter(|row| !row.starts_with("project|")).collect())
    };
    let before = files()?;
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&workspace.project()),
        limit: Some(3),
        has_threads: false,
        walked: || {},
        read: |_: &str| {},
    }));
    let arguments = json!({ "path": workspace.project(), "project_id": "p", "wait": true });
    let status = server.ask("index_project", &arguments)?;
    ensure!(status["status"] == "failed", "{status}");
    let reason = status["error_message"].as_str().unwrap_or_default();
    ensure!(reason.contains("more than 100000 files") && reason.contains(".memoryignore"), "{reason}");
    ensure!(files()? == before, "what was indexed stays");
    // The walk of a large folder is not repeated every ten minutes.
    let mut later = workspace.open_after("one.db", 2, 3_600)?;
    ensure!(later.limbic.index_step()? == IndexStep::Idle, "it was tried again");
    drop(later);
    // Files that are left out do not count.
    let arguments =
        json!({ "path": workspace.project(), "project_id": "p", "wait": true, "include": ["src/**"] });
    let status = server.ask("index_project", &arguments)?;
    ensure!(status["status"] == "completed", "{status}");
    Ok(())
}

#[test]
fn other_threads_give_the_facts_that_one_gives() -> Result<()> {
    let workspace = Workspace::new()?;
    let content = |number: u32, called: u32| {
        format!("from f{called} import f{called}\n\n\ndef f{number}():\n    return f{called}()\n")
    };
    for number in 0..650 {
        workspace.write(&format!("f{number}.py"), content(number, number + 1))?;
    }
    let root = workspace.project();
    let mut readings = 0;
    let mut server = workspace.open("one.db", 1)?;
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&root),
        limit: None,
        has_threads: true,
        walked: || {},
        // The file belongs to the last step and is read for the one before: its text changes between the two.
        read: move |path: &str| {
            if path == "f99.py" {
                readings += 1;
                if readings == 1 {
                    std::fs::write(root.join(path), content(99, 7)).expect("it was read");
                }
            }
        },
    }));
    server.index(&workspace.project())?;
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&workspace.project()),
        limit: None,
        has_threads: false,
        walked: || {},
        read: |_: &str| {},
    }));
    let callers = json!({ "symbol_id": "p:f7.py#f7", "action": "callers" });
    let answer = server.ask("symbol_graph", &callers)?.to_string();
    ensure!(answer.contains("f6") && answer.contains("f99"), "{answer}");
    equals_fresh(&workspace, "fresh.db", "on other threads")
}

#[test]
fn no_symbol_is_skipped_or_repeated_when_files_change_between_pages() -> Result<()> {
    let workspace = Workspace::new()?;
    let names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"];
    for name in names {
        workspace.write(&format!("{name}.py"), format!("def {name}():\n    return 1\n"))?;
    }
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let mut seen: Vec<String> = Vec::new();
    let mut asked = json!({ "query": "", "limit": 2 });
    loop {
        let page = server.ask("search_symbols", &asked)?;
        let results = page["results"].as_array().cloned().unwrap_or_default();
        let found: Vec<String> =
            results.iter().filter_map(|it| it["name"].as_str().map(str::to_owned)).collect();
        ensure!(!found.is_empty(), "{page}");
        // One file of the page is removed, the other one is read again under other row numbers.
        workspace.remove(&format!("{}.py", found[0]))?;
        if let Some(last) = found.get(1) {
            workspace.write(&format!("{last}.py"), format!("def {last}():\n    return 2\n"))?;
        }
        server.index(&workspace.project())?;
        seen.extend(found);
        match page["next_cursor"].as_str() {
            Some(cursor) => asked["cursor"] = cursor.into(),
            None => break,
        }
    }
    ensure!(seen == names, "{seen:?}");
    Ok(())
}

#[test]
fn no_symbol_is_skipped_or_repeated_when_its_line_moves_between_pages() -> Result<()> {
    let workspace = Workspace::new()?;
    let class = |name: &str| format!("class {name}:\n    def run(self):\n        return 1\n");
    let names = ["Ant", "Bee", "Cat", "Dog"];
    let text = |order: &[&str]| order.iter().map(|name| class(name)).collect::<String>();
    workspace.write("a.py", text(&names))?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    // Both orders of the file, and lines that move down and up.
    for moved in [text(&["Dog", "Cat", "Bee", "Ant"]), format!("{}{}", "# x\n".repeat(20), text(&names))] {
        workspace.write("a.py", text(&names))?;
        let mut seen: Vec<String> = Vec::new();
        let mut asked = json!({ "query": "run", "limit": 1 });
        loop {
            let page = server.ask("search_symbols", &asked)?;
            let results = page["results"].as_array().cloned().unwrap_or_default();
            seen.extend(
                results.iter().filter_map(|it| it["parent"].as_str()?.rsplit('#').next().map(str::to_owned)),
            );
            workspace.write("a.py", if seen.len() % 2 == 1 { moved.clone() } else { text(&names) })?;
            match page["next_cursor"].as_str() {
                Some(cursor) if seen.len() < 9 => asked["cursor"] = cursor.into(),
                _ => break,
            }
        }
        seen.sort();
        ensure!(seen == names, "{seen:?}");
    }
    Ok(())
}
