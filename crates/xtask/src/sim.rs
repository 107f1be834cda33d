//! `cargo xtask sim --seed N`: runs the storage simulator once.

use anyhow::Result;

use crate::tools::{Toolbox, run};

/// Runs limbic-vfs's simulator test with the given seed.
pub fn run_seed(seed: u64) -> Result<()> {
    let tools = Toolbox::new();
    let arguments = ["test", "--package", "limbic-vfs", "--test", "simulator", "--", "--nocapture"];
    run(tools.command("cargo").args(arguments).env("LIMBIC_SIM_SEED", seed.to_string()))
}
