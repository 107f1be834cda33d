//! Finds secrets in lists of YAML and JSON whose name is that of several: `passwords:`, then `- …` in lines of their
//! own, and `"api_keys": ["…", "…"]`.

use super::tables;
use super::word::keyword_lists::KEY_OF;

/// Last words of names of lists of passwords, in lower case.
const PASSWORDS: [&str; 11] = [
    "passwords",
    "passwds",
    "pwds",
    "passphrases",
    "passwörter",
    "passwoerter",
    "kennwörter",
    "contraseñas",
    "senhas",
    "wachtwoorden",
    "hasła",
];
/// Last words of names of lists of generated secrets, in lower case.
const SECRETS: [&str; 7] =
    ["secrets", "tokens", "apikeys", "accesskeys", "authkeys", "privatekeys", "secretkeys"];
/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 40;

/// A list that the current line belongs to.
#[derive(Clone, Copy)]
struct List {
    is_of_passwords: bool,
    /// Whether it is between brackets.
    is_bracketed: bool,
}

/// Whether a list with a name of secrets holds one.
pub(super) fn hold_secret(text: &str) -> bool {
    let mut list: Option<List> = None;
    text.lines().any(|line| {
        let line = without_comment(line.trim());
        if line.is_empty() {
            return false;
        }
        let items = match list {
            Some(List { is_bracketed: true, .. }) => Some(line),
            Some(_) => line.strip_prefix("- "),
            None => None,
        };
        let (Some(open), Some(items)) = (list, items) else {
            let begun = begun(line);
            list = begun.filter(|(_, items)| !items.contains(']')).map(|(list, _)| list);
            return begun.is_some_and(|(list, items)| has_secret(items, list));
        };
        if open.is_bracketed && items.contains(']') {
            list = None;
        }
        has_secret(items, open)
    })
}

/// Returns the list that a line begins, and the items in this line.
fn begun(line: &str) -> Option<(List, &str)> {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let (name, items) = line.split_once(':')?;
    let items = items.trim();
    if name.len() > MAX_NAME_BYTES || !(items.is_empty() || items.starts_with('[')) {
        return None;
    }
    let name = name.trim_matches([' ', '"', '\'', '`', '*']);
    let lower = spaced(name);
    let (before, last) = lower.rsplit_once([' ', '_', '-', '.']).unwrap_or(("", &lower));
    let before = before.rsplit([' ', '_', '-', '.']).next().unwrap_or_default();
    let is_of_passwords = PASSWORDS.contains(&last);
    let is_of_secrets = SECRETS.contains(&last) || (last == "keys" && KEY_OF.contains(&before));
    let list = List { is_of_passwords, is_bracketed: items.starts_with('[') };
    (is_of_passwords || is_of_secrets).then_some((list, items))
}

/// Returns a name in lower case, with a space before each capital after a small letter: `apiKeys` is `api keys`.
fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut was_small = false;
    for letter in name.chars() {
        if was_small && letter.is_uppercase() {
            text.push(' ');
        }
        was_small = letter.is_lowercase();
        text.extend(letter.to_lowercase());
    }
    text
}

/// Removes a comment of YAML at the end of a line.
fn without_comment(line: &str) -> &str {
    if line.starts_with('#') {
        ""
    } else {
        line.split_once(" #").map_or(line, |(before, _)| before.trim_end())
    }
}

fn has_secret(items: &str, list: List) -> bool {
    let parts = if list.is_bracketed { items } else { "" };
    let single = if list.is_bracketed { "" } else { items };
    parts
        .split(',')
        .chain([single])
        .map(|item| item.trim_matches([' ', '[', ']', '"', '\'', '`', ',']))
        .any(|item| !item.is_empty() && tables::is_secret(item, list.is_of_passwords))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_secrets_are_found() {
        for text in [
            "passwords:\n  - gruene-Kiste-42",
            "db:\n  passwords: # of both\n\n    # the first\n    - 'Kp7#wTz2Rq'",
            "api_keys:\n  - q8ZrT2kLmP0vXw4NbY7c\n  - other",
            "tokens:\n- first\n- q8ZrT2kLmP0vXw4NbY7c # of the CI",
            "\"apiKeys\": [\"q8ZrT2kLmP0vXw4NbY7c\"]",
            "\"tokens\": [\n  \"a\",\n  \"q8ZrT2kLmP0vXw4NbY7c\"\n]",
            "unseal_keys:\n  - 4jYbl2CBIv6SpkKj6Hos9iD32k5RfGkLzlosrrq/JgOm",
        ] {
            assert!(hold_secret(text), "{text}");
        }
    }

    #[test]
    fn lists_of_names_and_rules_are_accepted() {
        for text in [
            "secrets:\n  - db_password\n  - source: npmrc",
            "secrets: [DB_PASSWORD, API_TOKEN]",
            "passwords:\n- must have twelve characters\n- are never logged",
            "tokens:\n  - input\n  - output\n  - cache_read_input_tokens",
            "passwords:\n  - ${DB_PASSWORD}\n  - <password>",
            "tokens: 4096\nother:\n  - q8ZrT2kLmP0vXw4NbY7c",
            "keys:\n  - q8ZrT2kLmP0vXw4NbY7c",
            "public_keys:\n  - q8ZrT2kLmP0vXw4NbY7c",
            "api_keys:\nother:\n  - q8ZrT2kLmP0vXw4NbY7c",
            "tokens: []\n- q8ZrT2kLmP0vXw4NbY7c",
        ] {
            assert!(!hold_secret(text), "{text}");
        }
    }
}
