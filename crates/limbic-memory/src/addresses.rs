//! What looks like the address of a database server, and is none that Limbic takes. It may contain a password, so it is
//! never taken for a path, which messages and names of files would repeat. The Node server has the same rule in
//! `node/src/addresses.ts`; both are tested with `tests/files/addresses.json`.

/// The error for such a text, after the name of the option or variable that has it.
pub const NEITHER: &str = "is neither a path nor the address of a memory in PostgreSQL: an address begins with \
    postgres://, without quotation marks or anything else before it, and a path with a colon and @ begins with / or ./";

/// Keys that begin connection strings of libpq.
const KEYS: [&str; 7] = ["host", "hostaddr", "port", "user", "dbname", "password", "service"];

/// Keys of passwords in connection strings.
const PASSWORDS: [&str; 3] = ["password", "passwd", "pwd"];

/// Characters that addresses write with a percent sign where they stand in another one.
const ENCODED: [(&str, &str); 4] = [("%3a", ":"), ("%2f", "/"), ("%40", "@"), ("%3d", "=")];

/// Whether a text looks like an address: it has `://` after a word, or does not begin as paths do and has both a colon
/// and `@`, a password, or the beginning of a connection string.
pub fn is_like_one(text: &str) -> bool {
    let text = ENCODED
        .iter()
        .fold(text.trim().to_ascii_lowercase(), |text, (encoded, letter)| text.replace(encoded, letter));
    // Variables of PowerShell and VS Code.
    let text = text.replace("${env:", "${").replace("$env:", "$");
    let text = text.trim_start_matches(['"', '\'']);
    has_scheme(text)
        || !begins_as_path(text)
            && (text.contains(':') && text.contains('@')
                || PASSWORDS
                    .iter()
                    .any(|key| text.match_indices(key).any(|(at, _)| has_value(&text[at + key.len()..])))
                || KEYS.iter().any(|key| text.strip_prefix(key).is_some_and(has_value))
                || ["postgres:", "postgresql:"].iter().any(|start| text.starts_with(start)))
}

/// A path or an argument as messages show it.
pub fn shown(text: &str) -> &str {
    if is_like_one(text) { "(an address, which is not shown)" } else { text }
}

/// Whether there is `://` after two letters or more, other than the letter of a drive.
fn has_scheme(text: &str) -> bool {
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    text.match_indices("://")
        .any(|(at, _)| text.as_bytes()[..at].iter().rev().take_while(is_letter).count() > 1)
}

/// Whether a text begins with a folder, a drive, or a variable in the place of a folder. Addresses and connection
/// strings do not, so that such a path may contain anything, also `password=`.
fn begins_as_path(text: &str) -> bool {
    let folder = text.split(['/', '\\']).next().unwrap_or_default();
    if folder.len() == text.len() {
        return false;
    }
    let is_drive =
        || folder.len() == 2 && folder.ends_with(':') && folder.as_bytes()[0].is_ascii_alphabetic();
    let is_variable = || {
        folder.starts_with(['$', '%'])
            && folder.chars().all(|letter| letter.is_ascii_alphanumeric() || "_(){}$%".contains(letter))
    };
    match folder {
        "" => !text.starts_with("//"),
        "." | ".." | "~" => true,
        _ => is_drive() || is_variable(),
    }
}

/// Whether an equals sign follows.
fn has_value(rest: &str) -> bool {
    rest.trim_start().starts_with('=')
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Cases {
        refused: Vec<String>,
        paths: Vec<String>,
    }

    #[test]
    fn addresses_are_refused_and_paths_are_not() {
        let cases: Cases = serde_json::from_str(include_str!("../../../tests/files/addresses.json"))
            .expect("the table is JSON of this form");
        // What variables stand for is looked at where they are replaced.
        for text in
            cases.refused.iter().filter(|text| !text.contains("LIMBIC_TEST_URL") && !text.contains("_LOGIN"))
        {
            assert!(is_like_one(text), "{text}");
        }
        for text in &cases.paths {
            assert!(!is_like_one(text), "{text}");
        }
    }
}
