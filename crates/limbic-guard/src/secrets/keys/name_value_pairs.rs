//! Values of entries with two fields, `name` and `value`, whose value is a key although the name says nothing:
//! `- name: fleetbird`, then `value: fbk-…`.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::unknown_keys;
use crate::secrets::value;

/// Names of the first field.
const NAMES: [&str; 7] = ["name", "key", "id", "variable", "field", "title", "label"];
/// Parts of names whose random values are public.
const PUBLIC: [&str; 40] = [
    "id",
    "ids",
    "sha",
    "sha1",
    "sha256",
    "hash",
    "digest",
    "etag",
    "checksum",
    "commit",
    "build",
    "version",
    "public",
    "pub",
    "integrity",
    "url",
    "uri",
    "cursor",
    "nonce",
    "fingerprint",
    "uuid",
    "guid",
    "trace",
    "span",
    "address",
    "donation",
    "wallet",
    "contract",
    "signature",
    "revision",
    "image",
    "tag",
    "path",
    "file",
    "host",
    "page",
    "object",
    "slug",
    "thumbprint",
    "block",
];
/// Maximum length of the text between the name and its value in bytes, and of the value in characters.
const MAX_DISTANCE_BYTES: usize = 160;

/// Returns the kind of the first such value.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.match_indices("value")
        .any(|(index, field)| {
            let after =
                text[index + field.len()..].trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
            let Some(after) = after.strip_prefix([':', '=']) else { return false };
            let found = first_word(after);
            is_key(found) && names_entry(&text[..index])
        })
        .then_some(SecretKind::new("value of an entry"))
        .or_else(|| is_kubernetes_secret(text).then_some(SecretKind::new("value of an entry")))
}

/// Whether it is a secret of Kubernetes with a value, whatever the name of its entry.
fn is_kubernetes_secret(text: &str) -> bool {
    if !text.lines().any(|line| line.trim() == "kind: Secret") {
        return false;
    }
    let mut is_inside = false;
    text.lines().any(|line| {
        if line.starts_with([' ', '\t']) && is_inside {
            return line.split_once(": ").is_some_and(|(_, found)| {
                let found = first_word(found);
                value::is_generated(found, 12) && !value::is_reference(found) && !value::is_placeholder(found)
            });
        }
        is_inside = matches!(line.trim(), "stringData:" | "data:");
        false
    })
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t', '"', '\'', '`']);
    let ends = |(_, letter): &(usize, char)| letter.is_whitespace() || "\"'`,;}])<".contains(*letter);
    let end = text.char_indices().take(MAX_DISTANCE_BYTES).find(ends).map_or_else(
        || text.char_indices().nth(MAX_DISTANCE_BYTES).map_or(text.len(), |(index, _)| index),
        |(index, _)| index,
    );
    &text[..end]
}

fn is_key(found: &str) -> bool {
    (value::is_key(found) && !value::is_address_on_chain(found) && !value::is_placeholder(found))
        || unknown_keys::is_whole_key(found)
}

/// Whether the field before names an entry whose random value is not public.
fn names_entry(before: &str) -> bool {
    let mut start = before.len().saturating_sub(MAX_DISTANCE_BYTES);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    // The last two lines: the name may stand on the line before.
    let near = &before[start..];
    let from = near.rmatch_indices('\n').nth(1).map_or(0, |(index, _)| index + 1);
    let near = near[from..].rsplit(['{', '}', '[', ']']).next().unwrap_or_default();
    NAMES.iter().any(|name| {
        near.match_indices(name).any(|(index, _)| {
            let starts =
                !near[..index].ends_with(|letter: char| letter.is_alphanumeric() || "_-".contains(letter));
            let rest = near[index + name.len()..].trim_start_matches(['"', '\'']).trim_start_matches(' ');
            starts && rest.strip_prefix([':', '=']).is_some_and(|rest| is_name(first_word(rest)))
        })
    })
}

fn is_name(name: &str) -> bool {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
            parts.push(std::mem::take(&mut part));
        }
        if letter.is_alphanumeric() {
            part.extend(letter.to_lowercase());
        }
        before = letter;
    }
    parts.push(part);
    name.chars().any(char::is_alphabetic) && !parts.iter().any(|part| PUBLIC.contains(&part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9";

    #[test]
    fn random_values_of_named_entries_are_found() {
        for text in [
            format!("- name: fleetbird\n  value: {RANDOM}"),
            format!("{{\"name\": \"STRIPE_SIGNING\", \"value\": \"{RANDOM}\"}}"),
            format!("env {{ name = \"LUMEN\" value = \"{RANDOM}\" }}"),
            "- name: fleetbird\n  value: fbk-21pqghaypgpubxuoq5w6tcydg2g2sh15p1pjjfktvjjh".to_owned(),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn public_values_of_entries_are_not() {
        for text in [
            format!("- name: GIT_SHA\n  value: {RANDOM}"),
            format!("{{\"name\": \"pageCursor\", \"value\": \"{RANDOM}\"}}"),
            "- name: CLUSTER\n  value: eu-west-1-prod-7f9c6b5d-x2k4q".to_owned(),
            "- name: GIT_REV\n  value: 9fceb02d0ae598e95dc970b74767f19372d61af8".to_owned(),
            format!("the value: {RANDOM}"),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
