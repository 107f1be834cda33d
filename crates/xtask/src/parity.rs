//! `cargo xtask parity`: runs the transcripts on every build and compares the answers.

use anyhow::Result;

use crate::build;
use crate::tools::say;

/// Builds all shells, then runs the tests of the transcripts.
pub fn run() -> Result<()> {
    let tools = build::run()?;
    say("building the native server");
    tools.run("cargo", &["build", "--quiet", "--package", "limbic-cli", "--bin", "limbic"])?;
    let tests = ["--package", "limbic-tests", "--test", "main", "transcripts::"];
    tools.run("cargo", &[&["test", "--no-fail-fast"], tests.as_slice()].concat())
}
