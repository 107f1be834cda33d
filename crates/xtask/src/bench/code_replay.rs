//! The code index over a history: after each commit, the tables of an index that is kept up to date equal those of a
//! fresh one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::table::{Outcome, Table, median, millis, ratio};
use crate::project;
use crate::tools::{Toolbox, say};

/// Number of commits after the first one.
const COMMITS: usize = 50;

/// Walks the commits of the repository that `LIMBIC_BENCH_HISTORY` names, by default of this one, and fails where the
/// tables differ.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    say("building the replay in release mode");
    tools.run(
        "cargo",
        &["build", "--quiet", "--release", "--package", "limbic-code-disk", "--example", "replay"],
    )?;
    let tree = clone(tools)?;
    let revisions = revisions(tools, &tree)?;
    let program = project::target().join(format!("release/examples/replay{}", env::consts::EXE_SUFFIX));
    let output = tools.command(&program).arg(&tree).args(&revisions).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "failed: {}", program.display());
    let text = String::from_utf8(output.stdout).context("the replay printed no UTF-8")?;
    let looks = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let different: Vec<&Value> = looks.iter().filter(|look| look["is_equal"] != true).collect();
    if let Some(first) = different.first() {
        println!("the first difference: {first:#}");
    }
    ensure!(different.is_empty(), "the index differs after {} of {} commits", different.len(), looks.len());

    let number = |look: &Value, name: &str| look[name].as_f64().unwrap_or_default();
    let of_updates = |name: &str| median(looks.iter().skip(1).map(|look| number(look, name)).collect());
    let last = looks.last().context("the history has no commits")?;
    let (update, fresh) = (of_updates("update_millis"), of_updates("fresh_millis"));
    let head = ["commits", "equal", "files", "rows", "update, median", "fresh, median", "ratio"];
    let mut table = Table::new("An updated code index against a fresh one, after each commit", &head);
    table.row(vec![
        (looks.len() - 1).to_string(),
        (looks.len() - 1 - different.len()).to_string(),
        last["files"].to_string(),
        last["rows"].to_string(),
        millis(update),
        millis(fresh),
        ratio(update, fresh),
    ]);
    let numbers = json!({"commits": looks.len() - 1, "files": last["files"], "rows": last["rows"],
        "update_millis": update, "fresh_millis": fresh});
    Ok(Outcome { table, numbers })
}

/// Clones the repository, so that no work tree of a person is touched.
fn clone(tools: &Toolbox) -> Result<PathBuf> {
    let source = env::var_os("LIMBIC_BENCH_HISTORY").map_or_else(|| project::path("."), PathBuf::from);
    let tree = project::target().join("bench-code-replay");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    let (source, into) = (source.to_string_lossy(), tree.to_string_lossy());
    tools.run("git", &["clone", "--quiet", "--no-checkout", &source, &into])?;
    Ok(tree)
}

/// The last commits of the main line, oldest first.
fn revisions(tools: &Toolbox, tree: &Path) -> Result<Vec<String>> {
    let (tree, count) = (tree.to_string_lossy(), format!("--max-count={}", COMMITS + 1));
    let arguments = ["-C", &tree, "rev-list", "--first-parent", "--reverse", &count, "HEAD"];
    let list = tools.ask("git", &arguments).context("git lists no commits")?;
    let found: Vec<String> = list.lines().map(str::to_owned).collect();
    ensure!(found.len() > COMMITS, "the history has fewer than {COMMITS} commits after the first");
    Ok(found)
}
