//! `explore_source` shows indexed files as they are on disk, and nothing else.

use std::fs;

use crate::support::{Server, Workspace};
use anyhow::{Result, ensure};
use serde_json::{Value, json};

fn ask(server: &mut Server, path: &str) -> Result<Value> {
    server.ask("explore_source", &json!({ "project_id": "p", "file_path": path }))
}

fn refused(server: &mut Server, path: &str) -> Result<String> {
    server.refused("explore_source", &json!({ "project_id": "p", "file_path": path }))
}

fn indexed() -> Result<(Workspace, Server)> {
    let workspace = Workspace::new()?;
    workspace.write("src/a.py", "def a():\n    return 1\n")?;
    workspace.write("src/b.py", "def b():\n    return 2\n")?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    Ok((workspace, server))
}

#[test]
fn a_file_is_shown_as_it_is_now_with_its_definitions() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    let shown = ask(&mut server, "src/a.py")?;
    ensure!(shown["text"] == "def a():\n    return 1\n" && shown["language"] == "python", "{shown}");
    ensure!(shown["definitions"][0]["symbol_id"] == "p:src/a.py#a" && shown["bytes"] == 22, "{shown}");
    workspace.write("src/a.py", "\n\ndef other():\n    return 1\n")?;
    let shown = ask(&mut server, "src/a.py")?;
    ensure!(shown["text"].as_str().is_some_and(|text| text.contains("other")), "{shown}");
    ensure!(shown["definitions"][0]["name"] == "other" && shown["definitions"][0]["line"] == 3, "{shown}");
    Ok(())
}

#[test]
fn a_file_that_may_not_be_read_any_more_is_not_shown() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("src/a.py", b"def a():\n    return \"\0\"\n")?;
    ensure!(refused(&mut server, "src/a.py")?.contains("cannot be shown: binary"));
    workspace.write("src/a.py", "x = 1\n".repeat(200_000))?;
    ensure!(refused(&mut server, "src/a.py")?.contains("cannot be shown: larger than 1 MB"));
    workspace.remove("src/a.py")?;
    ensure!(refused(&mut server, "src/a.py")?.contains("must be an indexed file"));
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_an_indexed_file_is_not_followed() -> Result<()> {
    use std::os::unix::fs::symlink;
    let (workspace, mut server) = indexed()?;
    let outside = workspace.project().with_file_name("outside");
    fs::create_dir(&outside)?;
    fs::write(outside.join("a.py"), "def a():\n    return \"outside\"\n")?;
    workspace.remove("src/a.py")?;
    symlink(outside.join("a.py"), workspace.project().join("src/a.py"))?;
    ensure!(refused(&mut server, "src/a.py")?.contains("must be an indexed file"));
    // The folder as a link.
    fs::write(outside.join("b.py"), "def b():\n    return \"outside\"\n")?;
    fs::remove_dir_all(workspace.project().join("src"))?;
    symlink(&outside, workspace.project().join("src"))?;
    ensure!(refused(&mut server, "src/b.py")?.contains("must be an indexed file"));
    Ok(())
}

#[test]
fn a_project_that_cannot_be_reached_is_not_shown() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    fs::rename(workspace.project(), workspace.project().with_file_name("away"))?;
    ensure!(refused(&mut server, "src/a.py")?.contains("cannot reach the folder"));
    Ok(())
}

#[test]
fn paths_outside_of_the_index_are_refused() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    fs::write(workspace.project().with_file_name("beside.py"), "def beside():\n    pass\n")?;
    workspace.write("late.py", "def late():\n    pass\n")?;
    let absolute = workspace.project().join("src/a.py");
    for path in ["../beside.py", "late.py", "src", "./src/a.py", "src//a.py", &absolute.to_string_lossy()] {
        let answer = refused(&mut server, path)?;
        ensure!(answer.contains("must be an indexed file"), "{path}: {answer}");
    }
    Ok(())
}

#[test]
fn a_read_only_server_shows_only_what_is_indexed() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    server.index_pending()?;
    drop(server);
    let mut reader = workspace.open_read_only("one.db", 2)?;
    ensure!(ask(&mut reader, "src/b.py")?["text"] == "def b():\n    return 2\n");
    workspace.write("src/b.py", "def b():\n    return 3\n")?;
    ensure!(refused(&mut reader, "src/b.py")?.contains("has changed since it was indexed"));
    Ok(())
}

#[test]
fn a_folder_lists_what_is_in_it_now() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("src/deep/c.rs", "pub fn c() {}\n")?;
    workspace.write("src-other/d.go", "package d\n")?;
    server.index(&workspace.project())?;
    let listed = |server: &mut Server, folder: &str| {
        server.ask("explore_code", &json!({ "project_id": "p", "folder": folder }))
    };
    let top = listed(&mut server, "")?;
    ensure!(
        top["folders"][0]["name"] == "src"
            && top["folders"][0]["files"] == 3
            && top["folders"][1]["files"] == 1,
        "{top}"
    );
    ensure!(
        top["folders"][0]["language"] == "python" && top["languages"][0]["language"] == "python",
        "{top}"
    );
    let src = listed(&mut server, "src")?;
    ensure!(
        src["folders"][0]["path"] == "src/deep"
            && src["files"][1]["path"] == "src/b.py"
            && src["files"][1]["symbols"] == 1,
        "{src}"
    );
    workspace.remove("src/b.py")?;
    let src = listed(&mut server, "src")?;
    ensure!(src["files"].as_array().is_some_and(|files| files.len() == 1), "{src}");
    Ok(())
}
