//! `cargo xtask parity`: the same calls over every build, compared.

use anyhow::Result;

use crate::build;
use crate::tools::say;

/// Builds all builds, then runs the crate of cross-build tests.
pub fn run() -> Result<()> {
    let tools = build::run()?;
    say("building the native server");
    tools.run("cargo", &["build", "--quiet", "--package", "limbic-cli", "--bin", "limbic"])?;
    tools.run("cargo", &["test", "--no-fail-fast", "--package", "limbic-tests"])
}
