//! `cargo xtask build`: builds the wasm modules, the generated files, the explorer and the Node server.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, anyhow};

use crate::code_module;
use crate::core_module;
use crate::r#gen;
use crate::notices;
use crate::project;
use crate::setup;
use crate::strip_names;
use crate::tools::{self, Toolbox, say};

/// Sets up and builds everything that the npm package contains. Of the native programs, only the generator is built.
pub fn run() -> Result<Toolbox> {
    let tools = modules()?;
    r#gen::run(&tools, false)?;
    packages(&tools)?;
    Ok(tools)
}

/// The module that is built beside the others: its link-time optimization keeps one core busy for minutes.
const ENCODER: &str = "encoder";

/// Sets up and builds the wasm modules.
pub fn modules() -> Result<Toolbox> {
    let tools = setup::run()?;
    // Cargo locks its folder while it builds.
    let mut apart = tools.clone();
    apart.set("CARGO_TARGET_DIR", project::target().join(ENCODER));
    thread::scope(|scope| {
        let encoder = scope.spawn(|| module(&apart, ENCODER));
        let others = other_modules(&tools);
        let encoder = encoder.join().map_err(|_| anyhow!("the thread that builds the encoder panicked"))?;
        others.and(encoder)
    })?;
    Ok(tools)
}

fn other_modules(tools: &Toolbox) -> Result<()> {
    module(&core_module::toolbox(tools)?, "core")?;
    for name in code_module::MODULES {
        code_module::build(tools, name, !io::stderr().is_terminal())?;
    }
    Ok(())
}

/// Builds the explorer and the Node server from the wasm modules and the generated files.
pub fn packages(tools: &Toolbox) -> Result<()> {
    notices::write(tools)?;
    web(tools)?;
    node(tools)
}

/// Builds a module with JavaScript bindings: `crates/wasm/<name>` becomes `pkg/<name>/limbic_<name>*`. wasm-pack runs
/// only if cargo has written a newer module.
fn module(tools: &Toolbox, name: &str) -> Result<()> {
    let package = format!("limbic-wasm-{name}");
    say(&format!(
        "building the wasm module {name} (minutes the first time, seconds when nothing has changed)"
    ));
    let mut arguments = vec!["build", "--package", &package, "--lib"];
    arguments.extend(["--target", "wasm32-unknown-unknown", "--profile", "wasm"]);
    // A person sees which crate of the other modules is being compiled; a log gets one line.
    if !io::stderr().is_terminal() || name == ENCODER {
        arguments.push("--quiet");
    }
    tools.run("cargo", &arguments)?;
    let target = tools.variable("CARGO_TARGET_DIR").map_or_else(project::target, PathBuf::from);
    let compiled = target.join("wasm32-unknown-unknown/wasm").join(format!("limbic_wasm_{name}.wasm"));
    let bound = project::path(&format!("pkg/{name}/limbic_{name}_bg.wasm"));
    if project::is_current(&bound, &[compiled]) {
        return Ok(());
    }
    say(&format!("generating JavaScript bindings: wasm-pack build, into pkg/{name}"));
    // The output folder is relative to the crate. `no-install` forbids downloads; set-up has installed wasm-bindgen.
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
    let bytes = fs::read(&bound).context("wasm-pack has not written the module")?;
    fs::write(&bound, strip_names::strip(&bytes)?)?;
    Ok(())
}

/// Builds the explorer, with the sample memory that an empty database offers.
fn web(tools: &Toolbox) -> Result<()> {
    let inputs = [sources("web"), shell(), project::files_below(&project::path("pkg"))].concat();
    if project::is_current(&project::path("web/dist/index.html"), &inputs) {
        return Ok(());
    }
    say("building the explorer: npm run build:demo in web/");
    npm(tools, "web", "build:demo")
}

/// Bundles the Node server if a source or an input in `pkg/` or `web/dist/` has changed.
fn node(tools: &Toolbox) -> Result<()> {
    let made = ["pkg", "web/dist"].map(|folder| project::files_below(&project::path(folder)));
    let inputs = [sources("node"), shell(), made.concat()].concat();
    if project::is_current(&project::node_main(), &inputs) {
        return Ok(());
    }
    say("bundling the Node server: npm run build in node/");
    npm(tools, "node", "build")
}

fn npm(tools: &Toolbox, folder: &str, script: &str) -> Result<()> {
    tools::run(tools.command("npm").args(["run", "--silent", script]).current_dir(project::path(folder)))
}

/// The TypeScript that the explorer and the Node server share: both bundle it.
fn shell() -> Vec<PathBuf> {
    project::files_below(&project::path("crates/wasm/js"))
}

/// The sources of an npm project: all files but build output and the lock file, which set-up compares.
fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = project::path(folder);
    let is_source = |file: &PathBuf| {
        !file.starts_with(folder.join("dist"))
            && file.file_name().is_none_or(|name| name != "package-lock.json")
    };
    project::files_below(&folder).into_iter().filter(is_source).collect()
}
