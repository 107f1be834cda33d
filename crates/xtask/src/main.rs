//! The developer commands; `cargo xtask help` lists them.
//!
//! One file per command. A command installs what it needs; a step with nothing to do prints nothing.

mod bench;
mod build;
#[cfg(test)]
mod checks;
mod code_module;
mod core_module;
mod fuzz;
mod r#gen;
mod mcp;
mod model;
mod new_tool;
mod notices;
mod parity;
mod project;
mod ready;
mod release;
mod sbom;
mod setup;
mod sim;
mod start;
mod start_postgres;
#[cfg(unix)]
mod storm;
mod strip_names;
mod test;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use tools::Toolbox;

/// Builds, tests and measures Limbic.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Set up, build, test the server on a sample memory, print the client settings, and serve the explorer until
    /// Ctrl-C
    Start {
        /// The database to show [default: a sample memory]
        #[arg(long, value_name = "PATH")]
        db: Option<PathBuf>,
        /// Install and start PostgreSQL, and serve the sample from it over HTTP by two native servers instead
        #[arg(long, conflicts_with = "db")]
        postgres: bool,
    },
    /// Set up, build, then run every test; the last line is `N passed, N failed`
    Test,
    /// Install missing prerequisites: wasm target, clang, wasm-pack, wasm-bindgen, npm packages, the model
    Setup,
    /// Set up, then build the wasm modules, the generated files, the explorer and the Node server
    Build,
    /// Generate from the tools' declarations and the schema: pkg/tools.json, pkg/instructions.mts, pkg/call-limits.mts,
    /// pkg/types.ts, pkg/empty.db and the READMEs' tables
    Gen {
        /// Write nothing; fail if a generated file is out of date
        #[arg(long)]
        check: bool,
    },
    /// Build, then pack, validate and test the npm package, the bundle for desktop clients and the registry's entry
    Release,
    /// Write the software bill of materials of the built package (CycloneDX) to node/release
    Sbom,
    /// Run the transcripts on every build
    Parity,
    /// Run benchmarks, print tables and write target/bench.json
    Bench(bench::Arguments),
    /// Run the storage simulator, and processes whose calls are interleaved by a seed
    Sim {
        /// The first seed; the same seed gives the same run
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many seeds of interleavings to run
        #[arg(long, default_value_t = 200)]
        seeds: u64,
    },
    /// Kill servers and crash PostgreSQL under twelve clients, and check that no acknowledged write of theirs is lost
    #[cfg(unix)]
    Storm,
    /// Fuzz imports, the secret scan, the SQL console and lock files; a failing input's seed is printed
    Fuzz(fuzz::Arguments),
    /// Write the skeleton of a tool
    NewTool {
        /// Its name in snake_case, such as `find_duplicates`
        name: String,
    },
    /// Run every check that a change must pass: formatting, lints, documentation, licences, tests
    Ready {
        /// Skip the tests, for CI that runs them in another job
        #[arg(long)]
        without_tests: bool,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Start { postgres: true, .. } => start_postgres::run(),
        Command::Start { db, .. } => start::run(db),
        Command::Test => return test::run(),
        Command::Setup => setup::run().map(drop),
        Command::Build => build::run().map(drop),
        Command::Gen { check } => r#gen::run(&Toolbox::new(), check),
        Command::Release => release::run(),
        Command::Sbom => sbom::run(),
        Command::Parity => parity::run(),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Sim { seed, seeds } => sim::run_seeds(seed, seeds),
        #[cfg(unix)]
        Command::Storm => storm::run_in_full(),
        Command::Fuzz(arguments) => fuzz::run_targets(&arguments),
        Command::NewTool { name } => new_tool::run(&name),
        Command::Ready { without_tests } => ready::run(without_tests),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
