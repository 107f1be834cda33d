//! Credentials in text: what kind, never which.

use super::{keyword_context, normalize::plain, patterns, rules::SecretKind, url};

/// The kind of the first secret that a text holds, `None` when it seems to hold none.
///
/// Known forms of keys come first, then URLs with a password, then what is assigned to a telling name, then random
/// strings beside a telling word. Placeholders, references to where a secret is kept, hashes and identifiers are
/// none. One pass for each, so that the time grows with the length of the text alone. What hides a secret from these
/// rules and not from a reader, such as characters without width, hides none.
#[must_use]
pub fn find_secret(text: &str) -> Option<SecretKind> {
    plain(text).and_then(|copy| find(&copy)).or_else(|| find(text))
}

fn find(text: &str) -> Option<SecretKind> {
    patterns::find(text)
        .or_else(|| url::has_password(text).then_some(SecretKind::new("URL with a password")))
        .or_else(|| keyword_context::find(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_found_in_nothing() {
        for text in ["", " ", "password", "password=", "token:", "://", "://@", "a://:@", "-----BEGIN", "ñ"]
        {
            assert_eq!(find_secret(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_seen_hides_nothing() {
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
    fn the_name_never_holds_the_secret() {
        let found = find_secret("DB_PASSWORD=kestrel-99-Blue");
        assert_eq!(found.map(SecretKind::name), Some("password assignment"));
        assert!(!format!("{found:?}").contains("kestrel"));
    }
}
