//! A project that is indexed again: its patterns, its folder under another path, and the list of its files.

use std::fs;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::support::{Server, Workspace};

fn started() -> Result<(Workspace, Server)> {
    let workspace = Workspace::new()?;
    workspace.write("src/a.py", "def alpha():\n    return 1\n")?;
    workspace.write("src/b.py", "def beta():\n    return 2\n")?;
    workspace.write("test/c.py", "def gamma():\n    return 3\n")?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    Ok((workspace, server))
}

fn projects(server: &mut Server) -> Result<Vec<(String, String)>> {
    let listed = server.ask("list_projects", &json!({}))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let listed = listed["projects"].as_array().into_iter().flatten();
    Ok(listed.map(|project| (text(&project["project_id"]), text(&project["path"]))).collect())
}

#[test]
fn patterns_stay_until_others_are_given() -> Result<()> {
    let (workspace, mut server) = started()?;
    let mut index = |given: Value| -> Result<Value> {
        let mut call = json!({ "path": workspace.project(), "wait": true });
        if let (Some(call), Some(given)) = (call.as_object_mut(), given.as_object()) {
            call.extend(given.clone());
        }
        server.ask("index_project", &call)
    };
    let first = index(json!({ "include": ["*.py"], "exclude": ["test"] }))?;
    ensure!(first["total_files"] == 2 && first["include"] == json!(["*.py"]), "{first}");
    let again = index(json!({}))?;
    ensure!(again["total_files"] == 2 && again["exclude"] == json!(["test"]), "kept: {again}");
    ensure!(again["project_id"] == "p", "the id is kept, too: {again}");
    let other = index(json!({ "exclude": ["src/b.py"] }))?;
    ensure!(other["total_files"] == 2 && other["include"] == json!(["*.py"]), "one of them: {other}");
    let none = index(json!({ "include": [], "exclude": [] }))?;
    ensure!(none["total_files"] == 3 && none["include"].is_null() && none["exclude"].is_null(), "{none}");
    Ok(())
}

#[test]
fn a_project_that_was_moved_is_the_same_one() -> Result<()> {
    let (workspace, mut server) = started()?;
    let memory = json!({ "id": "m", "content": "Alpha is one", "symbols": ["src/a.py#alpha"] });
    server.ask("memory_store", &memory)?;
    let state = |server: &mut Server| -> Result<Value> {
        Ok(server.ask("memory_get", &json!({ "ids": ["m"] }))?["memories"][0]["symbols"][0].clone())
    };
    let moved = workspace.project().with_file_name("moved");
    fs::rename(workspace.project(), &moved)?;
    ensure!(state(&mut server)?["state"] == "unknown", "{}", state(&mut server)?);
    let path = moved.to_string_lossy().into_owned();
    let indexed = server.ask("index_project", &json!({ "path": moved, "wait": true }))?;
    ensure!(indexed["project_id"] == "p" && indexed["total_files"] == 3, "{indexed}");
    ensure!(projects(&mut server)? == [("p".to_owned(), path)], "{:?}", projects(&mut server)?);
    ensure!(state(&mut server)?["state"] == "holds", "{}", state(&mut server)?);
    // The links follow another id, too.
    server.ask("index_project", &json!({ "path": moved, "project_id": "q", "wait": true }))?;
    let symbol = json!({ "symbol_id": "q:src/a.py#alpha", "state": "holds" });
    ensure!(state(&mut server)? == symbol, "{}", state(&mut server)?);
    Ok(())
}

