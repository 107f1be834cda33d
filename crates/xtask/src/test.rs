//! `cargo xtask test`: sets up, builds, runs every test and counts the results.

use std::process::{Child, ExitCode};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::r#gen;
use crate::project;
use crate::setup::{bindfs, chromium, postgres};
use crate::tools::{self, Toolbox, say, watch};

/// Numbers of tests, as reported by the test runners.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
}

/// The meaning of a test runner's line.
#[derive(Debug, PartialEq, Eq)]
enum Event {
    /// The results of some tests.
    Results(Count),
    /// The name of a test that failed. Runners may report it twice.
    Failure(String),
}

/// A failed test, with the first lines of its error where the runner prints them indented below its name.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    name: String,
    reason: Vec<String>,
}

/// Lines that are kept of an error: its message, and the place in the test.
const REASON_LINES: usize = 6;

/// The results of all test runners.
#[derive(Debug, Default)]
struct Report {
    passed: u64,
    failed: u64,
    /// The failed tests, each once, in the order of their failures.
    failures: Vec<Failure>,
    /// The parts that have been run, and the seconds that each took.
    times: Vec<(&'static str, u64)>,
}

impl Report {
    /// Runs a part and notes its time.
    fn timed(&mut self, part: &'static str, run: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let start = Instant::now();
        let result = run(self);
        self.times.push((part, start.elapsed().as_secs()));
        result
    }

    /// Notes that a test failed. Returns where its error belongs, unless it is known already.
    fn failure(&mut self, name: String) -> Option<usize> {
        let known = self.failures.iter().position(|failure| failure.name == name);
        let at = known.unwrap_or_else(|| {
            self.failures.push(Failure { name, reason: Vec::new() });
            self.failures.len() - 1
        });
        self.failures[at].reason.is_empty().then_some(at)
    }
}

/// Whether a line below the name of a failed test belongs to its error.
fn is_of_error(line: &str) -> bool {
    line.starts_with("  ") && !line.trim_start().starts_with(['✔', '✖', '▶', 'ℹ'])
}

/// Runs everything. Then prints the time of each part and the names of failed tests, because a long log is often seen
/// by its end only. The last line on standard output is `N passed, N failed`.
pub fn run() -> ExitCode {
    let mut report = Report::default();
    if let Err(error) = everything(&mut report) {
        eprintln!("xtask: {error:#}");
        report.failed += 1;
    }
    let times: Vec<String> =
        report.times.iter().map(|(part, seconds)| format!("{part} {seconds} s")).collect();
    println!("{}", times.join(", "));
    for Failure { name, reason } in &report.failures {
        println!("failed: {name}");
        reason.iter().for_each(|line| println!("{line}"));
    }
    println!("{} passed, {} failed", report.passed, report.failed);
    if report.failed == 0 && report.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn everything(report: &mut Report) -> Result<()> {
    let mut tools = Toolbox::new();
    report.timed("set-up and builds", |_| {
        tools = build_all()?;
        postgres::ensure(&mut tools)?;
        postgres::ensure_pooler(&mut tools)?;
        bindfs::ensure(&mut tools)
    })?;
    report.timed("Rust tests", |report| native(&tools, report))?;
    report.timed("Node tests", |report| node(&tools, report))?;
    report.timed("explorer's tests", |report| web(tools, report))
}

/// Builds the native programs and tests, the WebAssembly modules, the generated files and the packages.
fn build_all() -> Result<Toolbox> {
    let mut native_build = start_native_build()?;
    let tools = build::modules().inspect_err(|_| {
        // The first error is the one to report.
        let _ = native_build.kill();
    })?;
    if !native_build.wait().context("cannot wait for the native build")?.success() {
        bail!("the native build failed");
    }
    // `limbic-gen` is among the native programs. A build of it alone has other features and would take minutes.
    r#gen::write_all(&tools, false)?;
    build::packages(&tools)?;
    Ok(tools)
}

/// Excludes the packages that compile only for WebAssembly.
pub const WASM_ONLY: [&str; 8] = [
    "--exclude",
    "limbic-wasm-core",
    "--exclude",
    "limbic-wasm-encoder",
    "--exclude",
    "limbic-wasm-code",
    "--exclude",
    "limbic-wasm-code-more",
];

/// Starts to build all native targets. It runs in parallel to the wasm modules, whose link-time optimization keeps one
/// core busy for minutes. All targets are built, because transcripts start the native binary.
fn start_native_build() -> Result<Child> {
    say("building the native programs and tests, beside what follows");
    let mut build = Toolbox::new().command("cargo");
    build.args(["build", "--quiet", "--workspace", "--all-targets"]).args(WASM_ONLY);
    build.spawn().context("cannot start cargo")
}

/// Number of Rust tests, or of files of Node tests, that run at once: two per core, because most of them wait for the
/// servers that they start.
fn at_once() -> usize {
    2 * thread::available_parallelism().map_or(1, usize::from)
}

/// Runs the Rust tests.
fn native(tools: &Toolbox, report: &mut Report) -> Result<()> {
    say("running the Rust tests");
    // `--all-targets` leaves documentation examples to `cargo xtask ready`.
    let selection = ["test", "--no-fail-fast", "--workspace", "--all-targets"];
    let threads = format!("--test-threads={}", at_once());
    let test = [selection.as_slice(), &WASM_ONLY, &["--", &threads]].concat();
    watched(tools, "cargo", &test, from_libtest, report)
}

/// Bundles and runs the tests of the Node server and of the encoder's WebAssembly module.
fn node(tools: &Toolbox, report: &mut Report) -> Result<()> {
    say("bundling the Node tests");
    let node = project::path("node");
    tools::run(tools.command("node").args(["build.mjs", "--tests"]).current_dir(&node))?;
    let bundled = project::files_below(&project::path("tests/out/node"));
    let bundled = bundled.into_iter().filter(|file| file.to_string_lossy().ends_with(".test.js"));
    let encoder = project::files_below(&project::path("tests/encoder"));
    let encoder = encoder.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "mjs"));
    let files: Vec<String> = bundled.chain(encoder).map(|file| file.to_string_lossy().into_owned()).collect();
    say("running the Node tests");
    let concurrency = format!("--test-concurrency={}", at_once());
    let mut arguments =
        vec!["--test", &concurrency, "--test-reporter=spec", "--test-reporter-destination=stdout"];
    arguments.extend(files.iter().map(String::as_str));
    watched(tools, "node", &arguments, from_node, report)
}

