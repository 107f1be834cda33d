//! Transcripts: calls as data, one a line, and the answers they must give.
//!
//! `tests/cases/**/*.jsonl` holds the calls, `{"tool": ..., "arguments": ...}`; `tests/expected/**` the answers,
//! `{"isError": ..., "content": ...}`, line by line. Answers are written by the native back end alone, with
//! `UPDATE=1`, and compared byte for byte on every other.

use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use similar::TextDiff;

use crate::{BackEnd, project};

/// Other servers, by what `--compat` calls them.
const COMPAT: [&str; 2] = ["memory-graph", "memory-mcp-server"];

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
/// `domain`, `explorer` with all of them, `code-explorer` with the code index, `code-memory` with code,
/// memories and the explorer, and `more` with the default ones.
#[must_use]
pub fn toolsets(case: &Path) -> Vec<&str> {
    let folder = case.iter().next().and_then(|folder| folder.to_str()).unwrap_or("graph");
    match folder {
        "graph" => vec!["graph"],
        "memory" => vec!["graph", "memory", "domain"],
        // The default ones.
        "more" => vec![],
        "explorer" => vec!["graph", "memory", "domain", "explorer"],
        "code-explorer" => vec!["code", "explorer"],
        "code-memory" => vec!["code", "memory", "explorer"],
        folder if COMPAT.contains(&folder) => vec![],
        other => vec!["graph", other],
    }
}

/// The other server whose tools a transcript is for: the one that its folder is named after.
#[must_use]
pub fn compat(case: &Path) -> Option<&str> {
    case.iter().next().and_then(|folder| folder.to_str()).filter(|folder| COMPAT.contains(folder))
}

/// Whether a transcript indexes source code, below `tests/files`.
#[must_use]
pub fn has_code(case: &Path) -> bool {
    toolsets(case).contains(&"code") || compat(case) == Some("memory-mcp-server")
}

/// The calls of a transcript: tools and arguments. `@/` in arguments stands for the project's folder of files to
/// import.
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

/// Runs a transcript. Returns one line for each call.
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
    fs::create_dir_all(path.parent().context("a transcript is in a folder")?)?;
    Ok(fs::write(path, answers)?)
}

/// A diff of the first line in which two texts of JSON lines differ, for a failure's message.
///
/// The two lines are compared as indented JSON, with three unchanged lines around each change; as text where they are
/// not JSON, or differ in spelling alone.
#[must_use]
pub fn difference(expected: &str, found: &str) -> String {
    let differing = (1..).zip(expected.lines().zip(found.lines())).find(|(_, (left, right))| left != right);
    match differing {
        Some((number, (left, right))) => format!("line {number}\n{}", json_diff(left, right)),
        None => format!("{} lines expected, {} found", expected.lines().count(), found.lines().count()),
    }
}

/// A unified diff of two JSON texts: `-` marks what is expected, `+` what was found.
#[must_use]
pub fn json_diff(expected: &str, found: &str) -> String {
    let (left, right) = match (indented(expected), indented(found)) {
        (Some(left), Some(right)) if left != right => (left, right),
        _ => (format!("{expected}\n"), format!("{found}\n")),
    };
    let diff = TextDiff::from_lines(&left, &right);
    diff.unified_diff().context_radius(3).header("expected", "found").to_string()
}

/// Checks that a JSON value is the expected one. The error is a diff, below `whole`, which the value is a part of.
///
/// # Errors
/// When the values differ.
pub fn ensure_same(found: &Value, expected: &Value, whole: impl Display) -> Result<()> {
    ensure!(found == expected, "{whole}\n{}", json_diff(&expected.to_string(), &found.to_string()));
    Ok(())
}

fn indented(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    Some(format!("{value:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_line_and_shows_the_field_that_differs() {
        let expected = "{\"a\":1}\n{\"a\":1,\"b\":[1,2,3],\"c\":\"same\"}\n";
        let found = "{\"a\":1}\n{\"a\":1,\"b\":[1,5,3],\"c\":\"same\"}\n";
        let shown = difference(expected, found);
        assert!(shown.starts_with("line 2\n--- expected\n+++ found\n"), "{shown}");
        let changed: Vec<&str> =
            shown.lines().skip(3).filter(|line| line.starts_with(['-', '+'])).map(str::trim_end).collect();
        assert_eq!(changed, ["-    2,", "+    5,"]);
    }

    #[test]
    fn a_difference_in_spelling_alone_shows_both_lines() {
        let shown = difference("{\"a\":1.0}\n", "{\"a\": 1.0}\n");
        assert!(shown.contains("-{\"a\":1.0}\n+{\"a\": 1.0}\n"), "{shown}");
    }

    #[test]
    fn a_missing_line_is_counted() {
        assert_eq!(difference("1\n2\n", "1\n"), "2 lines expected, 1 found");
    }
}
