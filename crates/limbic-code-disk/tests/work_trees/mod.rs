//! Projects in repositories with several work trees, and with ignore files of any length.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tools::{CodeFiles, PathState};

use crate::support::Workspace;

fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let made = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .output()?;
    ensure!(made.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&made.stderr));
    Ok(())
}

fn files(root: &Path) -> Result<Vec<String>> {
    let mut disk = DiskFiles::below_root(root);
    let root = fs::canonicalize(root)?.to_string_lossy().into_owned();
    let walk = disk.walk(&root, &|path: &str| path.ends_with(".py"), 100).map_err(anyhow::Error::msg)?;
    let mut paths: Vec<String> = walk.files.into_iter().map(|(path, _)| path).collect();
    paths.sort();
    Ok(paths)
}

#[test]
fn other_work_trees_of_a_repository_are_left_out_but_no_other_repositories() -> Result<()> {
    let workspace = Workspace::new()?;
    let project = workspace.project();
    workspace.write("a.py", "def a(): pass\n")?;
    workspace.write("src/b.py", "def b(): pass\n")?;
    git(&project, &["init", "--quiet"])?;
    git(&project, &["add", "."])?;
    git(&project, &["commit", "--quiet", "--message", "One"])?;
    git(&project, &["worktree", "add", "--quiet", "worktrees/foo"])?;
    git(&project, &["worktree", "add", "--quiet", "src/bar"])?;
    git(&project, &["clone", "--quiet", ".", "clone"])?;
    git(&project, &["submodule", "--quiet", "add", &project.join("clone").to_string_lossy(), "module"])?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&project)?;
    let indexed = ["a.py", "clone/a.py", "clone/src/b.py", "module/a.py", "module/src/b.py", "src/b.py"];
    ensure!(files(&project)? == indexed, "{:?}", files(&project)?);
    let reason = "another work tree of the project's repository".to_owned();
    let skipped = server.skipped()?;
    ensure!(
        skipped == [("src/bar".to_owned(), reason.clone()), ("worktrees/foo".to_owned(), reason)],
        "{skipped:?}"
    );
    let mut disk = DiskFiles::below_root(&project);
    let root = fs::canonicalize(&project)?.to_string_lossy().into_owned();
    for (path, is_excluded) in [("src/bar/a.py", true), ("worktrees/foo", true), ("module/a.py", false)] {
        let state = disk.path_state(&root, path);
        ensure!((state == Ok(PathState::Excluded)) == is_excluded, "{path}: {state:?}");
    }
    // As projects of their own, and as a folder in one.
    ensure!(files(&project.join("worktrees/foo"))? == ["a.py", "src/b.py"]);
    ensure!(files(&project.join("src"))? == ["b.py"]);
    // Without its `.git`, it is a folder like any other.
    fs::remove_file(project.join("src/bar/.git"))?;
    ensure!(files(&project.join("src"))? == ["b.py", "bar/a.py", "bar/src/b.py"]);
    Ok(())
}

#[test]
fn the_work_trees_around_a_bare_repository_are_read() -> Result<()> {
    let workspace = Workspace::new()?;
    let project = workspace.project();
    workspace.write("origin/a.py", "def a(): pass\n")?;
    git(&project.join("origin"), &["init", "--quiet"])?;
    git(&project.join("origin"), &["add", "."])?;
    git(&project.join("origin"), &["commit", "--quiet", "--message", "One"])?;
    git(&project, &["clone", "--quiet", "--bare", "origin", "all/.bare"])?;
    workspace.write("all/.git", "gitdir: ./.bare\n")?;
    git(&project.join("all"), &["worktree", "add", "--quiet", "topic"])?;
    ensure!(files(&project.join("all"))? == ["topic/a.py"]);
    Ok(())
}

#[test]
fn an_ignore_file_that_is_too_long_is_reported_and_the_others_count() -> Result<()> {
    let workspace = Workspace::new()?;
    workspace.write(".gitignore", "a.py\n".repeat(60_000))?;
    workspace.write(".memoryignore", "b.py\n")?;
    workspace.write("src/.gitignore", "c.py\n")?;
    for path in ["a.py", "b.py", "src/c.py"] {
        workspace.write(path, "def f(): pass\n")?;
    }
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    ensure!(files(&workspace.project())? == ["a.py"]);
    let reason = "an ignore file larger than 256 kB, whose rules do not count".to_owned();
    ensure!(
        server.skipped()?.contains(&(".gitignore".to_owned(), reason.clone())),
        "{:?}",
        server.skipped()?
    );
    // The rules above a project.
    git(&workspace.project(), &["init", "--quiet"])?;
    let mut server = workspace.open("two.db", 1)?;
    server.index(&workspace.project().join("src"))?;
    ensure!(server.skipped()?.contains(&("../.gitignore".to_owned(), reason)), "{:?}", server.skipped()?);
    Ok(())
}
