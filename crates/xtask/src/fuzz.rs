//! `cargo xtask fuzz`: runs the fuzz targets of `tests/tests/fuzz.rs` for a while each.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::project;
use crate::test::WASM_ONLY;
use crate::tools::{Toolbox, run, say};

/// The targets with their tests.
const TARGETS: [(&str, &str); 5] = [
    ("imports", "a_memory_works_after_any_import"),
    ("guard", "secrets_and_addresses_beside_any_text_are_found"),
    ("console", "no_statement_of_the_console_changes_the_memory"),
    ("globs", "every_glob_pattern_is_compared_in_bounded_time"),
    ("lock-files", "unlocking_spares_the_database_whatever_lock_files_contain"),
];

/// The arguments of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub struct Arguments {
    /// How long each target runs
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Run the input of this seed only, such as one that has failed [default: new seeds]
    #[arg(long)]
    seed: Option<u64>,
    /// Run this target only
    #[arg(long, value_parser = TARGETS.map(|(name, _)| name))]
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
    for (target, test) in
        TARGETS.iter().filter(|(name, _)| arguments.target.as_deref().is_none_or(|only| only == *name))
    {
        say(&format!("fuzzing {target} from seed {first} on"));
        let mut command = tools.command("cargo");
        command.args(["test", "--quiet", "--workspace"]).args(WASM_ONLY);
        command.args(["--test", "fuzz", "--", "--nocapture", "--exact", test]);
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

#[test]
fn every_target_names_a_test() {
    let tests = fs::read_to_string(project::path("tests/tests/fuzz.rs")).expect("the targets are there");
    for (target, test) in TARGETS {
        assert!(tests.contains(&format!("fn {test}()")), "{target}: {test} is not a test of fuzz.rs");
        assert!(tests.contains(&format!("name: \"{target}\"")), "{target} is not a target of fuzz.rs");
    }
}
