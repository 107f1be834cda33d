//! Names of files and items that a standard term has replaced, and names of constants that are limits.

use super::{assert_known, files};

/// Words of former names, each with the term that replaced it. None has another meaning in this project.
const REPLACED: [(&str, &str); 21] = [
    ("admission", "filter, candidates"),
    ("census", "counts"),
    ("exchange", "record, export, import; round trip"),
    ("gathered", "write buffer; parsed records"),
    ("guest", "follower"),
    ("hasty", "a clock that each reading advances"),
    ("hurry", "abort"),
    ("lazily", "lazy"),
    ("lived", "the state after accesses and decay"),
    ("mirror", "export, copy"),
    ("neutralise", "escape"),
    ("rarity", "document frequency"),
    ("rehearse", "dry run"),
    ("restless", "changing"),
    ("said", "what the text is: message, answer, output"),
    ("settle", "drain, flush; rest"),
    ("telling", "content token; keyword context"),
    ("things", "what they are"),
    ("twins", "near-duplicates"),
    ("vitals", "aging"),
    ("wish", "URL state"),
];

/// The words before the name of an item, in Rust and TypeScript.
const KEYWORDS: [&str; 11] =
    ["class", "const", "enum", "fn", "function", "interface", "mod", "static", "struct", "trait", "type"];

/// The endings of source files.
const ENDINGS: [&str; 4] = [".rs", ".ts", ".tsx", ".mjs"];

/// Words of which one is in the name of a constant that is a limit.
const LIMITS: [&str; 3] = ["max", "min", "range"];

#[test]
fn files_and_items_have_standard_names() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        let file = path.rsplit('/').next().unwrap_or_default();
        let stem = file.split('.').next().unwrap_or_default();
        for name in std::iter::once(stem).chain(items(&text)) {
            found.extend(replaced(name).map(|term| format!("{path}, {name}: {term}")));
        }
    }
    assert_known("names that a term replaces", &found, &[]);
}

#[test]
fn names_of_limits_say_max_or_min() {
    let mut found = Vec::new();
    for (path, text) in sources() {
        found.extend(nameless_limits(&text).map(|name| format!("{path}, {name}")));
    }
    assert_known(
        "constants described as a maximum or minimum without MAX, MIN or RANGE in the name",
        &found,
        &[],
    );
}

#[test]
fn a_limit_is_found_by_its_documentation() {
    // Split, so that this file does not match itself.
    let text = concat!(
        "/// Maximum ",
        "length, in bytes.\n#[cfg(test)]\npub const LENGTH: u8 = 1;\n",
        "/// The minimum ",
        "weight.\nconst WEIGHT: u8 = 1;\n/** Minimum ",
        "size. */\nexport const SIZE = 1;\n/// Maximum ",
        "depth.\n/// More of it.\nconst DEPTH: u8 = 1;\n",
        "/// Maximum ",
        "width.\nconst MAX_WIDTH: u8 = 1;\n/// A maximum.\nconst NAME: u8 = 1;\n/// Maximum ",
        "of a field.\nfield: u8,\nconst PLAIN: u8 = 1;\n"
    );
    assert_eq!(nameless_limits(text).collect::<Vec<_>>(), ["LENGTH", "WEIGHT", "SIZE", "DEPTH"]);
}

#[test]
fn former_names_are_found_in_every_spelling() {
    // Split, so that this file does not match itself.
    let text = concat!(
        "pub fn ",
        "telling",
        "_words() {}\n// fn ",
        "rarity\nclass ",
        "NearTwins {} const ",
        "MAX_RARITY: u8"
    );
    let names: Vec<&str> = items(text).filter(|name| replaced(name).is_some()).collect();
    assert_eq!(names, [concat!("telling", "_words"), "NearTwins", "MAX_RARITY"]);
    assert_eq!(replaced("use-wish"), Some("URL state"));
    assert_eq!(replaced("wishes"), None);
}

/// The paths and texts of source files, without those that are input of tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    files::texts().into_iter().filter(|(path, _)| {
        ENDINGS.iter().any(|ending| path.ends_with(ending)) && !path.starts_with("tests/files/")
    })
}

/// The constants whose documentation begins with "Maximum" or "Minimum", but whose name has none of [`LIMITS`].
fn nameless_limits(text: &str) -> impl Iterator<Item = &str> {
    let mut is_limit = false;
    let mut is_in_doc = false;
    text.lines().filter_map(move |line| {
        let line = line.trim_start();
        if let Some(doc) = ["///", "/**", "* "].iter().find_map(|start| line.strip_prefix(start)) {
            if !std::mem::replace(&mut is_in_doc, true) {
                let doc = doc.trim_start().to_lowercase();
                let doc = doc.strip_prefix("the ").unwrap_or(&doc);
                is_limit = doc.starts_with("maximum") || doc.starts_with("minimum");
            }
            return None;
        }
        if line.starts_with("#[") || line == "*/" {
            return None;
        }
        is_in_doc = false;
        let is_described = std::mem::take(&mut is_limit);
        let name = items(line).next().filter(|_| is_described)?;
        let is_constant = line.split(' ').any(|word| word == "const" || word == "static");
        let is_named = words(name).iter().any(|word| LIMITS.contains(&word.as_str()));
        (is_constant && !line.contains(" fn ") && !is_named).then_some(name)
    })
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
