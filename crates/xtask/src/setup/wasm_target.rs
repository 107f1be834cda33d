//! The Rust target wasm32-unknown-unknown.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::tools::{Toolbox, say};

const TARGET: &str = "wasm32-unknown-unknown";

/// Adds the target if it is missing.
pub fn ensure(tools: &Toolbox) -> Result<()> {
    if is_there(tools) {
        return Ok(());
    }
    say("adding Rust's wasm target: rustup target add wasm32-unknown-unknown");
    let by_hand = "install rustup (https://rustup.rs) and run `rustup target add wasm32-unknown-unknown`";
    tools.run("rustup", &["target", "add", TARGET]).context(by_hand)?;
    if !is_there(tools) {
        bail!("rustup added the wasm target to a toolchain that is not in use; {by_hand}");
    }
    Ok(())
}

fn is_there(tools: &Toolbox) -> bool {
    let sysroot = tools.ask("rustc", &["--print", "sysroot"]).unwrap_or_default();
    Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib").is_dir()
}
