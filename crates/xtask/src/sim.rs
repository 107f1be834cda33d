//! `cargo xtask sim --seed N --seeds M`: runs the storage simulator and the interleavings of processes.

use anyhow::Result;

use crate::tools::{Toolbox, run};

/// Runs limbic-vfs's simulator test with `seed`, then the interleavings of `seeds` seeds, of which `seed` is the first.
pub fn run_seeds(seed: u64, seeds: u64) -> Result<()> {
    let tools = Toolbox::new();
    let tests = ["--test", "simulator", "--test", "interleavings", "--", "--nocapture"];
    let mut command = tools.command("cargo");
    command.args(["test", "--package", "limbic-vfs"]).args(tests);
    run(command.env("LIMBIC_SIM_SEED", seed.to_string()).env("LIMBIC_SIM_SEEDS", seeds.to_string()))
}
