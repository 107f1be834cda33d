//! `cargo xtask test`: sets up, builds, runs every test and counts the results.

use std::process::{Child, ExitCode};

use anyhow::{Context, Result, bail};

use crate::build;
use crate::project;
use crate::setup::{bindfs, chromium, postgres};
use crate::tools::{self, Toolbox, say, watch};

/// Numbers of tests, as reported by the test runners.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
}

/// Runs everything. The last line on standard output is `N passed, N failed`.
pub fn run() -> ExitCode {
    let mut count = Count::default();
    if let Err(error) = everything(&mut count) {
        eprintln!("xtask: {error:#}");
        count.failed += 1;
    }
    println!("{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 && count.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn everything(count: &mut Count) -> Result<()> {
    let mut native_build = start_native_build()?;
    let mut tools = build::run().inspect_err(|_| {
        // The first error is the one to report.
        let _ = native_build.kill();
    })?;
    if !native_build.wait().context("cannot wait for the native build")?.success() {
        bail!("the native build failed");
    }
    postgres::ensure(&mut tools)?;
    bindfs::ensure(&mut tools)?;
    native(&tools, count)?;
    node(&tools, count)?;
    web(tools, count)
}

/// Excludes the packages that compile only for WebAssembly.
pub const WASM_ONLY: [&str; 6] =
    ["--exclude", "limbic-wasm-core", "--exclude", "limbic-wasm-encoder", "--exclude", "limbic-wasm-code"];

/// Starts to build all native targets. It goes on beside the wasm modules, whose link-time optimization keeps one core
/// busy for minutes. All targets are built, because transcripts start the native binary.
fn start_native_build() -> Result<Child> {
    say("building the native programs and tests, beside what follows");
    let mut build = Toolbox::new().command("cargo");
    build.args(["build", "--quiet", "--workspace", "--all-targets"]).args(WASM_ONLY);
    build.spawn().context("cannot start cargo")
}

/// Runs the Rust tests.
fn native(tools: &Toolbox, count: &mut Count) -> Result<()> {
    say("running the Rust tests");
    // `--all-targets` leaves documentation examples to `cargo xtask ready`.
    let selection = ["test", "--no-fail-fast", "--workspace", "--all-targets"];
    let test = [selection.as_slice(), &WASM_ONLY].concat();
    watched(tools, "cargo", &test, from_libtest, count)
}

/// Bundles and runs the tests of the Node server and of the encoder's WebAssembly module.
fn node(tools: &Toolbox, count: &mut Count) -> Result<()> {
    say("bundling the Node tests");
    let node = project::path("node");
    tools::run(tools.command("node").args(["build.mjs", "--tests"]).current_dir(&node))?;
    let bundled = project::files_below(&project::path("tests/out/node"));
    let bundled = bundled.into_iter().filter(|file| file.to_string_lossy().ends_with(".test.js"));
    let encoder = project::files_below(&project::path("tests/encoder"));
    let encoder = encoder.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "mjs"));
    let files: Vec<String> = bundled.chain(encoder).map(|file| file.to_string_lossy().into_owned()).collect();
    say("running the Node tests");
    let mut arguments = vec!["--test", "--test-reporter=spec", "--test-reporter-destination=stdout"];
    arguments.extend(files.iter().map(String::as_str));
    watched(tools, "node", &arguments, from_node, count)
}

/// Runs the explorer's unit tests, then the tests of the built page in a browser, then the lints.
fn web(mut tools: Toolbox, count: &mut Count) -> Result<()> {
    tools.set("NO_COLOR", "1");
    say("running the explorer's unit tests");
    let silent = ["--prefix", "web", "run", "--silent"];
    watched(&tools, "npm", &[silent.as_slice(), &["test"]].concat(), from_vitest, count)?;
    chromium::ensure(&mut tools)?;
    say("running the explorer's tests in a browser");
    watched(&tools, "npm", &[silent.as_slice(), &["test:browser"]].concat(), from_browser_tests, count)?;
    say("linting TypeScript, JavaScript and CSS");
    tools.run("npm", &[silent.as_slice(), &["lint"]].concat()).context("Biome reported errors")
}

