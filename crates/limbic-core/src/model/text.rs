//! Normal forms of texts for comparisons. Texts are stored as given.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Returns the composed form (NFC), which is the same for both encodings of an accented letter.
#[must_use]
pub(crate) fn compose(text: &str) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// The composed form in lower case, for comparisons without regard to case.
#[must_use]
pub fn fold(text: &str) -> String {
    compose(text).to_lowercase()
}

/// The form by which equal texts of memories are looked for: without case, composition and white space. Texts with the
/// same form are compared further (`store/memories/exact_duplicates.rs`).
#[must_use]
pub(crate) fn normalised(content: &str) -> String {
    fold(content).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the hash of a memory's normalised text.
#[must_use]
pub fn content_hash(content: &str) -> i64 {
    limbic_protocol::fnv1a(normalised(content).bytes()).cast_signed()
}

/// The forms under which a name may be stored: as given, composed, decomposed; without repetition.
#[must_use]
pub(crate) fn spellings(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    for form in [name.nfc().collect::<String>(), name.nfd().collect::<String>()] {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Maximum number of characters of a caller's text that an error repeats.
const MAX_ECHO_CHARS: usize = 100;

/// Shortens a caller's text for an error message: to 100 characters, followed by three dots.
#[must_use]
pub fn echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_ECHO_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_is_short() {
        assert_eq!(echo("naïve"), "naïve");
        assert_eq!(echo(&"ï".repeat(100)), "ï".repeat(100));
        assert_eq!(echo(&"ï".repeat(1_000_000)), format!("{}...", "ï".repeat(100)));
    }

    #[test]
    fn case_and_composition_do_not_matter() {
        assert_eq!(fold("CAFE\u{301}"), fold("café"));
        assert_eq!(fold("ΣΊΣΥΦΟΣ"), "σίσυφος");
        assert_eq!(fold("ЖУК"), "жук");
    }

    #[test]
    fn a_plain_name_has_one_spelling() {
        assert_eq!(spellings("plain"), ["plain"]);
        assert_eq!(spellings("é").len(), 2);
    }
}
