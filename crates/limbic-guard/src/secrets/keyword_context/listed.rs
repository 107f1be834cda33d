//! Finds secrets in lists of YAML and JSON whose name is that of several: `passwords:`, then `- …` in lines of their
//! own, and `"api_keys": ["…", "…"]`.

use super::tables;
use super::word::is_secret_key_of;

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

/// Maximum number of lines of a list between brackets: one that is not closed by then is none.
const MAX_BRACKETED_LINES: usize = 200;

/// A list with a name of secrets.
#[derive(Clone, Copy)]
struct List {
    is_of_passwords: bool,
    /// Whether it is between brackets.
    is_bracketed: bool,
    /// The column of its name.
    column: usize,
}

/// Whether a list with a name of secrets holds one.
pub(super) fn hold_secret(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(index, line)| {
        begun(line).is_some_and(|(list, items)| match list.is_bracketed {
            true => bracketed(items, &lines[index + 1..]).any(|item| is_secret(item, list)),
            false => in_lines(list, &lines[index + 1..]).any(|item| is_secret(item, list)),
        })
    })
}

/// Returns the items of a list between brackets, up to the first `]`: `items` are those in its first line. A list that
/// does not end, or whose following lines are no items, has none.
fn bracketed<'a>(items: &'a str, following: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let mut lines = vec![items];
    let mut is_closed = items.contains(']');
    for line in following.iter().take(MAX_BRACKETED_LINES) {
        let line = without_comment(line.trim());
        if is_closed {
            break;
        }
        is_closed = line.contains(']');
        let is_items = line.is_empty() || is_closed || line.ends_with(',') || line.starts_with(['"', '\'']);
        if !is_items {
            break;
        }
        lines.push(line);
    }
    let items = lines.into_iter().filter(move |_| is_closed).flat_map(|line| line.split([',', ']']));
    items.map(|item| item.trim_start_matches(' ').trim_start_matches('['))
}

/// Returns the items of a list in the lines below its name: `- …`, not to the left of the name, all in one column.
fn in_lines<'a>(list: List, following: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let mut column = None;
    let mut was_blank = false;
    following.iter().map_while(move |line| {
        let content = line.trim_start();
        let own = line.len() - content.len();
        // A heading of Markdown, rather than a comment of YAML.
        let is_heading = content.starts_with('#') && was_blank && own <= list.column;
        was_blank = content.is_empty();
        let item = without_comment(content.trim_end());
        if is_heading {
            return None;
        }
        if item.is_empty() {
            return Some("");
        }
        let item = item.strip_prefix("- ")?;
        let is_within = own >= list.column && *column.get_or_insert(own) == own;
        is_within.then_some(item)
    })
}

/// Returns the list that a line begins, and the items in this line.
fn begun(line: &str) -> Option<(List, &str)> {
    let line = line.trim_end();
    let content = line.trim_start();
    let column = line.len() - content.len();
    let content = without_comment(content);
    let (column, content) =
        content.strip_prefix("- ").map_or((column, content), |content| (column + 2, content));
    let (name, items) = content.split_once(':')?;
    let items = items.trim();
    // `Tokens: [the guide](guide.md)` is a link.
    if name.len() > MAX_NAME_BYTES || !(items.is_empty() || items.starts_with('[')) || items.contains("](") {
        return None;
    }
    let name = name.trim_matches([' ', '{', '"', '\'', '`', '*']);
    let lower = spaced(name);
    let (before, last) = lower.rsplit_once([' ', '_', '-', '.']).unwrap_or(("", &lower));
    let before = before.rsplit([' ', '_', '-', '.']).next().unwrap_or_default();
    let is_of_passwords = PASSWORDS.contains(&last);
    let is_of_secrets = SECRETS.contains(&last) || (last == "keys" && is_secret_key_of(before));
    let list = List { is_of_passwords, is_bracketed: items.starts_with('['), column };
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

fn is_secret(item: &str, list: List) -> bool {
    let item = item.trim_matches([' ', '"', '\'', '`']);
    // `minLength=12` is a rule.
    let is_rule =
        item.split_once('=').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    !item.is_empty() && !is_rule && !item.contains("](") && tables::is_secret(item, list.is_of_passwords)
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
            "{\"passwords\": [\"Kp7#wTz2Rq\"]}",
            "- tokens:\n    - q8ZrT2kLmP0vXw4NbY7c",
            "tokens: [\n  q8ZrT2kLmP0vXw4NbY7c,\n]",
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
            "Tokens: [see below\nThe commit is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
            "Tokens:\n- input\n- output\n\n# Commits\n- 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "- tokens:\n    - input\n- 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "passwords:\n  - minLength=12",
            "Passwords: [policy](docs/policy2#rules)",
        ] {
            assert!(!hold_secret(text), "{text}");
        }
    }
}
