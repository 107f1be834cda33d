//! Searches for the patterns of [`rules`](crate::secrets::keys::rules): first a literal, then the pattern where the
//! literal occurs.

use std::sync::{LazyLock, OnceLock};

use regex_lite::Regex;

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::rules::{Asks, Begins, RULES, Rule};
use crate::secrets::value;

/// Maximum length of the text that a pattern examines, in bytes.
const MAX_WINDOW_BYTES: usize = 512;

/// Names of objects whose ids have the form of keys.
const IDENTIFIED: [&str; 16] = [
    "task", "job", "run", "build", "ticket", "issue", "session", "request", "trace", "span", "order", "id",
    "uuid", "commit", "sketch", "skill",
];

/// Literals by their first byte: the index of the rule, and the literal.
static LITERALS: LazyLock<Vec<Vec<(usize, &'static str)>>> = LazyLock::new(|| {
    let mut by_byte = vec![Vec::new(); 256];
    for (index, rule) in RULES.iter().enumerate() {
        for literal in rule.literals {
            if let Some(first) = literal.bytes().next() {
                by_byte[usize::from(first)].push((index, *literal));
            }
        }
    }
    by_byte
});

/// Patterns, compiled when their literal first occurs.
static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());

/// Returns the kind of the first match in the text.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    let bytes = text.as_bytes();
    let literals = &*LITERALS;
    // For each command's rule, the end of the last line that was searched.
    let mut looked_at: Vec<usize> = Vec::new();
    for (index, byte) in bytes.iter().enumerate() {
        let starting = &literals[usize::from(*byte)];
        if starting.is_empty() {
            continue;
        }
        let begins_a_word = begins_a_word(bytes, index);
        for (number, literal) in starting {
            if !bytes[index..].starts_with(literal.as_bytes()) {
                continue;
            }
            let rule = RULES[*number];
            let start = match rule.begins {
                Begins::With => begins_a_word.then_some(index),
                Begins::WithCommand => {
                    looked_at.resize(RULES.len(), 0);
                    let is_first = looked_at[*number] <= index && begins_a_word;
                    if is_first {
                        looked_at[*number] =
                            text[index..].find('\n').map_or(text.len(), |length| index + length);
                    }
                    is_first.then_some(index)
                }
                Begins::Before(is_part, min, max) => run_before(bytes, index, is_part, min, max),
            };
            if start.is_some_and(|start| matches(*number, rule, text, start)) {
                return Some(SecretKind::new(rule.kind));
            }
        }
    }
    None
}

/// Returns the start of a run of such bytes that ends at a position, if its length is within these bounds.
fn run_before(bytes: &[u8], index: usize, is_part: fn(u8) -> bool, min: usize, max: usize) -> Option<usize> {
    let length = bytes[..index].iter().rev().take(max + 1).take_while(|byte| is_part(**byte)).count();
    (min..=max).contains(&length).then(|| index - length)
}

/// Whether a word starts here; the `n` of an escaped line break does not belong to a name.
fn begins_a_word(bytes: &[u8], index: usize) -> bool {
    let Some(before) = index.checked_sub(1).map(|before| bytes[before]) else { return true };
    !before.is_ascii_alphanumeric()
        || (matches!(before, b'n' | b'r' | b't') && index >= 2 && bytes[index - 2] == b'\\')
}

fn matches(number: usize, rule: &Rule, text: &str, start: usize) -> bool {
    let Some(pattern) = PATTERNS[number].get_or_init(|| Regex::new(rule.pattern).ok()) else { return false };
    let window = window(text, start);
    let Some(found) = pattern.captures(window) else { return false };
    match (found.get(1), found.get(0)) {
        // A captured group is a value chosen by a person: it may be a reference or a placeholder.
        (Some(chosen), _) => {
            let is_sentence = matches!(rule.begins, Begins::WithCommand)
                && window[..chosen.start()].ends_with(' ')
                && is_prose(chosen.as_str(), &window[chosen.end()..]);
            !is_sentence && !value::is_reference(chosen.as_str()) && !value::is_placeholder(chosen.as_str())
        }
        (None, Some(whole)) => {
            !value::is_filler(whole.as_str())
                && !value::begins_with_extension(&window[whole.end()..])
                && has_what_is_asked(rule.asks, whole.as_str(), &text[..start])
        }
        (None, None) => false,
    }
}

/// Whether a short word followed by words is part of a sentence: `-p flag is unsafe`.
fn is_prose(value: &str, rest: &str) -> bool {
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    value.len() <= 5
        && is_word(value)
        && rest.starts_with(' ')
        && rest.split_whitespace().next().is_some_and(is_word)
}

fn has_what_is_asked(asks: Asks, found: &str, before: &str) -> bool {
    match asks {
        Asks::Nothing => true,
        Asks::Mixed => value::is_mixed(found),
        Asks::Digit => found.bytes().any(|byte| byte.is_ascii_digit()),
        Asks::NoIdBefore => {
            let before = before.trim_end_matches([' ', '#', '`', '"', ':']);
            let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            !IDENTIFIED.contains(&word.to_lowercase().as_str())
        }
    }
}

/// Returns the text from a position, limited to what a pattern examines.
fn window(text: &str, start: usize) -> &str {
    let mut end = (start + MAX_WINDOW_BYTES).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid_and_tied_to_its_literals() {
        for rule in RULES.iter() {
            assert!(Regex::new(rule.pattern).is_ok(), "{}: {}", rule.kind, rule.pattern);
            assert!(rule.pattern.starts_with('^'), "{}", rule.pattern);
            assert!(!rule.literals.is_empty() && rule.literals.iter().all(|literal| literal.is_ascii()));
        }
    }

    #[test]
    fn every_rule_finds_its_example_and_names_it() {
        for rule in RULES.iter() {
            let example = rule.example.replace('·', "");
            let before = if matches!(rule.begins, Begins::With) { "línea\\n" } else { "línea\n" };
            for text in
                [example.clone(), format!("ñ: \"{example}\" and more"), format!("{before}{example}\n")]
            {
                let found = find(&text).map(SecretKind::name);
                assert_eq!(found, Some(rule.kind), "{text}");
            }
        }
    }
    #[test]
    fn patterns_within_names_and_fillers_do_not_match() {
        let body = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W";
        assert!(find(&format!("(ghp_{body})")).is_some());
        for text in [
            format!("xghp_{body}"),
            format!("ghp_{}", "x".repeat(36)),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            "curl -u ops:$PASS https://repo.acme.dev".to_owned(),
            "sshpass -p '<password>' ssh host".to_owned(),
            "-----BEGIN RSA PRIVATE KEY----- is how it begins".to_owned(),
            "an app password will only work once".to_owned(),
            "the app password goes over http from your laptop to the relay".to_owned(),
            "an app password lets curl send mail; it must pass over smtp only".to_owned(),
            "App Password: use with smtp from home only".to_owned(),
            "the app-password page must work with html only, no script".to_owned(),
            "master.key has the checksum 9f86d081884c7d659a2feaa0c55ad015".to_owned(),
            "production.key fingerprint: 9f86d081884c7d659a2feaa0c55ad015".to_owned(),
            "rotated master.key; the trace id is 9f86d081884c7d659a2feaa0c55ad015".to_owned(),
            "kubeadm join 10.0.0.5:6443 --token abcdef.0123456789abcdef".to_owned(),
            "jdbc:oracle:thin:@//db.acme.dev:1521/SHOP".to_owned(),
            "kubeadm join prints --token and its hash".to_owned(),
        ] {
            assert_eq!(find(&text), None, "{text}");
        }
    }
}
