//! The code index: definitions and calls compared with compilers' own indexers on public repositories, which are not
//! part of this one.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::encode::answer;
use super::table::{Outcome, Table};
use crate::project;
use crate::tools::{Toolbox, say};

/// Scores every repository that the data has a truth for, with the baseline that resolves by names alone.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let data = data_folder();
    let head = [
        "repository",
        "definitions P",
        "R",
        "calls, resolved P",
        "R",
        "and likely P",
        "R",
        "same name P",
        "R",
    ];
    let mut table = Table::new("Code index (P: judged precision, R: recall)", &head);
    let names = repositories(&data);
    if names.is_empty() {
        table.note(&format!(
            "left out: there is no truth in {}; name its parent folder in LIMBIC_BENCH_DATA",
            data.display()
        ));
        return Ok(Outcome { table, numbers: Value::Null });
    }
    let trees = trees(tools, &data, &names)?;
    let answers = answers(tools, &trees, &names)?;
    let score = |arguments: &[&str]| -> Result<Value> {
        let script = data.join("score.py").to_string_lossy().into_owned();
        let (data, trees) = (data.to_string_lossy(), trees.to_string_lossy());
        let common = [script.as_str(), "--json", "--data", &data, "--trees", &trees];
        answer(tools, "python3", &[common.as_slice(), arguments].concat())
    };
    let ours = score(&["--run", &answers.to_string_lossy()])?;
    let same_name = score(&["--baseline", "--repo", &names.join(",")])?;
    let mut numbers = json!({});
    for name in &names {
        let definitions = &ours["definitions"][name];
        let calls = &ours["references"][name]["calls"];
        let baseline = &same_name["references"][name]["calls"]["all"];
        let pair = |scores: &Value, precision: &str| [share(&scores[precision]), share(&scores["recall"])];
        let cells = [
            pair(definitions, "precision"),
            pair(&calls["resolved"], "judged"),
            pair(&calls["resolved+likely"], "judged"),
            pair(baseline, "judged"),
        ];
        table.row([vec![name.clone()], cells.concat()].concat());
        numbers[name] = json!({"definitions": definitions, "calls": calls, "same_name": baseline});
    }
    table.note(
        "goals: definitions .99 and .99 (Rust .98 and .96), calls .97 and .78, with likely ones .87 and .92",
    );
    Ok(Outcome { table, numbers })
}

/// The folder with the data of the code index, in that of all benchmark data.
pub fn data_folder() -> PathBuf {
    let data =
        env::var_os("LIMBIC_BENCH_DATA").map_or_else(|| project::path("../shared/bench"), PathBuf::from);
    data.join("code")
}

/// Names of the repositories with a truth, sorted.
fn repositories(data: &Path) -> Vec<String> {
    let entries = fs::read_dir(data.join("truth")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        entry.file_name().to_str().and_then(|name| name.strip_suffix(".jsonl.gz")).map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The folder with the source trees as archives: `LIMBIC_BENCH_TREES`, or the cache, where missing ones are fetched by
/// the data's own script through the clients of the package registries.
pub fn trees(tools: &Toolbox, data: &Path, names: &[String]) -> Result<PathBuf> {
    let folder = match env::var_os("LIMBIC_BENCH_TREES") {
        Some(folder) => PathBuf::from(folder),
        None => project::cache()?.join("bench-trees"),
    };
    let missing: Vec<String> =
        names.iter().filter(|name| !folder.join(format!("{name}.tar.gz")).is_file()).cloned().collect();
    if !missing.is_empty() {
        say(&format!("fetching source trees: {}", missing.join(", ")));
        let script = data.join("trees.py");
        let (script, folder) = (script.to_string_lossy(), folder.to_string_lossy());
        tools.run("python3", &[&script, "--only", &missing.join(","), "--out", &folder])?;
    }
    Ok(folder)
}

/// Unpacks the trees and writes the crate's answers for all of them into one file.
fn answers(tools: &Toolbox, trees: &Path, names: &[String]) -> Result<PathBuf> {
    say("building limbic-code in release mode");
    tools.run(
        "cargo",
        &["build", "--quiet", "--release", "--package", "limbic-code", "--example", "answers"],
    )?;
    let program = project::target().join(format!("release/examples/answers{}", env::consts::EXE_SUFFIX));
    let folder = project::target().join("bench-code");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut all = Vec::new();
    for name in names {
        let tree = folder.join(name);
        fs::create_dir_all(&tree)?;
        let archive = trees.join(format!("{name}.tar.gz"));
        let (archive, tree) = (archive.to_string_lossy(), tree.to_string_lossy());
        tools.run("tar", &["-xzf", &archive, "-C", &tree])?;
        let output =
            tools.command(&program).args([name.as_str(), &tree]).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "failed: {} {name}", program.display());
        all.extend(output.stdout);
    }
    let file = folder.join("answers.jsonl");
    fs::write(&file, all).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// A share as a cell; a dash without queries.
fn share(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}
