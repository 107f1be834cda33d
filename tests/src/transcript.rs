//! Transcripts: calls as data, one a line, and the answers they must give.
//!
//! `tests/cases/**/*.jsonl` holds the calls, `{"tool": ..., "arguments": ...}`; `tests/expected/**` the answers,
//! `{"isError": ..., "content": ...}`, line by line. Answers are written by the native back end alone, with
//! `UPDATE=1`, and compared byte for byte on every other.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{BackEnd, project};

/// Other servers, by what `--compat` calls them.
const COMPAT: [&str; 1] = ["memory-graph"];

/// One call of a transcript.
#[derive(Deserialize)]
struct Call<'a> {
    tool: &'a str,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// All transcripts, as paths below `tests/cases`, in order.
///
/// # Errors
/// When the folder cannot be read.
pub fn all() -> Result<Vec<PathBuf>> {
    let root = project("tests/cases");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path.strip_prefix(&root)?.to_owned());
            }
        }
    }
    found.sort();
    ensure!(!found.is_empty(), "there are no transcripts below {}", root.display());
    Ok(found)
}

/// The toolsets that a transcript is run with: `graph`, and the one that its folder is named after, `memory` with
/// `domain`, and `explorer` with all of them.
#[must_use]
pub fn toolsets(case: &Path) -> Vec<&str> {
    let folder = case.iter().next().and_then(|folder| folder.to_str()).unwrap_or("graph");
    match folder {
        "graph" => vec!["graph"],
        "memory" => vec!["graph", "memory", "domain"],
        "explorer" => vec!["graph", "memory", "domain", "explorer"],
        folder if COMPAT.contains(&folder) => vec![],
        other => vec!["graph", other],
    }
}

/// The other server whose tools a transcript is for: the one that its folder is named after.
#[must_use]
pub fn compat(case: &Path) -> Option<&str> {
    case.iter().next().and_then(|folder| folder.to_str()).filter(|folder| COMPAT.contains(folder))
}

/// The calls of a transcript: tools and arguments. `@/` in arguments stands for the project's folder of files to import.
///
/// # Errors
/// When the transcript cannot be read.
pub fn calls(case: &Path) -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(project("tests/cases").join(case))?;
    let files = files();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let call: Call<'_> =
                serde_json::from_str(line).with_context(|| format!("{}:{number}", case.display()))?;
            Ok((call.tool.to_owned(), call.arguments.get().replace("@/", &files)))
        })
        .collect()
}

/// Runs a transcript; answers one line for each call.
///
/// # Errors
/// When the transcript cannot be read or the back end breaks.
pub fn run(case: &Path, back_end: &mut dyn BackEnd) -> Result<String> {
    let mut answers = Vec::new();
    for (tool, arguments) in calls(case)? {
        answers
            .push(back_end.call(&tool, &arguments).with_context(|| format!("{}: {tool}", case.display()))?);
    }
    Ok(lines(&answers))
}

/// Answers as [`expected`] gives them.
#[must_use]
pub fn lines(answers: &[(bool, String)]) -> String {
    let files = files();
    answers
        .iter()
        .map(|(is_error, content)| {
            format!("{{\"isError\":{is_error},\"content\":{}}}\n", content.replace(&files, "@/"))
        })
        .collect()
}

/// The folder of files to import, with the slash at its end.
fn files() -> String {
    format!("{}/", project("tests/files").to_string_lossy())
}

/// The answers that a transcript must give.
///
/// # Errors
/// When they have not been written.
pub fn expected(case: &Path) -> Result<String> {
    let path = project("tests/expected").join(case);
    fs::read_to_string(&path)
        .with_context(|| format!("{} is missing: run the native transcripts with UPDATE=1", path.display()))
}

/// Writes the answers that a transcript must give.
///
/// # Errors
/// When the file cannot be written.
pub fn update(case: &Path, answers: &str) -> Result<()> {
    let path = project("tests/expected").join(case);
    fs::create_dir_all(path.parent().context("a transcript stands in a folder")?)?;
    Ok(fs::write(path, answers)?)
}

/// Where two lists of answers differ first, for a message.
#[must_use]
pub fn difference(expected: &str, found: &str) -> String {
    let differing = (1..).zip(expected.lines().zip(found.lines())).find(|(_, (left, right))| left != right);
    match differing {
        Some((number, (left, right))) => format!("call {number}\n  expected {left}\n  found    {right}"),
        None => format!("{} answers expected, {} found", expected.lines().count(), found.lines().count()),
    }
}
