//! The wasm module of `limbic-code`, which has the C code of tree-sitter and its grammars and no JavaScript bindings.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;
use crate::strip_names;
use crate::tools::{Toolbox, say};

/// Modules that are built here: `crates/wasm/<name>` becomes `pkg/<name>/limbic_<name>.wasm`.
pub const MODULES: [&str; 1] = ["code"];

/// Builds a module and copies it without its function names, if cargo has written a newer one.
pub fn build(tools: &Toolbox, name: &str, quiet: bool) -> Result<()> {
    say(&format!(
        "building the wasm module {name} (minutes the first time, seconds when nothing has changed)"
    ));
    let package = format!("limbic-wasm-{name}");
    let mut arguments = vec!["build", "--package", &package, "--lib"];
    arguments.extend(["--target", "wasm32-unknown-unknown", "--profile", "wasm"]);
    if quiet {
        arguments.push("--quiet");
    }
    toolbox(tools)?.run("cargo", &arguments)?;
    let file = name.replace('-', "_");
    let compiled =
        project::target().join("wasm32-unknown-unknown/wasm").join(format!("limbic_wasm_{file}.wasm"));
    let folder = project::path(&format!("pkg/{name}"));
    let copy = folder.join(format!("limbic_{file}.wasm"));
    if !project::is_current(&copy, std::slice::from_ref(&compiled)) {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
        fs::write(&copy, strip_names::strip(&bytes)?)
            .with_context(|| format!("cannot write {}", copy.display()))?;
    }
    Ok(())
}

/// A toolbox whose cargo compiles tree-sitter's grammars for `wasm32-unknown-unknown`: without a C library, with the
/// headers that `tree-sitter-language` has. SQLite does not compile with these flags.
pub fn toolbox(tools: &Toolbox) -> Result<Toolbox> {
    let headers = headers(tools)?;
    let mut own = tools.clone();
    let flags = format!("-include stddef.h -Dstatic_assert=_Static_assert -idirafter {}", headers.display());
    own.set("CFLAGS_wasm32_unknown_unknown", flags);
    Ok(own)
}

/// The folder `wasm/include` of the crate `tree-sitter-language`.
fn headers(tools: &Toolbox) -> Result<PathBuf> {
    let text = tools.ask("cargo", &["metadata", "--format-version", "1"]).context("cargo metadata failed")?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata has printed no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let package = packages.iter().find(|package| package["name"] == "tree-sitter-language");
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let manifest = manifest.context("tree-sitter-language is no dependency of the workspace")?;
    let folder = PathBuf::from(manifest).with_file_name("wasm").join("include");
    Ok(folder)
}