/// Runs a test runner and adds its results to `total`. A runner that fails without reporting a failed test counts as one
/// failure.
fn watched(
    tools: &Toolbox,
    program: &str,
    arguments: &[&str],
    read: fn(&str) -> Option<Count>,
    total: &mut Count,
) -> Result<()> {
    let mut own = Count::default();
    let well = watch(tools.command(program).args(arguments), |line| {
        if let Some(more) = read(line) {
            own.passed += more.passed;
            own.failed += more.failed;
        }
    })?;
    if !well && own.failed == 0 {
        eprintln!(
            "xtask: the test runner failed without reporting a failed test: {program} {}",
            arguments.join(" ")
        );
        own.failed = 1;
    }
    total.passed += own.passed;
    total.failed += own.failed;
    Ok(())
}

/// Parses libtest's `test result: ok. 3 passed; 0 failed; ...`.
fn from_libtest(line: &str) -> Option<Count> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number =
        |word: &str| numbers.split(';').find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok());
    Some(Count { passed: number("passed")?, failed: number("failed")? })
}

/// Parses a line of Node's summary: `ℹ pass 3`, `ℹ fail 0`, `ℹ cancelled 0`.
fn from_node(line: &str) -> Option<Count> {
    let mut words = line.trim().strip_prefix("ℹ ")?.split(' ');
    let (word, number) = (words.next()?, words.next()?.parse().ok()?);
    match (word, words.next()) {
        ("pass", None) => Some(Count { passed: number, failed: 0 }),
        ("fail" | "cancelled", None) => Some(Count { passed: 0, failed: number }),
        _ => None,
    }
}

/// Parses Vitest's summary `      Tests  1 failed | 170 passed (171)`.
fn from_vitest(line: &str) -> Option<Count> {
    let (numbers, _) = line.trim().strip_prefix("Tests ")?.split_once('(')?;
    let number = |word: &str| {
        numbers.split('|').find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok()).unwrap_or(0)
    };
    Some(Count { passed: number("passed"), failed: number("failed") })
}

/// Parses the last line of the browser tests: `12 passed, 0 failed`.
fn from_browser_tests(line: &str) -> Option<Count> {
    let (passed, failed) = line.trim().strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Count { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_libtest_parses_the_result_line() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        assert_eq!(from_libtest(line), Some(Count { passed: 12, failed: 3 }));
        assert_eq!(from_libtest("test a_test ... ok\n"), None);
    }

    #[test]
    fn from_vitest_parses_the_summary() {
        assert_eq!(from_vitest("      Tests  171 passed (171)\n"), Some(Count { passed: 171, failed: 0 }));
        let mixed = "      Tests  2 failed | 3 passed | 1 skipped (6)\n";
        assert_eq!(from_vitest(mixed), Some(Count { passed: 3, failed: 2 }));
        assert_eq!(from_vitest(" Test Files  18 passed (18)\n"), None);
    }

    #[test]
    fn from_browser_tests_parses_the_last_line() {
        assert_eq!(from_browser_tests("12 passed, 1 failed\n"), Some(Count { passed: 12, failed: 1 }));
        assert_eq!(from_browser_tests("all passed\n"), None);
    }

    #[test]
    fn from_node_parses_the_summary() {
        assert_eq!(from_node("ℹ pass 7\n"), Some(Count { passed: 7, failed: 0 }));
        assert_eq!(from_node("ℹ fail 2\n"), Some(Count { passed: 0, failed: 2 }));
        assert_eq!(from_node("ℹ cancelled 1\n"), Some(Count { passed: 0, failed: 1 }));
        assert_eq!(from_node("ℹ duration_ms 123.4\n"), None);
        assert_eq!(from_node("▶ pass 3 balls\n"), None);
    }
}
