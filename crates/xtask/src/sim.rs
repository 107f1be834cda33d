//! `cargo xtask sim --seed N`: one run of the storage simulator.

use anyhow::Result;

use crate::tools::{Toolbox, run};

/// Runs the simulator's test of limbic-vfs with a seed of one's choice.
pub fn run_seed(seed: u64) -> Result<()> {
    let tools = Toolbox::new();
    let arguments = ["test", "--package", "limbic-vfs", "--test", "simulator", "--", "--nocapture"];
    run(tools.command("cargo").args(arguments).env("LIMBIC_SIM_SEED", seed.to_string()))
}
