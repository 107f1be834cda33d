//! E-mail addresses that are written for people: `name (at) host (dot) com`, `name [at] host.com`.

use super::mail::{NO_DOMAINS, start_of_local_part};
use super::spans::Span;

/// What stands for the sign, in brackets.
const SIGNS: [&str; 3] = ["at", "@", "arroba"];
/// What stands for a dot, in brackets or between blanks.
const DOTS: [&str; 6] = [".", "dot", "punto", "punkt", "ponto", "point"];
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];
/// Maximum length of such brackets with their content, in bytes.
const MAX_BRACKETS_BYTES: usize = 12;
/// Maximum number of blanks between parts.
const MAX_BLANKS: usize = 2;
/// Maximum number of labels of a domain, and of parts of a name.
pub(super) const MAX_PARTS: usize = 8;
/// Words before the brackets of a condition.
const CONDITIONS: [&str; 10] =
    ["if", "while", "for", "switch", "match", "until", "unless", "when", "elif", "catch"];
/// Suffixes of source files and documents, some of which are domains as well.
const FILES: [&str; 18] = [
    "rs", "py", "ts", "tsx", "jsx", "go", "java", "cpp", "cs", "rb", "php", "sh", "md", "txt", "html",
    "json", "yaml", "toml",
];

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for (index, _) in text.match_indices(BRACKETS.map(|(opening, _)| opening)) {
        let Some(length) = bracketed(&text[index..], &SIGNS) else { continue };
        let Some(start) = start_of_name(&text[..index]) else { continue };
        let Some(end) = end_of_domain(text, index + length) else { continue };
        spans.push(Span { start, end, label: "[e-mail]" });
    }
}

/// Returns the length of brackets around one of some words, at the start of a text.
fn bracketed(text: &str, words: &[&str]) -> Option<usize> {
    let (_, closing) = BRACKETS.iter().find(|(opening, _)| text.starts_with(*opening))?;
    let reach = &text[1..text.floor_char_boundary(MAX_BRACKETS_BYTES)];
    let (word, _) = reach.split_once(*closing)?;
    let is_one = words.iter().any(|known| word.trim().eq_ignore_ascii_case(known));
    is_one.then_some(word.len() + 2)
}

/// Returns the text without the blanks at its end, if there are few.
pub(super) fn without_blanks(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    if text.len() - trimmed.len() <= MAX_BLANKS { trimmed } else { text }
}

/// Returns the start of the name at the end of a text: `ana`, or `ana (dot) ruiz`.
fn start_of_name(text: &str) -> Option<usize> {
    let text = without_blanks(text);
    let mut start = start_of_local_part(text);
    if start == text.len() || CONDITIONS.contains(&&text[start..]) {
        return None;
    }
    for _ in 1..MAX_PARTS {
        let Some(before) = before_dot(without_blanks(&text[..start])) else { break };
        let name = without_blanks(before);
        let part = start_of_local_part(name);
        if part == name.len() {
            break;
        }
        start = part;
    }
    Some(start)
}

/// Returns the text before a dot in brackets at its end.
fn before_dot(text: &str) -> Option<&str> {
    let (opening, _) = BRACKETS.iter().find(|(_, closing)| text.ends_with(*closing))?;
    let reach = text.ceil_char_boundary(text.len().saturating_sub(MAX_BRACKETS_BYTES));
    let start = reach + text[reach..].rfind(*opening)?;
    (bracketed(&text[start..], &DOTS) == Some(text.len() - start)).then_some(&text[..start])
}

/// Returns the end of the domain from a position on, with its dots as they are or spelled: `acme (dot) dev`.
pub(super) fn end_of_domain(text: &str, from: usize) -> Option<usize> {
    let mut end = from + blanks(&text[from..]);
    let mut is_spelled = false;
    let mut end_of_top = None;
    for part in 0..=MAX_PARTS {
        let label = &text[end..];
        let length =
            label.find(|letter: char| !letter.is_alphanumeric() && letter != '-').unwrap_or(label.len());
        let label = &label[..length];
        if label.is_empty() || label.starts_with('-') {
            break;
        }
        end += length;
        let is_top = label.chars().count() >= 2 && label.chars().all(char::is_alphabetic);
        let is_file = !is_spelled && (FILES.contains(&label) || NO_DOMAINS.contains(&label));
        if part > 0 && is_top {
            end_of_top = (!is_file).then_some(end);
        }
        let Some((length, is_word)) = dot(&text[end..]) else { break };
        is_spelled |= is_word;
        end += length;
    }
    end_of_top
}

/// Returns the number of blanks at the start of a text, if there are few.
fn blanks(text: &str) -> usize {
    let count = text.len() - text.trim_start_matches(' ').len();
    if count <= MAX_BLANKS { count } else { 0 }
}

/// Returns the length of a dot between labels, with the blanks around it, and whether it is spelled.
fn dot(text: &str) -> Option<(usize, bool)> {
    if let Some(after) = text.strip_prefix('.') {
        return after.starts_with(char::is_alphanumeric).then_some((1, false));
    }
    let start = blanks(text);
    let length = match bracketed(&text[start..], &DOTS) {
        Some(length) => length,
        None if start > 0 => {
            let word = text[start..].split(' ').next()?;
            DOTS[1..].iter().any(|dot| word.eq_ignore_ascii_case(dot)).then_some(word.len())?
        }
        None => return None,
    };
    let end = start + length;
    Some((end + blanks(&text[end..]), true))
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn spelled_addresses_are_replaced() {
        for (text, wanted) in [
            ("ana (at) acme (dot) dev", "[e-mail]"),
            ("Write to ana [at] acme.dev.", "Write to [e-mail]."),
            ("ana(at)acme(dot)dev, now", "[e-mail], now"),
            ("j.perez [AT] mail [DOT] acme [DOT] co [DOT] uk", "[e-mail]"),
            ("ana {at} acme dot dev", "[e-mail]"),
            ("ana (@) acme.dev", "[e-mail]"),
            ("ana (dot) ruiz (at) acme (dot) dev", "[e-mail]"),
            ("ana (arroba) acme (punto) es", "[e-mail]"),
            ("ana (at) acme.dev (.)", "[e-mail] (.)"),
            ("ana（at）acme.dev", "[e-mail]"),
            ("josé <at> correo [.] es y eva <at> correo [.] es", "[e-mail] y [e-mail]"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn other_brackets_stay() {
        for text in [
            "meet (at) noon",
            "meet (at) noon. Then go",
            "a[at]",
            "list[at].length",
            "if (at) node.next();",
            "while (at) { at = at.next }",
            "the bug (at) parser.py",
            "(at) acme.dev",
            "let x = map[at] + y.z",
            "Vec<at> is a type. It has a name",
            "look (at) version 2 (dot) 1",
            "fn at(at) -> a.b",
            "ana (a) acme.dev",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
