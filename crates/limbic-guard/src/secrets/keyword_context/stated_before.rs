//! Passwords that precede their name: `Mango-Tango-77! is the password of the printer`, `use … as the password`.

use crate::secrets::value;

/// Words between the value and the name.
const CONNECTORS: [&str; 16] = [
    "is", "are", "sind", "son", "sont", "as", "als", "ist", "como", "es", "comme", "est", "come", "è", "é",
    "=",
];
/// Maximum number of words between the connector and the name: `the new wifi`.
const MAX_WORDS: usize = 4;
/// Words after a name with which the sentence goes on; another word makes it the name of something else, such as
/// `password manager`.
const NEXT: [&str; 24] = [
    "of", "for", "on", "to", "in", "at", "and", "now", "der", "des", "von", "für", "im", "del", "de", "para",
    "du", "pour", "della", "per", "do", "da", "van", "voor",
];
/// Length of the text before a name that is examined, in bytes.
const REACH_BYTES: usize = 120;
/// Minimum length of the value, in characters.
const MIN_CHARS: usize = 8;

/// Whether the text before a name states its password in the same sentence.
///
/// # Arguments
/// * `before` - the text before the name.
/// * `after` - the text after it.
pub(super) fn is_stated(before: &str, after: &str) -> bool {
    words_before_connector(before, after).is_some_and(|mut words| words.next().is_some_and(is_password))
}

/// Whether the text before a name such as `credentials` states a user and a password in the same sentence:
/// `root / toor123! are the …`.
pub(super) fn is_login_stated(before: &str, after: &str) -> bool {
    let Some(mut words) = words_before_connector(before, after) else { return false };
    let Some(last) = words.next() else { return false };
    match last.split_once(['/', ':']) {
        Some((user, password)) if !user.is_empty() => is_password(password),
        _ => is_password(last) && matches!(words.next(), Some("/" | ":")),
    }
}

/// Returns the words before the connector between a value and the name, the last one first.
fn words_before_connector<'a>(before: &'a str, after: &str) -> Option<impl Iterator<Item = &'a str>> {
    let next = after.trim_start_matches([' ', '\t']).chars();
    let word: String = next.take(20).take_while(|letter| letter.is_alphanumeric()).collect();
    if !word.is_empty() && !NEXT.contains(&word.to_lowercase().as_str()) {
        return None;
    }
    let mut start = before.len().saturating_sub(REACH_BYTES);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    let line = before[start..].rsplit('\n').next().unwrap_or_default();
    let mut words = line.split(' ').rev().filter(|word| !word.is_empty());
    for _ in 0..=MAX_WORDS {
        let word = words.next()?;
        if CONNECTORS.contains(&word.to_lowercase().as_str()) {
            return Some(words);
        }
        if word.ends_with(['.', ',', ';', ':', '?', '!']) {
            return None;
        }
    }
    None
}

fn is_password(word: &str) -> bool {
    let quotes = ['"', '\'', '`', '*', '(', ')'];
    let is_quoted = word.ends_with(quotes);
    let text = word.trim_matches(quotes);
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    text.chars().count() >= MIN_CHARS
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && (value::is_worded(text)
            || ((has(u8::is_ascii_uppercase) || value::has_mark(text)) && value::is_chosen(text, is_quoted)))
        && !value::is_reference(text)
        && !value::is_placeholder(text)
        && !value::is_common_example(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_before_its_name_is_a_password() {
        for before in [
            "use Mango-Tango-77! as the ",
            "Mango-Tango-77! is our new wifi ",
            "nimm `Regenschirm48x` als ",
            "usa Gaviota#2291 como ",
            "use hunter-gatherer-1972 as the admin ",
        ] {
            assert!(is_stated(before, " of the printer"), "{before}");
        }
    }

    #[test]
    fn a_login_before_its_name_is_one() {
        for before in
            ["root / toor123! are the ", "admin:Mango-Tango-77! are our ", "root/toor123! sind die "]
        {
            assert!(is_login_stated(before, " for the switch"), "{before}");
        }
        for before in
            ["Grafana and toor123! are the ", "read / write are the ", "https://a.dev/toor123! are the "]
        {
            assert!(!is_login_stated(before, " for the switch"), "{before}");
        }
    }

    #[test]
    fn other_words_before_a_name_are_accepted() {
        for before in [
            "this is the ",
            "ISO27001 is the ",
            "OAuth2 is the ",
            "Bitwarden is our ",
            "use app-tls-2024 as the ",
            "use release-branch-2024 as the ",
            "$DB_PASSWORD is the ",
            "after Release2024x. It is the ",
        ] {
            assert!(!is_stated(before, " of the printer"), "{before}");
        }
        assert!(!is_stated("Argon2id13x! is the ", " hash"));
    }
}
