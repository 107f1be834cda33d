//! Expands paths from settings, which no shell expands: `~` at their start and variables such as `$HOME` or
//! `%APPDATA%`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};

use limbic_core::{Error, Result};

use crate::addresses;

/// Returns an error for an argument that is not a path.
macro_rules! refuse {
    ($($message:tt)*) => {
        return Err(Error::invalid(format!($($message)*)))
    };
}

/// SQLite's name for a database in memory, also as a URI.
const IN_MEMORY: [&str; 2] = [":memory:", "file::memory:"];

/// Qualifiers of a variable in PowerShell (`$env:NAME`) and VS Code (`${env:NAME}`).
const ENV: &str = "env:";

/// Returns the absolute path, without surrounding white space. `~` at the start is replaced by the home folder;
/// `$NAME`, `${NAME}`, `${env:NAME}`, `$env:NAME` and `%NAME%` are replaced by variables anywhere. A backslash after
/// one of these separates folders on every system. `named` is the source of the path in errors.
///
/// # Errors
/// The path is blank, a variable in it is not set, or it is `:memory:`, a URI, an address, quoted or `~user`.
pub fn expanded(path: &Path, named: &str) -> Result<PathBuf> {
    // A path that is not valid Unicode is used unchanged.
    let Some(text) = path.to_str() else {
        let text = path.to_string_lossy();
        require_no_address(&text, named)?;
        if parts(&text, named)?.iter().any(|part| !matches!(part, Part::Text(_))) {
            refuse!(
                "{named} is not UTF-8, so that ~ and variables in it are not replaced: write the whole path"
            );
        }
        return absolute_path(path, named);
    };
    expand(text, named, |name| env::var_os(name))
}

fn expand(text: &str, named: &str, variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    let text = text.trim();
    require_path(text, named)?;
    let parts = parts(text, named)?;
    let has_backslashes = parts.windows(2).any(
        |pair| matches!(pair, [Part::Home | Part::Variable { .. }, Part::Text(next)] if next.starts_with('\\')),
    );
    let mut path = OsString::new();
    for part in parts {
        match part {
            Part::Home | Part::Variable { name: "HOME", .. } => path.push(home(named, text)?),
            Part::Variable { written, name } => match variable(name).filter(|value| !value.is_empty()) {
                Some(value) => path.push(value),
                None => refuse!(
                    "{named} contains {written}, a variable that is not set here: set it or write the whole path, \
                     not {text:?}"
                ),
            },
            Part::Text(part) => {
                let part = if has_backslashes { part.replace('\\', "/") } else { part.to_owned() };
                let is_closed = path.as_encoded_bytes().ends_with(b"/");
                path.push(if is_closed { part.trim_start_matches('/') } else { &part });
            }
        }
    }
    // A variable may stand for an address.
    require_no_address(&path.to_string_lossy(), named)?;
    absolute_path(Path::new(&path), named)
}

fn absolute_path(path: &Path, named: &str) -> Result<PathBuf> {
    absolute(path).map_err(|error| Error::invalid(format!("{named} cannot be used: {error}")))
}

/// Rejects a text that is not a path.
fn require_path(text: &str, named: &str) -> Result<()> {
    let lower = text.to_ascii_lowercase();
    if text.is_empty() {
        refuse!("{named} is blank: give a path");
    }
    if lower == IN_MEMORY[0] || lower.starts_with(IN_MEMORY[1]) {
        refuse!("{named} needs a file: a database in :memory: is lost when this program ends");
    }
    if lower.starts_with("file:") {
        refuse!("{named} must be a path, not a URI: write /folder/memory.db or ~/memory.db");
    }
    require_no_address(text, named)?;
    if let Some(mark @ ('"' | '\'')) = text.chars().next() {
        let bare = text.trim_matches(mark);
        refuse!(
            "{named} begins with a quotation mark, which no shell removes here: write {bare} without quotation marks"
        );
    }
    Ok(())
}

/// Rejects what may contain a password, and does not repeat it.
fn require_no_address(text: &str, named: &str) -> Result<()> {
    if addresses::is_like_one(text) {
        refuse!("{named} {}", addresses::NEITHER);
    }
    Ok(())
}

/// A part of a path, as written.
enum Part<'a> {
    /// `~`.
    Home,
    /// Replaced by the value of a variable.
    Variable { written: &'a str, name: &'a str },
    /// Unchanged.
    Text(&'a str),
}

fn parts<'a>(text: &'a str, named: &str) -> Result<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    let mut rest = text;
    if let Some(after) = text.strip_prefix('~') {
        match after.find(['/', '\\']) {
            Some(end) if end > 0 => refuse!(
                "{named} begins with ~{}, and only ~ alone is known, your home folder: write the whole path, not {text:?}",
                &after[..end]
            ),
            None if !after.is_empty() => {}
            _ => {
                parts.push(Part::Home);
                rest = after;
            }
        }
    }
    let mut start = 0;
    while let Some(at) = rest[start..].find(['$', '%']).map(|at| start + at) {
        let Some((written, name)) = reference(&rest[at..]) else {
            if rest[at..].starts_with("${") {
                refuse!(
                    "{named} contains ${{ without the name of a variable and }} behind it: \
                     write the whole path, not {text:?}"
                );
            }
            start = at + 1;
            continue;
        };
        if at > 0 {
            parts.push(Part::Text(&rest[..at]));
        }
        parts.push(Part::Variable { written, name });
        rest = &rest[at + written.len()..];
        start = 0;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(parts)
}

