//! Builds the programs that benchmarks measure.

use anyhow::Result;

use crate::build;
use crate::tools::{Toolbox, say};

/// Builds what most benchmarks measure.
pub fn servers() -> Result<Toolbox> {
    let tools = build::run()?;
    native(&tools)?;
    Ok(tools)
}

/// Builds the native server.
pub fn native(tools: &Toolbox) -> Result<()> {
    say("building the native server in release mode");
    tools.run("cargo", &["build", "--quiet", "--release", "--package", "limbic-cli", "--bin", "limbic"])
}
