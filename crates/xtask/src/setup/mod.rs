//! `cargo xtask setup`: installs missing prerequisites.
//!
//! Each step checks first, prints what it installs, and on failure names the manual alternative. A run with nothing to
//! install takes less than a second.

pub mod bindfs;
pub mod c_compiler;
pub mod cargo_deny;
pub mod chromium;
mod node;
mod packages;
pub mod postgres;
mod system;
mod wasm_target;
mod wasm_tools;

use anyhow::{Context, Result};

use crate::model;
use crate::project;
use crate::tools::{Toolbox, say};

/// Installs every prerequisite of a build. The returned toolbox runs programs with the environment they need.
pub fn run() -> Result<Toolbox> {
    let mut tools = Toolbox::new();
    let cache = project::cache()?;
    node::check(&tools)?;
    wasm_target::ensure(&tools)?;
    c_compiler::ensure(&mut tools)?;
    wasm_tools::ensure(&mut tools, &cache)?;
    packages::ensure(&tools)?;
    model::ensure_model(&cache, &project::path("pkg/model"))
        .context("cannot prepare the model; without it search is lexical only (`--no-model`)")?;
    say("all prerequisites are installed");
    Ok(tools)
}