#[test]
fn another_project_does_not_take_the_place_of_one_that_is_gone() -> Result<()> {
    let (workspace, mut server) = started()?;
    let other = workspace.project().with_file_name("other").join("project");
    fs::create_dir_all(&other)?;
    fs::write(other.join("main.go"), "package main\n")?;
    server.ask("index_project", &json!({ "path": other, "wait": true }))?;
    // A copy of a project that is still there is another project.
    let copy = workspace.project().with_file_name("copy");
    fs::create_dir_all(copy.join("src"))?;
    for file in ["src/a.py", "src/b.py"] {
        fs::copy(workspace.project().join(file), copy.join(file))?;
    }
    server.ask("index_project", &json!({ "path": copy, "wait": true }))?;
    let ids: Vec<String> = projects(&mut server)?.into_iter().map(|(id, _)| id).collect();
    ensure!(ids == ["copy", "p", "project"], "{ids:?}");
    fs::remove_dir_all(workspace.project())?;
    let new = workspace.project().with_file_name("new");
    fs::create_dir(&new)?;
    fs::write(new.join("d.py"), "def delta():\n    return 4\n")?;
    let indexed = server.ask("index_project", &json!({ "path": new, "wait": true }))?;
    ensure!(indexed["project_id"] == "new", "{indexed}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn another_spelling_of_a_path_is_the_same_project() -> Result<()> {
    let (workspace, mut server) = started()?;
    let project = workspace.project();
    let link = project.with_file_name("link");
    std::os::unix::fs::symlink(&project, &link)?;
    let dots = project.join("src/../../project/.");
    for path in [link, dots, project.join("")] {
        let indexed = server.ask("index_project", &json!({ "path": path, "wait": true }))?;
        ensure!(indexed["project_id"] == "p", "{}: {indexed}", path.display());
    }
    // The folder was moved, and its old path leads to it.
    let moved = project.with_file_name("moved");
    fs::rename(&project, &moved)?;
    std::os::unix::fs::symlink(&moved, &project)?;
    let indexed = server.ask("index_project", &json!({ "path": project, "wait": true }))?;
    ensure!(indexed["project_id"] == "p" && indexed["total_files"] == 3, "{indexed}");
    ensure!(projects(&mut server)?.len() == 1, "{:?}", projects(&mut server)?);
    Ok(())
}

#[test]
fn a_list_of_files_is_compared_with_the_disk() -> Result<()> {
    let (workspace, mut server) = started()?;
    let listed = |server: &mut Server, folder: &str| {
        server.ask("explore_code", &json!({ "project_id": "p", "folder": folder }))
    };
    let names = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().into_iter().flatten();
        rows.map(|row| row["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    workspace.write("src/new.py", "def new():\n    return 4\n")?;
    workspace.write("late/d.py", "def delta():\n    return 4\n")?;
    workspace.remove("test/c.py")?;
    let top = listed(&mut server, "")?;
    ensure!(names(&top["folders"]) == ["late", "src"], "{top}");
    ensure!(top["pending_files"] == 0 && top["languages"][0]["files"] == 4, "{top}");
    ensure!(names(&listed(&mut server, "src")?["files"]) == ["a.py", "b.py", "new.py"]);
    workspace.write("later/e.py", "def epsilon():\n    return 5\n")?;
    ensure!(names(&listed(&mut server, "later")?["files"]) == ["e.py"], "a folder that is new");
    let refused = server.refused("explore_code", &json!({ "project_id": "p", "folder": "test" }))?;
    ensure!(refused.contains("must contain indexed files"), "{refused}");
    Ok(())
}

#[test]
fn a_search_says_how_many_results_it_omits() -> Result<()> {
    let (workspace, mut server) = started()?;
    for number in 0..5 {
        let body = format!("    total = total + {number}\n").repeat(30);
        workspace.write(&format!("src/long{number}.py"), format!("def long{number}(total):\n{body}"))?;
    }
    server.index(&workspace.project())?;
    let search = |server: &mut Server, tokens: usize| {
        let call = json!({ "query": "total", "mode": "words", "max_tokens": tokens });
        server.ask("search_code", &call)
    };
    let all = search(&mut server, 100_000)?;
    let count = all["count"].as_u64().unwrap_or_default();
    ensure!(count >= 5 && all["omitted"].is_null() && all["hint"].is_null(), "{all}");
    let some = search(&mut server, 600)?;
    let shown = some["count"].as_u64().unwrap_or_default();
    ensure!(shown < count && some["omitted"] == count - shown, "{some}");
    ensure!(some["hint"].as_str().is_some_and(|hint| hint.contains("max_tokens (600)")), "{some}");
    Ok(())
}
