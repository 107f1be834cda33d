//! Finds credentials in text. Returns their kind, never the credentials.

mod text;
mod literals;
mod entropy;
mod value;
mod keyword_context;
mod keys;
mod passwords;
mod codes;

use crate::normalize::plain;
use codes::{
    access_codes, asked_codes, dial_combinations, keypad_instructions, lock_numbers, one_time_codes, pins,
    recovery_codes,
};
use keys::{
    cipher_keys, client_arguments, labelled_keys, name_value_pairs, parameters, pasted_keys, patterns,
    prefixed_keys, service_keys, split_keys, unknown_keys,
};
use passwords::{
    account_logins, client_logins, entry_sentences, household_keys, labels, logins, password_sentences,
    phrases, question_answers, quoted_phrases, security_answers, sentence_phrases, spelled_passwords, url,
    user_logins,
};
use text::Text;

pub use keys::rules::SecretKind;

/// Returns the kind of the first secret in a text, or `None`.
///
/// Checks known key formats first, then URLs with a password, values of keywords, and then keys by their place,
/// passwords and codes in sentences, each by a module of its own in the order of `find` below. Placeholders, references
/// to secrets, hashes and identifiers are excluded. Each check is one pass, linear in the length of the text. Invisible
/// characters and look-alikes of ASCII are normalised first.
#[must_use]
pub fn find_secret(text: &str) -> Option<SecretKind> {
    plain(text).and_then(|copy| find(&copy)).or_else(|| find(text))
}

/// A topic that makes no statement a secret.
const ANY_TOPIC: &str = "shop";

/// Maximum size of a topic, in bytes: of a longer one, its end is read.
pub const MAX_TOPIC_BYTES: usize = 400;

/// Maximum size of a statement that is scanned with its topics, in bytes: a longer one is no password.
const MAX_STATEMENT_BYTES: usize = 1_000;

/// Whether a statement is scanned with its topics: it is one word.
#[must_use]
pub fn is_related(statement: &str) -> bool {
    let statement = statement.trim();
    !statement.is_empty()
        && statement.len() <= MAX_STATEMENT_BYTES
        && !statement.contains(char::is_whitespace)
}

/// Returns the kind of the secret that a statement of one word is because of its topic, which is stored beside it, or
/// `None`: the statement "kestrel-99-Blue" about "database password". One that is a secret about any topic is not one
/// because of it, and longer statements about passwords are mostly rules for them.
#[must_use]
pub fn find_secret_about(topic: &str, statement: &str) -> Option<SecretKind> {
    let (topic, statement) = (topic.trim(), statement.trim());
    if topic.is_empty() || !is_related(statement) {
        return None;
    }
    let start = topic.ceil_char_boundary(topic.len().saturating_sub(MAX_TOPIC_BYTES));
    let topic = &topic[start..];
    let kind = find_secret(&format!("{topic}: {statement}"))?;
    find_secret(&format!("{ANY_TOPIC}: {statement}")).is_none().then_some(kind)
}

/// Returns the kind of the first statement that is a secret because of one of the topics stored beside it, as
/// [`find_secret_about`].
#[must_use]
pub fn find_secret_by_topics<'a>(
    topics: impl Iterator<Item = &'a str> + Clone,
    statements: impl IntoIterator<Item = &'a str>,
) -> Option<SecretKind> {
    statements
        .into_iter()
        .find_map(|statement| topics.clone().find_map(|topic| find_secret_about(topic, statement)))
}

fn find(written: &str) -> Option<SecretKind> {
    let text = &Text::new(written);
    patterns::find(written)
        .or_else(|| url::has_password(written).then_some(SecretKind::new("URL with a password")))
        .or_else(|| keyword_context::find(written))
        .or_else(|| labels::find(written))
        .or_else(|| parameters::find(written))
        .or_else(|| phrases::find(text))
        .or_else(|| client_arguments::find(written))
        .or_else(|| client_logins::find(written))
        .or_else(|| cipher_keys::find(written))
        .or_else(|| name_value_pairs::find(written))
        .or_else(|| pins::find(text))
        .or_else(|| access_codes::find(text))
        .or_else(|| keypad_instructions::find(text))
        .or_else(|| lock_numbers::find(text))
        .or_else(|| dial_combinations::find(text))
        .or_else(|| asked_codes::find(text))
        .or_else(|| one_time_codes::find(text))
        .or_else(|| recovery_codes::find(text))
        .or_else(|| logins::find(text))
        .or_else(|| user_logins::find(text))
        .or_else(|| account_logins::find(text))
        .or_else(|| service_keys::find(written))
        .or_else(|| unknown_keys::find(written))
        .or_else(|| prefixed_keys::find(written))
        .or_else(|| labelled_keys::find(written))
        .or_else(|| pasted_keys::find(written))
        .or_else(|| spelled_passwords::find(text))
        .or_else(|| sentence_phrases::find(text))
        .or_else(|| quoted_phrases::find(text))
        .or_else(|| household_keys::find(text))
        .or_else(|| security_answers::find(text))
        .or_else(|| question_answers::find(text))
        .or_else(|| password_sentences::find(text))
        .or_else(|| entry_sentences::find(text))
        .or_else(|| split_keys::find(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_without_a_value_are_not_secrets() {
        for text in ["", " ", "password", "password=", "token:", "://", "://@", "a://:@", "-----BEGIN", "ñ"]
        {
            assert_eq!(find_secret(text), None, "{text}");
        }
    }

    #[test]
    fn invisible_characters_hide_no_secret() {
        for text in [
            "DB_PASS\u{200B}WORD=kestrel-99-Blue",
            "password=kes\u{2060}trel-99-B\u{AD}lue",
            "ｐａｓｓｗｏｒｄ＝ｋｅｓｔｒｅｌ９９",
            "password:\u{A0}kestrel-99-Blue",
            "password: “kestrel-99-Blue”",
            "\u{200B}password=kestrel-99-Blue",
        ] {
            assert_eq!(find_secret(text).map(SecretKind::name), Some("password assignment"), "{text}");
        }
        assert_eq!(find_secret("the pass\u{200B}word is stored in 1Password"), None);
    }

    #[test]
    fn a_topic_makes_a_statement_a_secret() {
        for (topic, statement, is_secret) in [
            ("database password", "kestrel-99-Blue", true),
            ("Wifi password", " kestrel-99-Blue\n", true),
            ("database", "kestrel-99-Blue", false),
            ("password", "is in 1Password", false),
            ("auth service", "The branch is feature/AUTH-1234-rotate-api-keys-2024", false),
            ("database password", "", false),
            ("", "kestrel-99-Blue", false),
        ] {
            assert_eq!(find_secret_about(topic, statement).is_some(), is_secret, "{topic}: {statement}");
        }
    }

    #[test]
    fn the_kind_s_name_never_contains_the_secret() {
        let found = find_secret("DB_PASSWORD=kestrel-99-Blue");
        assert_eq!(found.map(SecretKind::name), Some("password assignment"));
        assert!(!format!("{found:?}").contains("kestrel"));
    }
}
