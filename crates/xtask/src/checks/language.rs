//! Rules for texts: the width of the READMEs, and phrases that a standard term replaces.

use std::fs;

use super::files::texts;
use crate::project;

/// The READMEs, which newcomers read.
const READMES: [&str; 3] = ["README.md", "node/README.md", "web/README.md"];

/// Maximum length of a README's line in characters, apart from tables and the targets of links.
const MAX_WIDTH: usize = 120;

/// The README of the project has fewer lines than this.
const README_LINES: usize = 200;

/// Phrases, in lower case, and what to write instead. Split, so that this file does not match itself.
const PHRASES: [(&str, &str); 5] = [
    (concat!("those of ", "the database"), "name the cases, or omit the section: see `Error` in limbic-core"),
    (concat!("telling ", "token"), "content token"),
    (concat!("what is not ", "given stays"), "Omitted fields stay unchanged"),
    (concat!("whoever ", "names nobody"), "without a user"),
    (concat!("it got ", "another value"), "say what was expected and what was given"),
];

#[test]
fn lines_of_readmes_are_at_most_120_characters_wide() {
    for name in READMES {
        let text = fs::read_to_string(project::path(name)).expect("a README is text");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('|')) {
            let width = without_targets(line).chars().count();
            assert!(width <= MAX_WIDTH, "{name}, line {}, has {width} characters: wrap it", number + 1);
        }
    }
}

#[test]
fn the_readme_has_fewer_than_200_lines() {
    let lines = fs::read_to_string(project::path("README.md")).expect("the README is text").lines().count();
    assert!(lines < README_LINES, "README.md has {lines} lines: move details to node/README.md");
}

#[test]
fn no_text_contains_a_phrase_that_a_standard_term_replaces() {
    for (name, text) in texts() {
        for (number, line) in text.to_lowercase().lines().enumerate() {
            for (phrase, better) in PHRASES {
                assert!(
                    !line.contains(phrase),
                    "{name}, line {}, says {phrase:?}. Better: {better}",
                    number + 1
                );
            }
        }
    }
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
