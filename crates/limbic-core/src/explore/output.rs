//! How texts of memories are serialised: escaped, or their beginning on one line.

use std::fmt::Display;

use limbic_guard::{escape, one_line};
use serde::Serializer;

/// Maximum length of a memory's text in a link, in characters.
pub(crate) const MAX_LINK_CHARS: usize = 120;

/// Serialises a text with hidden characters escaped.
pub(crate) fn escaped<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&escape(text))
}

/// Serialises texts with hidden characters escaped.
pub(crate) fn all_escaped<S: Serializer>(texts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| escape(text)))
}

/// Serialises texts that may be missing, with hidden characters escaped.
#[allow(clippy::ref_option, reason = "serde passes a reference")]
pub(crate) fn all_escaped_option<S: Serializer>(
    texts: &Option<Vec<String>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match texts {
        Some(texts) => all_escaped(texts, serializer),
        None => serializer.serialize_none(),
    }
}

/// Serialises a value as it is displayed.
pub(crate) fn displayed<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Serialises the beginning of a text, on one line.
pub(crate) fn beginning<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&one_line(text, MAX_LINK_CHARS))
}

/// Serialises a text that may be missing, with hidden characters escaped.
#[allow(clippy::ref_option, reason = "serde passes a reference")]
pub(crate) fn escaped_option<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => serializer.serialize_some(&escape(text)),
        None => serializer.serialize_none(),
    }
}
