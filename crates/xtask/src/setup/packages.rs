//! The npm packages of the Node server and of the explorer.

use std::fs::File;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{Toolbox, run, say};

/// The folders with a package.json and a lock file.
const FOLDERS: [&str; 2] = ["node", "web"];

/// Runs `npm ci` in each folder whose lock file is newer than its `node_modules`. Nothing that is used needs the
/// scripts that packages run when they are installed.
pub fn ensure(tools: &Toolbox) -> Result<()> {
    FOLDERS.iter().try_for_each(|folder| ensure_in(tools, folder))
}

fn ensure_in(tools: &Toolbox, folder: &str) -> Result<()> {
    let lock = project::path(&format!("{folder}/package-lock.json"));
    // npm writes this file last: if it is missing, an installation was interrupted.
    let installed = project::path(&format!("{folder}/node_modules/.package-lock.json"));
    if !lock.exists() || project::is_current(&installed, &[lock]) {
        return Ok(());
    }
    say(&format!("installing npm packages: npm ci in {folder}/"));
    run(tools
        .command("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(project::path(folder)))
    .with_context(|| {
        format!("run `npm ci --ignore-scripts` in {folder}/ by hand; npm's configuration names the registry")
    })?;
    File::options()
        .append(true)
        .open(&installed)
        .and_then(|file| file.set_modified(SystemTime::now()))
        .context("npm left no node_modules/.package-lock.json")
}
