//! Comparing texts. What is stored is kept as given; only comparisons go through these forms.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The composed form (NFC): two ways to write the same accented letter become one.
#[must_use]
pub fn compose(text: &str) -> Cow<'_, str> {
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

/// The forms under which a name may be stored: as given, composed, decomposed; without repetition.
#[must_use]
pub fn spellings(name: &str) -> Vec<String> {
    let mut forms = vec![name.to_owned()];
    for form in [name.nfc().collect::<String>(), name.nfd().collect::<String>()] {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

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
