//! Finds credentials in text. Returns their kind, never the credentials.

use super::{
    answers, broken, cipher_keys, client_logins, confirmations, constructors, dials, fields, household_keys,
    keypads, keyword_context, lock_numbers, logins, normalize::plain, openings, parameters, patterns,
    phrases, pins, prefixed_keys, question_answers, recovery, rules::SecretKind, sentence_phrases, services,
    spelled, stated, text::Text, unknown_keys, url, user_logins,
};

/// Returns the kind of the first secret in a text, or `None`.
///
/// Checks known key formats first, then URLs with a password, assignments to a keyword, random strings near a keyword,
/// in parameters of URLs, cookies and calls, recovery phrases and passphrases, arguments of clients, values of entries,
/// PINs and codes for one use, recovery codes, logins, random strings after the name of a service, long random strings
/// with a prefix, passwords in words, answers, passwords that notes state, and keys that blanks or quotes break.
/// Placeholders, references to secrets, hashes and identifiers are excluded. Each check is one pass, linear in the
/// length of the text. Invisible characters and look-alikes of ASCII are normalised first.
#[must_use]
pub fn find_secret(text: &str) -> Option<SecretKind> {
    plain(text).and_then(|copy| find(&copy)).or_else(|| find(text))
}

fn find(written: &str) -> Option<SecretKind> {
    let text = &Text::new(written);
    patterns::find(written)
        .or_else(|| url::has_password(written).then_some(SecretKind::new("URL with a password")))
        .or_else(|| keyword_context::find(written))
        .or_else(|| parameters::find(written))
        .or_else(|| phrases::find(text))
        .or_else(|| constructors::find(written))
        .or_else(|| client_logins::find(written))
        .or_else(|| cipher_keys::find(written))
        .or_else(|| fields::find(written))
        .or_else(|| pins::find(text))
        .or_else(|| openings::find(text))
        .or_else(|| keypads::find(text))
        .or_else(|| lock_numbers::find(text))
        .or_else(|| dials::find(text))
        .or_else(|| confirmations::find(text))
        .or_else(|| recovery::find(text))
        .or_else(|| logins::find(text))
        .or_else(|| user_logins::find(text))
        .or_else(|| services::find(written))
        .or_else(|| unknown_keys::find(written))
        .or_else(|| prefixed_keys::find(written))
        .or_else(|| spelled::find(text))
        .or_else(|| sentence_phrases::find(text))
        .or_else(|| household_keys::find(text))
        .or_else(|| answers::find(text))
        .or_else(|| question_answers::find(text))
        .or_else(|| stated::find(text))
        .or_else(|| broken::find(text))
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
    fn the_kind_s_name_never_contains_the_secret() {
        let found = find_secret("DB_PASSWORD=kestrel-99-Blue");
        assert_eq!(found.map(SecretKind::name), Some("password assignment"));
        assert!(!format!("{found:?}").contains("kestrel"));
    }
}
