//! Validation of a memory's texts and numbers, with the limits of the tools.

use limbic_guard::{SecretKind, find_secret, find_secret_by_topics};

use crate::store::memories::MAX_CONTENT_BYTES;

/// Returns the reason why this is not a valid text of a memory, if there is one.
pub(crate) fn check_content(content: &str) -> Option<String> {
    content
        .is_empty()
        .then(|| "a memory's content must not be empty".to_owned())
        .or_else(|| check_bytes("a memory's content", content))
        .or_else(|| check_secret(content))
}

/// Returns the reason why a text that contains a secret cannot be stored, if it does.
#[must_use]
pub(crate) fn check_secret(text: &str) -> Option<String> {
    find_secret(text).map(seems_secret)
}

/// Returns the reason why statements that one of the topics beside them makes a secret cannot be stored, if one does.
pub(crate) fn check_secret_by_topics<'a>(
    topics: impl Iterator<Item = &'a str> + Clone,
    statements: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    find_secret_by_topics(topics, statements).map(seems_secret)
}

fn seems_secret(kind: SecretKind) -> String {
    format!("it seems to hold a secret ({})", kind.name())
}

/// Returns the reason why this is not a valid confidence, if there is one.
pub(crate) fn check_confidence(confidence: f64) -> Option<String> {
    (!(0.0..=1.0).contains(&confidence))
        .then(|| format!("a confidence must be a number from 0 to 1, but got {confidence}"))
}

pub(super) fn check_bytes(what: &str, text: &str) -> Option<String> {
    if text.len() > MAX_CONTENT_BYTES {
        return Some(format!("{what} must have at most {MAX_CONTENT_BYTES} bytes, but got {}", text.len()));
    }
    text.contains('\0').then(|| format!("{what} contains a NUL character"))
}
