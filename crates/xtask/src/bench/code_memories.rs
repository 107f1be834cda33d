//! Memories and code: the states of memories linked to functions, over the releases of public packages, against what
//! `git log -L` reports for the same lines.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::table::{Outcome, Table};
use crate::project;
use crate::test::WASM_ONLY;
use crate::tools::{Toolbox, say};

/// Packages and their releases, oldest first.
const HISTORIES: [(&str, &[&str]); 3] = [
    ("flask", &["1.1.4", "2.0.3", "2.2.5", "2.3.3", "3.0.3"]),
    ("requests", &["2.9.1", "2.18.4", "2.22.0", "2.25.1", "2.28.2", "2.32.3"]),
    ("pylint", &["2.12.2", "2.13.8", "2.14.5", "2.15.9"]),
];

/// Maximum number of functions per package.
const MAX_FUNCTIONS: &str = "300";

/// Counts over all functions and later releases.
#[derive(Default)]
struct Counts {
    functions: BTreeSet<String>,
    /// Counts by state and by whether the lines changed according to git; for gone and moved, whether the file lacks
    /// the name.
    agreed: BTreeMap<(String, bool), usize>,
}

impl Counts {
    fn of(&self, state: &str, is_confirmed: bool) -> usize {
        self.agreed.get(&(state.to_owned(), is_confirmed)).copied().unwrap_or(0)
    }
}

/// Scores every package.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let head =
        ["history", "functions", "looks", "changed P", "R", "gone or moved P", "R", "touched, yet holds"];
    let mut table = Table::new("Memories and code (P: precision, R: recall, against git log -L)", &head);
    say("building the replay");
    // Nothing is timed, so that the build of the tests is used.
    let mut build = vec!["build", "--quiet", "--workspace", "--example", "memory_states"];
    build.extend(WASM_ONLY);
    tools.run("cargo", &build)?;
    let mut numbers = json!({});
    for (package, releases) in HISTORIES {
        let tree = history(tools, package, releases)?;
        let counts = replay(tools, &tree, releases)?;
        let (touched, silent) = (counts.of("changed", true), counts.of("holds", true));
        let changed = touched + counts.of("changed", false);
        let absent = counts.of("gone", true) + counts.of("moved", true);
        let away = absent + counts.of("gone", false) + counts.of("moved", false);
        let missed = counts.of("absent", true);
        let looks: usize =
            counts.agreed.iter().filter(|((state, _), _)| state != "absent").map(|(_, n)| n).sum();
        table.row(vec![
            package.to_owned(),
            counts.functions.len().to_string(),
            looks.to_string(),
            share(touched, changed),
            share(touched, touched + silent),
            share(absent, away),
            share(absent, absent + missed),
            silent.to_string(),
        ]);
        let by_state: BTreeMap<String, usize> = counts
            .agreed
            .iter()
            .map(|((state, is_confirmed), count)| (format!("{state} {is_confirmed}"), *count))
            .collect();
        numbers[package] = json!(by_state);
    }
    table.note(
        "git log -L also counts comments, docstrings and layout, which leave a memory's code as it was",
    );
    table.note(
        "gone or moved: P, the file has no definition of the name; R, of the functions that it no longer has",
    );
    Ok(Outcome { table, numbers })
}

/// Makes a git repository with a commit and a tag for each release of a package.
fn history(tools: &Toolbox, package: &str, releases: &[&str]) -> Result<PathBuf> {
    let folder = project::target().join("bench-code-memories");
    let tree = folder.join(package);
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    fs::create_dir_all(&tree)?;
    git(tools, &tree, &["init", "--quiet"])?;
    for release in releases {
        let wheels = project::cache()?.join("bench-wheels").join(format!("{package}-{release}"));
        if fs::read_dir(&wheels).map_or(0, Iterator::count) == 0 {
            say(&format!("fetching {package} {release}"));
            let (into, name) = (wheels.to_string_lossy(), format!("{package}=={release}"));
            let pip = [
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--python-version",
                "3.8",
            ];
            tools.run("python3", &[pip.as_slice(), &["-d", &into, &name]].concat())?;
        }
        let wheel = fs::read_dir(&wheels)?.next().context("pip has fetched nothing")??.path();
        let source = tree.join(package);
        if source.exists() {
            fs::remove_dir_all(source)?;
        }
        tools.run("python3", &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &tree.to_string_lossy()])?;
        git(tools, &tree, &["add", "--all", package])?;
        let author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        git(tools, &tree, &[author.as_slice(), &["commit", "--quiet", "-m", release]].concat())?;
        git(tools, &tree, &["tag", release])?;
    }
    Ok(tree)
}

/// Runs the replay and asks git about each state.
fn replay(tools: &Toolbox, tree: &Path, releases: &[&str]) -> Result<Counts> {
    let program = project::target().join(format!("debug/examples/memory_states{}", env::consts::EXE_SUFFIX));
    let output = tools
        .command(&program)
        .args([&*tree.to_string_lossy(), MAX_FUNCTIONS])
        .args(releases)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "failed: {}", program.display());
    let first = releases.first().context("a history has releases")?;
    let mut counts = Counts::default();
    for line in String::from_utf8(output.stdout)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let (revision, symbol, state) = (text("revision"), text("symbol"), text("state"));
        let (path, name) = symbol
            .split_once(':')
            .and_then(|(_, place)| place.rsplit_once('#'))
            .context("an id of a symbol")?;
        counts.functions.insert(symbol.clone());
        let is_away = state == "gone" || state == "moved";
        let is_absent = !defines(tools, tree, &revision, path, name)?;
        let is_confirmed = match (is_away, &row["lines"]) {
            (true, _) => is_absent,
            (false, Value::Array(lines)) => {
                let range = format!("{},{}:{path}", lines[0], lines[1]);
                let since = format!("{first}..{revision}");
                let log = ["log", "-s", "--format=%H", "-L", &range, &since];
                !output_of(tools, tree, &log)?.trim().is_empty()
            }
            // It moved before and changed since.
            (false, _) => true,
        };
        *counts.agreed.entry((state, is_confirmed)).or_default() += 1;
        if is_absent && !is_away && row["now"].is_null() {
            *counts.agreed.entry(("absent".to_owned(), true)).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Whether a file has a definition of a name at a revision, read from its text.
fn defines(tools: &Toolbox, tree: &Path, revision: &str, path: &str, name: &str) -> Result<bool> {
    let last = name.rsplit('.').next().unwrap_or(name).split('~').next().unwrap_or(name);
    let pattern = format!("^[ \t]*(async )?def {last}[ \t]*[(]");
    let grep = ["grep", "-q", "-E", &pattern, revision, "--", path];
    Ok(tools.command(Path::new("git")).arg("-C").arg(tree).args(grep).status()?.success())
}

fn output_of(tools: &Toolbox, tree: &Path, arguments: &[&str]) -> Result<String> {
    let output = tools.command(Path::new("git")).arg("-C").arg(tree).args(arguments).output()?;
    ensure!(output.status.success(), "failed: git {}", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

fn git(tools: &Toolbox, tree: &Path, arguments: &[&str]) -> Result<()> {
    let tree = tree.to_string_lossy();
    tools.run("git", &[["-C", &tree].as_slice(), arguments].concat())
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.3}", part as f64 / whole as f64) }
}
