//! `cargo xtask build`: the wasm modules, what is generated, and the Node server.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::r#gen;
use crate::names;
use crate::project;
use crate::setup;
use crate::tools::{self, Toolbox, say};

/// The wasm modules: `crates/wasm/<name>` becomes `pkg/<name>/limbic_<name>*`.
const MODULES: [&str; 2] = ["core", "encoder"];

/// Sets up and builds all that the Node server is made of; native programs are not.
pub fn run() -> Result<Toolbox> {
    let tools = setup::run()?;
    for name in MODULES {
        module(&tools, name)?;
    }
    r#gen::run(&tools, false)?;
    node(&tools)?;
    Ok(tools)
}

/// Builds one module. Cargo knows what is up to date; wasm-pack does its part only after a change.
fn module(tools: &Toolbox, name: &str) -> Result<()> {
    let package = format!("limbic-wasm-{name}");
    say(&format!("building the wasm module {name}"));
    tools.run(
        "cargo",
        &[
            "build",
            "--quiet",
            "--package",
            &package,
            "--lib",
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "wasm",
        ],
    )?;
    let compiled =
        project::target().join("wasm32-unknown-unknown/wasm").join(format!("limbic_wasm_{name}.wasm"));
    let bound = project::path(&format!("pkg/{name}/limbic_{name}_bg.wasm"));
    if project::is_current(&bound, &[compiled]) {
        return Ok(());
    }
    say(&format!("binding it to JavaScript: wasm-pack build, into pkg/{name}"));
    // wasm-pack takes the folder as seen from the crate. It may download nothing: all it needs was set up.
    let out_dir = format!("../../../pkg/{name}");
    let out_name = format!("limbic_{name}");
    tools.run(
        "wasm-pack",
        &[
            "--quiet",
            "build",
            &format!("crates/wasm/{name}"),
            "--target",
            "web",
            "--profile",
            "wasm",
            "--mode",
            "no-install",
            "--no-opt",
            "--no-pack",
            "--no-gitignore",
            "--out-dir",
            &out_dir,
            "--out-name",
            &out_name,
        ],
    )?;
    let bytes = fs::read(&bound).context("wasm-pack wrote no module")?;
    fs::write(&bound, names::strip(&bytes)?)?;
    Ok(())
}

/// Bundles the Node server when something it is made of has changed.
fn node(tools: &Toolbox) -> Result<()> {
    if !project::path("node/package.json").exists() {
        return Ok(());
    }
    let mut inputs: Vec<PathBuf> = ["node/src", "node/scripts", "pkg"]
        .iter()
        .flat_map(|folder| project::files_below(&project::path(folder)))
        .collect();
    inputs.extend(
        project::files_below(&project::path("node"))
            .into_iter()
            .filter(|file| file.parent() == Some(&project::path("node")))
            .filter(|file| file.file_name().is_none_or(|name| name != "package-lock.json")),
    );
    if project::is_current(&project::node_main(), &inputs) {
        return Ok(());
    }
    say("bundling the Node server: npm run build in node/");
    tools::run(tools.command("npm").args(["run", "--silent", "build"]).current_dir(project::path("node")))
}
