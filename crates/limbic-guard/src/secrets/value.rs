//! Classifies values in the position of a secret: references, placeholders and secrets.

mod allowlists;
mod passwords;
mod generated;
mod public_ids;
mod strong;

pub(crate) use generated::{is_base32, is_generated, is_key, is_mixed, is_named, is_symbolic};
pub(crate) use passwords::{
    has_mark, is_chosen, is_chosen_phrase, is_chosen_secret, is_hyphenated_phrase, is_identifier,
    is_phrase_of_letters, is_phrase_with_number, is_spoken_phrase, is_weak, is_worded,
};
pub(crate) use public_ids::{
    begins_with_extension, is_address_on_chain, is_address_or_public_key, is_base58, is_gpg_id,
};

pub(crate) use strong::{is_leet_phrase, is_strong, is_strong_or_named, is_word_with_number};

use crate::secrets::entropy;
use allowlists::{COMMON_EXAMPLES, DEFAULTS, FILLERS, PLACEHOLDER_PARTS, PLACEHOLDERS, PRODUCTS, REFERENCES};

/// Whether a value is a reference to a secret, or code that reads it.
pub(crate) fn is_reference(value: &str) -> bool {
    let lower = value.to_lowercase();
    value.starts_with(['$', '{', '<', '[', '(', '/'])
        || value.starts_with("~/")
        || value.starts_with("./")
        || value.starts_with("../")
        || (value.starts_with('%') && (value.ends_with('%') || value.len() <= 3))
        || ["${", "{{", "$(", "<%", "%{", "#{", "[\"", "['", "::", "->", "://", "/{"]
            .iter()
            .any(|mark| value.contains(mark))
        || REFERENCES.iter().any(|start| lower.starts_with(start))
        || is_call(value)
        || public_ids::is_path(value)
        || is_dotted_name(value)
}

/// Whether it is a call or an index expression: `getpass(…`, `bcrypt.hash(…`, `sys.argv[2]`.
fn is_call(value: &str) -> bool {
    value.split_once(['(', '[']).is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
    })
}

/// Whether it is a dotted name of words: `settings.SECRET_KEY`.
fn is_dotted_name(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
                && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        })
        && value.split('.').all(|part| !part.bytes().any(|byte| byte.is_ascii_digit()))
        && entropy::is_wordy(&value.replace(['.', '_'], ""))
}

/// Whether it is a placeholder.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let core = lower.trim_matches(|letter: char| !letter.is_alphabetic());
    let core_joined: String = core.chars().filter(|letter| !matches!(letter, '-' | '_' | ' ')).collect();
    PLACEHOLDER_PARTS.iter().any(|part| lower.contains(part))
        || (PLACEHOLDERS.contains(&core_joined.as_str()) && value.chars().any(char::is_alphabetic))
        || distinct(value) <= 2
}

/// Whether a random value is a placeholder, filler, a reference, or public.
pub(crate) fn is_known_not_secret(value: &str) -> bool {
    is_placeholder(value) || is_filler(value) || is_reference(value) || is_address_or_public_key(value)
}

/// Whether it is a common example password, which is a secret only if it is assigned.
pub(crate) fn is_common_example(value: &str) -> bool {
    let lower = value.to_lowercase();
    COMMON_EXAMPLES.iter().any(|example| lower.contains(example))
}

/// Whether it names a program or a method, often with a number, and adds no punctuation to it: `KeePass2`.
pub(crate) fn is_product(value: &str) -> bool {
    let lower = value.to_lowercase();
    PRODUCTS.iter().any(|product| lower.contains(product))
        && !value.contains(['!', '#', '$', '%', '^', '&', '*'])
}

/// Whether a match of a key's pattern is filler: one repeated character or words.
pub(crate) fn is_filler(found: &str) -> bool {
    let upper = found.to_uppercase();
    FILLERS.iter().any(|part| upper.contains(part))
}

/// Whether it is a well-known default password.
pub(crate) fn is_well_known_default(value: &str) -> bool {
    DEFAULTS.contains(&value.to_lowercase().as_str())
}

/// Returns the number of distinct characters, up to 3.
fn distinct(value: &str) -> usize {
    let mut seen: Vec<char> = Vec::new();
    for letter in value.chars() {
        if !seen.contains(&letter) {
            seen.push(letter);
        }
        if seen.len() > 2 {
            break;
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_placeholders_are_distinguished_from_values() {
        for value in [
            "$DB_PASSWORD",
            "${X}",
            "{{ x }}",
            "process.env.X",
            "settings.SECRET_KEY",
            "getpass(",
            "op://a/b",
            "%s",
        ] {
            assert!(is_reference(value), "{value}");
        }
        for value in ["changeme", "<your-key>", "xxxxxxxx", "********", "password123", "my-secret", "null"] {
            assert!(is_placeholder(value) || is_reference(value), "{value}");
        }
        assert!(is_common_example("hunter2") && is_common_example("Abc123") && !is_common_example("hunting"));
        for value in ["Tr0ub4dor&3", "Pr1mavera", "Otter.Lodge.42", "q8ZrT2kLmP0vXw4N", "S0lstice!"] {
            assert!(!is_reference(value) && !is_placeholder(value), "{value}");
            assert!(is_chosen(value, false), "{value}");
        }
        for term in [
            "Argon2id",
            "SHA-256",
            "oauth2-proxy",
            "15m",
            "2024-01",
            "v2.4.1",
            "ana@acme.dev",
            "bcrypt12",
            "app-tls-2024",
        ] {
            assert!(!is_chosen(term, false), "{term}");
        }
    }
}
