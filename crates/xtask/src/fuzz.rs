//! `cargo xtask fuzz`: runs the fuzz targets of `tests/tests/fuzz.rs` for a while each.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::project;
use crate::test::WASM_ONLY;
use crate::tools::{Toolbox, run, say};

/// The targets, as their tests are named, with `-` for `_`.
pub const TARGETS: [&str; 4] = ["imports", "guard", "console", "lock-files"];

/// What to run.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long each target runs
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Run the input of this seed only, such as one that has failed [default: new seeds]
    #[arg(long)]
    seed: Option<u64>,
    /// Run this target only
    #[arg(long, value_parser = TARGETS)]
    target: Option<String>,
}

/// Runs the targets, one after the other.
///
/// # Errors
/// If an input fails. What the target has printed names its seed.
pub fn run_targets(arguments: &Arguments) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let first = arguments.seed.unwrap_or(now.as_secs());
    let tools = Toolbox::new();
    let under_way = project::target().join("fuzz-seed");
    let mut failed = Vec::new();
    for target in TARGETS.iter().filter(|name| arguments.target.as_deref().is_none_or(|only| only == **name))
    {
        say(&format!("fuzzing {target} from seed {first} on"));
        let mut command = tools.command("cargo");
        command.args(["test", "--quiet", "--workspace"]).args(WASM_ONLY);
        command.args(["--test", "fuzz", "--", "--nocapture", "--exact", &target.replace('-', "_")]);
        command.env("LIMBIC_FUZZ_SEED", first.to_string()).env("LIMBIC_FUZZ_FILE", &under_way);
        if arguments.seed.is_none() {
            command.env("LIMBIC_FUZZ_SECONDS", arguments.seconds.to_string());
        }
        if let Err(error) = run(&mut command) {
            // A process that was killed has printed no seed.
            let seed = fs::read_to_string(&under_way).unwrap_or_default();
            eprintln!("{error:#}\nThe last input: cargo xtask fuzz --target {target} --seed {seed}");
            failed.push(*target);
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}; the seeds are above", failed.join(", "));
    }
    Ok(())
}
