//! Rules for texts: the width of the READMEs, and phrases that a standard term replaces.

use std::fs;

use super::files::texts;
use crate::project;

/// Documents whose lines are wrapped.
const DOCUMENTS: [&str; 10] = [
    "README.md",
    "node/README.md",
    "web/README.md",
    "web/sample/README.md",
    "crates/ARCHITECTURE.md",
    "crates/limbic-code/RELATIONS.md",
    "crates/limbic-core/src/search/RANKING.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
];

/// Maximum length of a document's line in characters, apart from tables and the targets of links.
const MAX_WIDTH: usize = 120;

/// The README of the project has fewer lines than this.
const README_LINES: usize = 200;

/// Phrases, in lower case, and what to write instead. Names are searched, too: `_` stands for a space. Split, so that
/// this file does not match itself.
const PHRASES: [(&str, &str); 48] = [
    (concat!("those of ", "the database"), "name the cases, or omit the section: see `Error` in limbic-core"),
    (
        concat!("errors of ", "the database"),
        "name the cases, or omit the section: see `Error` in limbic-core",
    ),
    (concat!("telling ", "token"), "content token"),
    (concat!("what is not ", "given stays"), "Omitted fields stay unchanged"),
    (concat!("whoever ", "names nobody"), "without a user"),
    (concat!("it got ", "another value"), "say what was expected and what was given"),
    (concat!("/// those of ", "`"), "Errors of `...`"),
    (concat!("number of ", "numbers"), "dimensions"),
    (concat!("what became of ", "the"), "the state of the ... since"),
    (concat!("is no longer ", "what it was"), "has changed"),
    (concat!("trust no ", "longer"), "distrust"),
    (concat!("another ", "one's"), "of another ..., such as a database"),
    (concat!("ended before ", "its end"), "did not complete"),
    (concat!("of ", "nobody"), "without an owner"),
    (concat!("questions about ", "the past"), "unless as_of is earlier"),
    (concat!("in its own ", "unit"), "the raw value, with its unit"),
    (concat!("a moment ", "such as"), "a timestamp such as"),
    (concat!("made ", "anew"), "created again, computed again"),
    (concat!("gives itself ", "its name"), "chooses its own name"),
    (concat!("hangs ", "together"), "is linked to"),
    (concat!("by one ", "door"), "is sanitised in one place"),
    (concat!("takes ", "away what may be missing"), "\"\" clears an optional field"),
    (concat!("is found ", "no more"), "is excluded from recall"),
    (concat!("says the same ", "as a memory"), "duplicates a memory"),
    (concat!("how its confidence ", "went"), "confidence history"),
    (concat!("may want ", "tidying"), "maintenance candidates"),
    (concat!("one fact an ", "observation"), "one fact per observation"),
    (concat!("goes one ", "way only"), "would create a cycle"),
    (concat!("a defect ", "of its own"), "Internal error"),
    (concat!("started ", "afresh"), "was restarted"),
    (concat!("cannot ", "be had"), "say what is missing, not found or not permitted"),
    (concat!("fails ", "never"), "never rejects"),
    (concat!("types into ", "a terminal"), "a TTY on standard input"),
    (concat!("the hand ", "of a clock"), "test clock"),
    (concat!("more than so ", "many"), "above this many"),
    (concat!("does not lead ", "to faster"), "a full scan is faster than the index"),
    (concat!("what no", "body may"), "name the rule"),
    (concat!("tells ", "whether"), "returns whether, shows whether"),
    (concat!("tells ", "which"), "shows which, reports which"),
    (concat!("does not ", "tell"), "does not show, does not report"),
    (concat!("told ", "apart"), "distinguished"),
    (concat!("tells tokens ", "apart"), "identifies the token"),
    (concat!("only so ", "many"), "maximum number of"),
    (concat!("exactly so ", "many"), "name the argument"),
    (concat!("telling ", "word"), "content token"),
    (concat!("; it ", "got"), "must be ..., but got ..."),
    (concat!("; it ", "is {"), "must be ..., but got ..."),
    (concat!("but ", "is {"), "must be ..., but got ..."),
];

#[test]
fn lines_of_documents_are_at_most_120_characters_wide() {
    for name in DOCUMENTS {
        let text = fs::read_to_string(project::path(name)).expect("a document is text");
        for (number, line) in text.lines().enumerate() {
            assert!(
                !is_too_wide(line),
                "{name}, line {}, has over {MAX_WIDTH} characters: wrap it",
                number + 1
            );
        }
    }
}

