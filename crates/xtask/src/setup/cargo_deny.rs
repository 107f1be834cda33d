//! cargo-deny, which `cargo xtask ready` needs and nothing else.

use std::path::Path;

use anyhow::{Context, Result};

use super::wasm_tools;
use crate::tools::{Toolbox, say};

/// The version whose configuration `deny.toml` is written for.
const VERSION: &str = "0.20.2";

/// Finds cargo-deny, or installs it into the cache folder. Built without optimisation: that takes two to four minutes
/// instead of ten, and a run takes two seconds either way.
pub fn ensure(tools: &mut Toolbox, cache: &Path) -> Result<()> {
    let home = cache.join("tools");
    if !is_there(tools) {
        tools.prefer(&[home.join("bin"), wasm_tools::cargo_bin()]);
    }
    if !is_there(tools) {
        say(&format!(
            "installing cargo-deny {VERSION}: cargo install --debug cargo-deny (about three minutes)"
        ));
        wasm_tools::install(tools, &home, &["--locked", "cargo-deny", "--version", VERSION])
            .with_context(|| format!("by hand: `cargo install --locked cargo-deny --version {VERSION}`"))?;
    }
    Ok(())
}

fn is_there(tools: &Toolbox) -> bool {
    tools.ask("cargo-deny", &["--version"]).is_some()
}
