//! The npm packages of the Node server and of the explorer.

use std::fs::File;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{Toolbox, run, say};

/// The folders that have packages of their own.
const FOLDERS: [&str; 2] = ["node", "web"];

/// Installs the packages of each folder whose lock file is newer than what is installed.
pub fn ensure(tools: &Toolbox) -> Result<()> {
    FOLDERS.iter().try_for_each(|folder| ensure_in(tools, folder))
}

fn ensure_in(tools: &Toolbox, folder: &str) -> Result<()> {
    let lock = project::path(&format!("{folder}/package-lock.json"));
    // npm writes this file last, so it also tells that an installation was not broken off.
    let installed = project::path(&format!("{folder}/node_modules/.package-lock.json"));
    if !lock.exists() || project::is_current(&installed, &[lock]) {
        return Ok(());
    }
    say(&format!("installing npm packages: npm ci in {folder}/"));
    run(tools.command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(project::path(folder)))
        .with_context(|| {
            format!("by hand: `npm ci` in the folder {folder}; npm's own settings say which registry it asks")
        })?;
    File::options()
        .append(true)
        .open(&installed)
        .and_then(|file| file.set_modified(SystemTime::now()))
        .context("npm left no node_modules/.package-lock.json")
}