fn is_too_wide(line: &str) -> bool {
    !line.starts_with('|') && without_targets(line).chars().count() > MAX_WIDTH
}

#[test]
fn lines_of_comments_are_at_most_120_characters_wide() {
    for (name, text) in texts() {
        if ![".rs", ".ts", ".tsx", ".js", ".mjs"].iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            assert!(
                !is_wide_comment(line),
                "{name}, line {}, has over {MAX_WIDTH} characters: wrap it",
                number + 1
            );
        }
    }
}

/// Whether a line is a comment over [`MAX_WIDTH`]. Tags such as `@typedef` and rows of tables have one line.
fn is_wide_comment(line: &str) -> bool {
    let text = line.trim_start();
    let is_comment = ["//", "/*", "* "].iter().any(|begin| text.starts_with(begin));
    let has_one_line = ["* @", "//! |"].iter().any(|begin| text.starts_with(begin));
    is_comment && !has_one_line && is_too_wide(line)
}

#[test]
fn code_and_tags_are_no_wide_comments() {
    let wide = "é".repeat(MAX_WIDTH);
    assert!(is_wide_comment(&format!("    /// {wide}")) && is_wide_comment(&format!(" * {wide}")));
    assert!(
        !is_wide_comment(&format!("let a = \"{wide}\";")) && !is_wide_comment(&format!(" * @typedef {wide}"))
    );
}

#[test]
fn characters_of_tables_and_targets_do_not_count() {
    let wide = "é".repeat(MAX_WIDTH + 1);
    assert!(is_too_wide(&wide));
    assert!(!is_too_wide(&wide[2..]) && !is_too_wide(&format!("| {wide} |")));
    assert!(!is_too_wide(&format!("[a]({wide})")));
}

#[test]
fn the_readme_has_fewer_than_200_lines() {
    let lines = fs::read_to_string(project::path("README.md")).expect("the README is text").lines().count();
    assert!(lines < README_LINES, "README.md has {lines} lines: move details to node/README.md");
}

#[test]
fn no_text_contains_a_phrase_that_a_standard_term_replaces() {
    for (name, text) in texts() {
        if let Some((line, phrase, better)) = phrase_in(&text) {
            panic!("{name}, line {line}, says {phrase:?}. Better: {better}");
        }
    }
}

/// Returns the first phrase of a text: its line, the phrase, and what to write instead. Phrases may be wrapped, also in
/// comments and in literals that continue on the next line.
fn phrase_in(text: &str) -> Option<(usize, &'static str, &'static str)> {
    let mut joined = String::new();
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(joined.len());
        joined.push_str(&unmarked(line).to_lowercase().replace('_', " "));
        joined.push(' ');
    }
    let found = PHRASES.into_iter().find_map(|(phrase, better)| Some((joined.find(phrase)?, phrase, better)));
    found.map(|(at, phrase, better)| (starts.partition_point(|start| *start <= at), phrase, better))
}

/// Returns a line without the marks of a comment at its start, and without the backslash that continues a literal.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let text = line.trim_start_matches(['/', '!', '*', '>', '-', '#']).trim_start();
    let is_comment = text.len() < line.len();
    let text = if is_comment { text } else { line };
    text.strip_suffix('\\').unwrap_or(text).trim_end()
}

#[test]
fn phrases_are_found_in_any_case_and_in_names() {
    let found = |text: &str| phrase_in(text).map(|(line, _, better)| (line, better));
    assert_eq!(found(concat!("Each Telling ", "token of the query")), Some((1, "content token")));
    assert!(found(concat!("fn the_", "telling", "_token_is_found()")).is_some());
    assert!(found("each content token of the query").is_none());
}

#[test]
fn phrases_are_found_across_lines() {
    let line = |text: &str| phrase_in(text).map(|(line, ..)| line);
    assert_eq!(line("/// The first.\n/// Each telling\n/// token of it."), Some(2));
    assert_eq!(line(" * Each telling\n * token of it."), Some(1));
    assert_eq!(line("\"each telling \\\n     token of it\""), Some(1));
    assert_eq!(line("each content\ntoken"), None);
}

/// A line of Markdown without the targets of its links: `[text](target)` becomes `[text]()`.
fn without_targets(line: &str) -> String {
    let mut parts = line.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.split_once(')').map_or("", |(_, rest)| rest);
        format!("{text}](){rest}")
    })
}

#[test]
fn targets_of_links_do_not_count() {
    assert_eq!(without_targets("See [a](b/c.md#d) and ![e](f.png)."), "See [a]() and ![e]().");
    assert_eq!(without_targets("plain (text) [1]"), "plain (text) [1]");
}
