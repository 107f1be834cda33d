//! Names of files and items that a standard term has replaced.

use super::{assert_known, files};

/// Words of former names, each with the term that replaced it. None has another meaning in this project.
const REPLACED: [(&str, &str); 15] = [
    ("admission", "filter, candidates"),
    ("census", "counts"),
    ("gathered", "write buffer; parsed records"),
    ("hasty", "a clock that each reading advances"),
    ("hurry", "abort"),
    ("lazily", "lazy"),
    ("lived", "the state after accesses and decay"),
    ("neutralise", "escape"),
    ("rarity", "document frequency"),
    ("rehearse", "dry run"),
    ("restless", "changing"),
    ("telling", "content token; keyword context"),
    ("twins", "near-duplicates"),
    ("vitals", "aging"),
    ("wish", "URL state"),
];

/// The words before the name of an item, in Rust and TypeScript.
const KEYWORDS: [&str; 11] =
    ["class", "const", "enum", "fn", "function", "interface", "mod", "static", "struct", "trait", "type"];

/// The endings of source files.
const ENDINGS: [&str; 4] = [".rs", ".ts", ".tsx", ".mjs"];

#[test]
fn files_and_items_have_standard_names() {
    let mut found = Vec::new();
    for (path, text) in files::texts() {
        if !ENDINGS.iter().any(|ending| path.ends_with(ending)) || path.starts_with("tests/files/") {
            continue;
        }
        let file = path.rsplit('/').next().unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        for name in std::iter::once(stem).chain(items(&text)) {
            found.extend(replaced(name).map(|term| format!("{path}, {name}: {term}")));
        }
    }
    assert_known("names that a term replaces", &found, &[]);
}

#[test]
fn former_names_are_found_in_every_spelling() {
    // Split, so that this file does not match itself.
    let text = concat!(
        "pub fn ",
        "telling_words() {}\n// fn ",
        "rarity\nclass ",
        "NearTwins {} const ",
        "MAX_RARITY: u8"
    );
    let names: Vec<&str> = items(text).filter(|name| replaced(name).is_some()).collect();
    assert_eq!(names, ["telling_words", "NearTwins", "MAX_RARITY"]);
    assert_eq!(replaced("use-wish"), Some("URL state"));
    assert_eq!(replaced("wishes"), None);
}

/// The names of a source's items, without those in comments.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| {
        let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect::<Vec<_>>();
        let named = words.windows(2).filter(|two| KEYWORDS.contains(&two[0])).map(|two| two[1]);
        named.collect::<Vec<_>>()
    })
}

/// The term that replaces a name, if one of the name's words is a former one.
fn replaced(name: &str) -> Option<&'static str> {
    let words = words(name);
    REPLACED.iter().find(|(former, _)| words.iter().any(|word| word == former)).map(|(_, term)| *term)
}

/// The words of a name in lower case: `near_twins`, `near-twins`, `NearTwins` and `NEAR_TWINS` are `near` and `twins`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_after_small = false;
    for letter in name.chars() {
        if letter == '_' || letter == '-' || (letter.is_uppercase() && is_after_small) {
            words.push(String::new());
        }
        is_after_small = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}
