//! `cargo xtask setup`: installs what is missing, and nothing else.
//!
//! Each step looks first, says what it does, and tells what to do by hand when it fails. With nothing to do the
//! whole takes a moment.

mod c_compiler;
pub mod cargo_deny;
pub mod chromium;
mod node;
mod packages;
mod system;
mod wasm_target;
mod wasm_tools;

use anyhow::{Context, Result};

use crate::model;
use crate::project;
use crate::tools::{Toolbox, say};

/// Sets everything up; the answer runs programs with the settings found.
pub fn run() -> Result<Toolbox> {
    let mut tools = Toolbox::new();
    let cache = project::cache()?;
    node::check(&tools)?;
    wasm_target::ensure(&tools)?;
    c_compiler::ensure(&mut tools)?;
    wasm_tools::ensure(&mut tools, &cache)?;
    packages::ensure(&tools)?;
    model::ensure_model(&cache, &project::path("pkg/model"))
        .context("the model could not be made ready; without it search is lexical only (`--no-model`)")?;
    say("everything that a build needs is here");
    Ok(tools)
}
