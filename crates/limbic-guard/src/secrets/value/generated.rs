//! Recognises generated values.

use super::passwords::{is_name, is_term};
use crate::secrets::entropy;

/// Minimum Shannon entropy of a random value, in bits per byte.
const MIN_ENTROPY: f64 = 3.5;
/// Minimum Shannon entropy of sixteen base32 characters, in bits per byte.
const MIN_BASE32_ENTROPY: f64 = 2.8;

/// Whether it is a generated value of at least `min_chars` characters.
pub(crate) fn is_generated(value: &str, min_chars: usize) -> bool {
    value.len() >= min_chars
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_.~:-".contains(&byte))
        && (entropy::is_hex(value) || (entropy::is_random(value) && !is_term(value) && !is_name(value)))
}

/// Whether it is a secret for one-time passwords: at least sixteen base32 characters.
pub(crate) fn is_base32(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    value.len() >= 16
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte))
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && entropy::shannon(value) >= MIN_BASE32_ENTROPY
}

/// Whether it looks like an API key without a keyword: letters of both cases and digits without separators, in the
/// length of such keys.
pub(crate) fn is_key(value: &str) -> bool {
    (28..=128).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && is_mixed(value)
}

/// Whether it mixes letters of both cases and digits randomly, with few words.
pub(crate) fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && entropy::shannon(value) >= MIN_ENTROPY
        && !entropy::is_wordy(value)
}

/// Whether it is a generated value with punctuation: `&y5h%t1f*n6=3ewwber18`.
pub(crate) fn is_symbolic(value: &str) -> bool {
    value.len() >= 24
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && value.bytes().filter(u8::is_ascii_digit).count() >= 3
        && value.bytes().filter(|byte| b"!@#$%^&*=+".contains(byte)).count() >= 3
        && entropy::shannon(value) >= 3.8
        && !entropy::is_wordy(value)
}

/// Whether it has several parts, one of which contains a long word.
pub(crate) fn is_named(value: &str) -> bool {
    value.contains(['-', '_', '.']) && entropy::has_long_word(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_distinguished_from_names_and_numbers() {
        assert!(is_key("q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C"));
        for name in [
            "q83kzPw1Lx0dVbN4mRt6",
            "TokenProviderFactoryBean2ForTestsOnly",
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV01ARZ3",
        ] {
            assert!(!is_key(name), "{name}");
        }
    }

    #[test]
    fn values_with_punctuation_are_distinguished_from_code() {
        assert!(is_symbolic("&y5h%t1f*n6=3ewwber18*w^=!hcbj40"));
        for other in ["user.name+'='+user.value+'&page=12'", "!important", "abcdefghijklmnopqrstuvwxyz"] {
            assert!(!is_symbolic(other), "{other}");
        }
    }

    #[test]
    fn secrets_of_one_time_passwords_are_base32() {
        assert!(is_base32("JBSWY3DPEHPK3PXP"));
        for other in
            ["JBSWY3DP", "TOKENPROVIDERFACTORY", "JBSWY3DPEHPK3PX1", "AAAAAAAAAAAAAAA2", "jbswy3dpehpk3pxp"]
        {
            assert!(!is_base32(other), "{other}");
        }
    }
}
