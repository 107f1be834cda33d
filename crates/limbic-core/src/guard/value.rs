//! What stands where a secret could: a reference to it, a placeholder for it, or the secret itself.

mod known;

use super::entropy;
use known::{DEFAULTS, FILLERS, PLACEHOLDER_PARTS, PLACEHOLDERS, REFERENCES, TECHNICAL};

/// Whether it says where the secret is, or is code that gets it.
pub(super) fn is_reference(value: &str) -> bool {
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
        || is_dotted_name(value)
}

/// `getpass(…`, `bcrypt.hash(…`, `sys.argv[2]`: a name and a bracket.
fn is_call(value: &str) -> bool {
    value.split_once(['(', '[']).is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
    })
}

/// `settings.SECRET_KEY`: names with dots, all of them words.
fn is_dotted_name(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
                && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        })
        && value.split('.').all(|part| !part.bytes().any(|byte| byte.is_ascii_digit()))
        && entropy::is_wordy(&value.replace(['.', '_'], ""))
}

/// Whether it stands for a secret without being one.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let core = lower.trim_matches(|letter: char| !letter.is_alphabetic());
    let core_joined: String = core.chars().filter(|letter| !matches!(letter, '-' | '_' | ' ')).collect();
    PLACEHOLDER_PARTS.iter().any(|part| lower.contains(part))
        || (PLACEHOLDERS.contains(&core_joined.as_str()) && value.chars().any(char::is_alphabetic))
        || distinct(value) <= 2
}

/// Whether what matched the form of a key is filled up with one character or with words.
pub(super) fn is_filler(found: &str) -> bool {
    let upper = found.to_uppercase();
    FILLERS.iter().any(|part| upper.contains(part))
}

/// Whether everybody knows it already.
pub(super) fn is_well_known_default(value: &str) -> bool {
    DEFAULTS.contains(&value.to_lowercase().as_str())
}

/// How many different characters there are, up to 3.
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

/// Whether it looks like a password that a person chose: letters with digits or marks between them.
///
/// A technical term, a version, a size, a date and an address are none; a name with a number (`oauth2-proxy`) is
/// one only in quotes.
pub(super) fn is_chosen(value: &str, is_quoted: bool) -> bool {
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_mark = value.chars().any(|letter| "!@#$%^&*?+=~".contains(letter));
    value.chars().count() >= 6
        && letters >= 3
        && (has_digit || has_mark)
        && !is_term(value)
        && (is_quoted || !is_name(value))
}

/// Names of lower-case parts with a number behind some: `customer_id2`, `app-tls-2024`.
fn is_name(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', '/', ':']).collect();
    parts.len() > 1
        && parts.iter().all(|part| {
            let word = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
            part.len() - word.len() <= 4 && word.chars().all(|letter| letter.is_lowercase())
        })
}

/// Algorithms, issue numbers, versions, sizes, durations, mail addresses.
fn is_term(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_issue = value.split_once('-').is_some_and(|(name, number)| {
        name.len() >= 2
            && name.bytes().all(|byte| byte.is_ascii_uppercase())
            && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_measure = value.starts_with(|letter: char| letter.is_ascii_digit())
        && lower
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'))
            .len()
            <= 2;
    let is_version =
        lower.strip_prefix('v').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
            && value.contains('.');
    let is_mail = value.rsplit_once('@').is_some_and(|(_, host)| {
        host.rsplit_once('.').is_some_and(|(name, top)| {
            !name.is_empty() && top.len() >= 2 && top.chars().all(|letter| letter.is_ascii_lowercase())
        })
    });
    let is_code = value.ends_with(['(', '{', '[', '=']) && !value.bytes().any(|byte| byte.is_ascii_digit());
    is_issue
        || is_measure
        || is_version
        || is_mail
        || is_code
        || TECHNICAL.iter().any(|term| lower.starts_with(term))
}

/// Whether a machine made it, at least `least` characters long.
pub(super) fn is_made(value: &str, least: usize) -> bool {
    value.len() >= least
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_.~:-".contains(&byte))
        && (entropy::is_hex(value) || (entropy::is_random(value) && !is_term(value) && !is_name(value)))
}

/// Whether it has parts, and one of them holds a long word.
pub(super) fn is_named(value: &str) -> bool {
    value.contains(['-', '_', '.']) && entropy::has_long_word(value)
}

/// An address on a chain or a fingerprint, `0x` and forty digits; the beginning of every public SSH key.
pub(super) fn is_address_or_public_key(value: &str) -> bool {
    (value.starts_with("0x") && value.len() == 42) || value.starts_with("AAAA")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_placeholders_are_told_from_values() {
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
        for value in
            ["changeme", "<your-key>", "xxxxxxxx", "********", "password123", "my-secret", "null", "hunter2"]
        {
            assert!(is_placeholder(value) || is_reference(value), "{value}");
        }
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
