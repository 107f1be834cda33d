//! The npm packages of the Node server.

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{Toolbox, run, say};

/// Installs the packages when the lock file is newer than what is installed.
pub fn ensure(tools: &Toolbox) -> Result<()> {
    let lock = project::path("node/package-lock.json");
    // npm writes this file last, so it also tells that an installation was not broken off.
    let installed = project::path("node/node_modules/.package-lock.json");
    if !lock.exists() || project::is_current(&installed, &[lock]) {
        return Ok(());
    }
    say("installing npm packages: npm ci in node/");
    run(tools.command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(project::path("node")))
        .context("by hand: `npm ci` in the folder node; npm's own settings say which registry it asks")?;
    std::fs::File::options()
        .append(true)
        .open(&installed)
        .and_then(|file| file.set_modified(std::time::SystemTime::now()))
        .context("npm left no node_modules/.package-lock.json")
}