/// Runs the explorer's unit tests, then the tests of the built page in a browser, then the lints.
fn web(mut tools: Toolbox, report: &mut Report) -> Result<()> {
    tools.set("NO_COLOR", "1");
    say("running the explorer's unit tests");
    let silent = ["--prefix", "web", "run", "--silent"];
    watched(&tools, "npm", &[silent.as_slice(), &["test"]].concat(), from_vitest, report)?;
    chromium::ensure(&mut tools)?;
    tools.set("LIMBIC_NATIVE", project::binary("limbic"));
    // It runs until the tests in a browser have ended.
    let _store = store_for_browser_tests(&mut tools)?;
    say("running the explorer's tests in a browser");
    watched(&tools, "npm", &[silent.as_slice(), &["test:browser"]].concat(), from_vitest, report)?;
    say("linting TypeScript, JavaScript and CSS");
    tools.run("npm", &[silent.as_slice(), &["lint"]].concat()).context("Biome reported errors")
}

/// Starts a PostgreSQL server for the tests of the page, and names it to them. `None` where it is not installed.
#[cfg(unix)]
fn store_for_browser_tests(tools: &mut Toolbox) -> Result<Option<limbic_support::postgres::Cluster>> {
    let cluster = limbic_support::postgres::Cluster::start()?;
    if let Some(cluster) = &cluster {
        tools.set("LIMBIC_TEST_STORE", cluster.address("page"));
    }
    Ok(cluster)
}

#[cfg(not(unix))]
fn store_for_browser_tests(_tools: &mut Toolbox) -> Result<Option<()>> {
    Ok(None)
}

/// Runs a test runner and adds its results to `total`. A runner that fails without reporting a failed test counts as
/// one failure.
fn watched(
    tools: &Toolbox,
    program: &str,
    arguments: &[&str],
    read: fn(&str) -> Option<Event>,
    total: &mut Report,
) -> Result<()> {
    let mut own = Count::default();
    let mut last_failure = None;
    let well = watch(tools.command(program).args(arguments), |line| match read(line) {
        Some(Event::Results(more)) => {
            own.passed += more.passed;
            own.failed += more.failed;
        }
        Some(Event::Failure(name)) => last_failure = total.failure(name),
        None => {
            last_failure = last_failure.filter(|_| is_of_error(line));
            if let Some(at) = last_failure {
                let reason = &mut total.failures[at].reason;
                if reason.len() < REASON_LINES {
                    reason.push(line.trim_end().to_owned());
                }
            }
        }
    })?;
    if !well && own.failed == 0 {
        let command = format!("{program} {}", arguments.join(" "));
        eprintln!("xtask: the test runner failed without reporting a failed test: {command}");
        total.failure(command);
        own.failed = 1;
    }
    total.passed += own.passed;
    total.failed += own.failed;
    Ok(())
}

