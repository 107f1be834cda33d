//! Alternatives for comparison, installed from npm into `target/bench-peers`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{Toolbox, run, say};

const PACKAGES: [&str; 2] = ["@modelcontextprotocol/server-memory", "onnxruntime-web"];

/// The folder of the packages, which are installed on first use.
pub fn folder(tools: &Toolbox) -> Result<PathBuf> {
    let folder = project::target().join("bench-peers");
    if PACKAGES.iter().all(|package| folder.join("node_modules").join(package).is_dir()) {
        return Ok(folder);
    }
    say("installing the compared packages into target/bench-peers");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    run(tools
        .command("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(PACKAGES)
        .current_dir(&folder))
    .context(
        "the packages to compare with could not be installed; the other measurements work without them",
    )?;
    Ok(folder)
}

/// The reference memory server's program.
pub fn reference_server(tools: &Toolbox) -> Result<PathBuf> {
    Ok(folder(tools)?.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js"))
}
