//! `cargo xtask storm`: servers on a memory in PostgreSQL, while servers are killed and PostgreSQL crashes.

use anyhow::Result;

use crate::setup::postgres;
use crate::tools::{Toolbox, run, say};

/// Builds the native server, then runs the test `postgres_storm` in full: 30 kills, 10 crashes, a promotion of a
/// standby.
pub fn run_in_full() -> Result<()> {
    let mut tools = Toolbox::new();
    postgres::ensure(&mut tools)?;
    say("building the native server");
    tools.run("cargo", &["build", "--quiet", "--package", "limbic-cli", "--bin", "limbic"])?;
    let mut command = tools.command("cargo");
    command.args(["test", "--package", "limbic-tests", "--test", "postgres_storm", "--", "--nocapture"]);
    run(command.env("LIMBIC_STORM", "full"))
}
