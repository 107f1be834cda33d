//! Shapes of definitions: what changes the meaning of code changes them, and layout and comments do not.
//!
//! `shapes/distinct.txt` has definitions with `@` for a part, and parts of which no two mean the same, one per line:
//! `\n` and `\t` stand for a line break and a tab, `·` for a blank, and `∅` for nothing. The texts in `shapes/same.txt`
//! differ in layout, comments and what formatters add or remove.
#![allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use limbic_code::{Language, SHAPE_VERSION, are_comparable, extract};

/// Whether this build has the grammar of the file's language.
fn is_read(path: &str) -> bool {
    cfg!(feature = "more") || !Language::detect(path, b"").needs_more_grammars()
}

/// The shape of the first symbol.
fn shape(path: &str, text: &str) -> Option<u64> {
    extract(path, text.as_bytes()).outline.symbols.first().map(|symbol| symbol.shape_hash)
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace('·', " ").replace('∅', "")
}

#[test]
fn another_meaning_is_another_shape() {
    let mut wrong = Vec::new();
    for group in format!("\n{}", include_str!("shapes/distinct.txt")).split("\n== ").skip(1) {
        let (head, parts) = group.split_once('\n').expect("a group has parts");
        let (paths, definition) = head.split_once(" == ").expect("a group has a definition");
        for path in paths.split(' ').filter(|path| is_read(path)) {
            let mut seen: BTreeMap<u64, &str> = BTreeMap::new();
            for part in parts.lines().filter(|part| !part.is_empty()) {
                let text = unescaped(&definition.replacen('@', part, 1));
                let Some(shape) = shape(path, &text) else {
                    wrong.push(format!("{path}: no symbol with {part} in {definition}"));
                    continue;
                };
                if let Some(other) = seen.insert(shape, part) {
                    wrong.push(format!("{path}: {other} and {part} in {definition}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "one shape for two meanings:\n{}", wrong.join("\n"));
}

#[test]
fn layout_and_comments_are_no_part_of_a_shape() {
    let mut wrong = Vec::new();
    for group in format!("\n{}", include_str!("shapes/same.txt")).split("\n== ").skip(1) {
        let (path, texts) = group.split_once('\n').expect("a group has texts");
        let (one, other) = texts.split_once("\n--\n").expect("a group has two texts");
        if is_read(path) && shape(path, one) != shape(path, other) {
            wrong.push(format!("{path}:\n{texts}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shapes_tell_their_version() {
    let shape = shape("a.py", "def f(): pass\n").expect("it has a function");
    assert_eq!(shape.to_le_bytes()[0], SHAPE_VERSION);
    assert!(are_comparable(shape, shape ^ 0x100) && !are_comparable(shape, shape ^ 1));
}

/// No letter or digit between the first and the last line of a definition can be changed without changing its shape,
/// outside of comments.
#[test]
fn every_letter_of_a_definition_counts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/code");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the fixtures are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("it lies below").to_string_lossy().replace('\\', "/");
            if let Ok(text) = fs::read_to_string(&path)
                && is_read(&name)
            {
                change_letters(&name, &text, &mut wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{} changes that no shape shows:\n{}", wrong.len(), wrong.join("\n"));
}

fn change_letters(path: &str, text: &str, wrong: &mut Vec<String>) {
    let symbols = extract(path, text.as_bytes()).outline.symbols;
    let mut line = 1;
    for (at, letter) in text.char_indices() {
        line += u32::from(letter == '\n');
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let marks = ["//", "#", "--", "*", "<!--", "\"\"\"", "'''"];
        let is_doc = |doc: &str| {
            doc.contains(text.lines().nth(line as usize - 1).unwrap_or_default().trim().trim_matches('"'))
        };
        let is_comment = marks.iter().any(|mark| before.contains(mark))
            || symbols.iter().filter_map(|symbol| symbol.doc.as_deref()).any(is_doc);
        if at % 11 != 0 || !letter.is_ascii_alphanumeric() || is_comment {
            continue;
        }
        let holders: Vec<_> =
            symbols.iter().filter(|symbol| symbol.start_line < line && line < symbol.end_line).collect();
        if holders.is_empty() {
            continue;
        }
        let other = match letter {
            'x' | '7' => 'q',
            letter if letter.is_ascii_digit() => '7',
            _ => 'x',
        };
        let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        let after: BTreeSet<(String, u64)> = extract(path, changed.as_bytes())
            .outline
            .symbols
            .into_iter()
            .map(|symbol| (symbol.qualified_name, symbol.shape_hash))
            .collect();
        for symbol in holders {
            if after.contains(&(symbol.qualified_name.clone(), symbol.shape_hash)) {
                wrong.push(format!("{path}:{line}: {letter} behind {before:?} in {}", symbol.qualified_name));
            }
        }
    }
}