/// Parses libtest's `test result: ok. 3 passed; 0 failed; ...` and `test a_test ... FAILED`.
fn from_libtest(line: &str) -> Option<Event> {
    if let Some(test) = line.trim_end().strip_suffix(" ... FAILED") {
        return Some(Event::Failure(test.strip_prefix("test ")?.into()));
    }
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number =
        |word: &str| numbers.split(';').find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok());
    Some(Event::Results(Count { passed: number("passed")?, failed: number("failed")? }))
}

/// Parses a line of Node's summary (`ℹ pass 3`, `ℹ fail 0`, `ℹ cancelled 0`) and a failed test's (`✖ a test (3.2ms)`).
fn from_node(line: &str) -> Option<Event> {
    let line = line.trim();
    if let Some(failure) = from_cross(line) {
        return Some(failure).filter(|_| line != "✖ failing tests:");
    }
    let mut words = line.strip_prefix("ℹ ")?.split(' ');
    let (word, number) = (words.next()?, words.next()?.parse().ok()?);
    match (word, words.next()) {
        ("pass", None) => Some(Event::Results(Count { passed: number, failed: 0 })),
        ("fail" | "cancelled", None) => Some(Event::Results(Count { passed: 0, failed: number })),
        _ => None,
    }
}

/// Parses the last line of the explorer's tests (`12 passed, 0 failed`) and a failed test's (`✖ a.test.ts: a test (3
/// ms)`).
fn from_vitest(line: &str) -> Option<Event> {
    let line = line.trim();
    if let Some(failure) = from_cross(line) {
        return Some(failure);
    }
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Event::Results(Count { passed: passed.parse().ok()?, failed: failed.parse().ok()? }))
}

/// Parses `✖ a test (3 ms)`.
fn from_cross(line: &str) -> Option<Event> {
    let test = line.strip_prefix("✖ ")?;
    let name = test.rsplit_once(" (").map_or(test, |(name, _duration)| name);
    Some(Event::Failure(name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(passed: u64, failed: u64) -> Option<Event> {
        Some(Event::Results(Count { passed, failed }))
    }

    fn failure(name: &str) -> Option<Event> {
        Some(Event::Failure(name.into()))
    }

    #[test]
    fn from_libtest_parses_the_result_line() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        assert_eq!(from_libtest(line), results(12, 3));
        assert_eq!(from_libtest("test a_test ... ok\n"), None);
        assert_eq!(from_libtest("test a_test ... FAILED\n"), failure("a_test"));
    }

    #[test]
    fn errors_are_kept_with_the_failures() {
        assert!(is_of_error("  AssertionError: 3 is not 4\n"));
        assert!(!is_of_error("  ✔ another test (3 ms)\n"));
        assert!(!is_of_error("✔ another test (3 ms)\n"));
        let mut report = Report::default();
        assert_eq!(report.failure("a test".into()), Some(0));
        assert_eq!(report.failure("a test".into()), Some(0), "its error is not known yet");
        report.failures[0].reason.push("  AssertionError".into());
        assert_eq!(report.failure("a test".into()), None);
        assert_eq!(report.failures.len(), 1);
    }

    #[test]
    fn from_vitest_parses_the_last_line() {
        assert_eq!(from_vitest("12 passed, 1 failed\n"), results(12, 1));
        assert_eq!(from_vitest("all passed\n"), None);
        let failed = "✖ a.test.ts: the view (wide) > opens (123 ms)\n";
        assert_eq!(from_vitest(failed), failure("a.test.ts: the view (wide) > opens"));
    }

    #[test]
    fn from_node_parses_the_summary() {
        assert_eq!(from_node("ℹ pass 7\n"), results(7, 0));
        assert_eq!(from_node("ℹ fail 2\n"), results(0, 2));
        assert_eq!(from_node("ℹ cancelled 1\n"), results(0, 1));
        assert_eq!(from_node("ℹ duration_ms 123.4\n"), None);
        assert_eq!(from_node("▶ pass 3 balls\n"), None);
        assert_eq!(from_node("  ✖ a test (1917.688087ms)\n"), failure("a test"));
        assert_eq!(from_node("✖ failing tests:\n"), None);
    }
}