/// Returns the reference to a variable at the start of a text, as written, and the variable's name.
fn reference(text: &str) -> Option<(&str, &str)> {
    if let Some(after) = text.strip_prefix('%') {
        let name = &after[..after.find('%')?];
        return is_name(name).then(|| (&text[..name.len() + 2], name));
    }
    let after = text.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let end = braced.find('}')?;
        let name = unqualified(&braced[..end]);
        return is_name(name).then(|| (&text[..end + 3], name));
    }
    [unqualified(after), after].into_iter().find_map(|after| {
        let name = leading_name(after);
        let end = text.len() - after.len() + name.len();
        (!name.is_empty()).then(|| (&text[..end], name))
    })
}

fn unqualified(text: &str) -> &str {
    match text.split_at_checked(ENV.len()) {
        Some((first, name)) if first.eq_ignore_ascii_case(ENV) => name,
        _ => text,
    }
}

/// Returns the name at the start of a text, if there is one.
fn leading_name(text: &str) -> &str {
    let end =
        text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    let name = &text[..end];
    if is_name(name) { name } else { "" }
}

/// Windows has variables such as `ProgramFiles(x86)`.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || "_()".contains(letter))
}

fn home(named: &str, text: &str) -> Result<PathBuf> {
    match env::home_dir().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => Ok(folder),
        None => {
            refuse!("{named} contains the home folder, and none is known: write the whole path, not {text:?}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;

    /// The cases that the Node server is tested with, too: see `tests/node/options.test.ts`.
    #[derive(Deserialize)]
    struct Cases {
        env: HashMap<String, String>,
        expanded: Vec<(String, String)>,
        refused: Vec<(String, String)>,
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf_8_is_used_unless_a_part_would_have_to_be_replaced() {
        use std::os::unix::ffi::OsStrExt;
        let path = |bytes: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(bytes));
        let given = path(b"/data/caf\xe9.db");
        assert_eq!(expanded(&given, "LIMBIC_DB").expect("it is a path"), given);
        for bytes in [&b"~/caf\xe9.db"[..], b"$HOME/caf\xe9.db", b"/data/%USER%/caf\xe9.db"] {
            let refused = expanded(&path(bytes), "LIMBIC_DB").expect_err("nothing is replaced").to_string();
            assert!(
                refused.contains("LIMBIC_DB is not UTF-8") && refused.contains("whole path"),
                "{refused}"
            );
        }
    }

    #[test]
    fn paths_are_expanded_as_in_the_table() {
        let cases: Cases = serde_json::from_str(include_str!("../../../tests/files/paths.json"))
            .expect("the table is JSON of this form");
        let variable = |name: &str| cases.env.get(name).map(OsString::from);
        let home = env::home_dir().expect("whoever runs tests has a home folder");
        let here = env::current_dir().expect("there is a working folder");
        for (text, becomes) in &cases.expanded {
            let becomes =
                becomes.replace("{home}", &home.to_string_lossy()).replace("{here}", &here.to_string_lossy());
            let found = expand(text, "--db", variable).map_err(|error| error.to_string());
            assert_eq!(found, absolute(becomes).map_err(|error| error.to_string()), "{text:?}");
        }
        for (text, says) in &cases.refused {
            let found = expand(text, "--db", variable).map_err(|error| error.to_string());
            assert!(found.as_ref().is_err_and(|reason| reason.contains(says)), "{text:?}: {found:?}");
        }
    }

    /// The cases of `addresses`.
    #[derive(Deserialize)]
    struct Addresses {
        refused: Vec<String>,
        paths: Vec<String>,
    }

    #[test]
    fn an_address_is_no_path_and_not_repeated() {
        let cases: Addresses = serde_json::from_str(include_str!("../../../tests/files/addresses.json"))
            .expect("the table is JSON of this form");
        let variable = |name: &str| match name {
            "LIMBIC_TEST_URL" => Some(OsString::from("postgres://limbic:s3cret@h/db")),
            "LIMBIC_TEST_LOGIN" => Some(OsString::from("limbic:s3cret")),
            _ => Some(OsString::from("ada")),
        };
        for text in &cases.refused {
            let found = expand(text, "--db", variable).map_err(|error| error.to_string());
            assert!(
                found.as_ref().is_err_and(
                    |reason| reason.contains("begins with postgres://") && !reason.contains("cret")
                ),
                "{text}: {found:?}"
            );
        }
        for text in &cases.paths {
            let found = expand(text, "--db", variable).map_err(|error| error.to_string());
            assert!(found.is_ok(), "{text}: {found:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn an_address_that_is_not_unicode_is_no_path() {
        let text = std::os::unix::ffi::OsStrExt::from_bytes(b"postgres://limbic:s3cret\xe9@h/db");
        let found = expanded(Path::new::<std::ffi::OsStr>(text), "--db").map_err(|error| error.to_string());
        assert!(found.as_ref().is_err_and(|reason| !reason.contains("s3cret")), "{found:?}");
    }
}
