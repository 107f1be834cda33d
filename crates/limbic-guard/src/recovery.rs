//! Finds codes that restore an account, and secrets of one-time passwords, by the words that announce them.

use super::{rules::SecretKind, value};

/// Names of recovery codes and keys, in lower case.
const NAMES: [&str; 40] = [
    "recovery code",
    "recovery key",
    "backup code",
    "backup key",
    "emergency code",
    "rescue code",
    "scratch code",
    "restore code",
    "wiederherstellungscode",
    "wiederherstellungsschlüssel",
    "backup-code",
    "notfallcode",
    "código de recuperación",
    "códigos de recuperación",
    "códigos de respaldo",
    "clave de recuperación",
    "code de secours",
    "codes de secours",
    "codes de récupération",
    "code de récupération",
    "clé de récupération",
    "codici di backup",
    "codici di recupero",
    "codice di recupero",
    "códigos de recuperação",
    "códigos de backup",
    "código de recuperação",
    "chave de recuperação",
    "herstelcode",
    "herstelsleutel",
    "back-upcode",
    "kody zapasowe",
    "kody odzyskiwania",
    "резервные коды",
    "коды восстановления",
    "ключ восстановления",
    "バックアップコード",
    "リカバリーコード",
    "恢复代码",
    "복구 코드",
];
/// Names of one-time passwords, in lower case.
const OTP: [&str; 6] = ["totp", "otp", "2fa", "mfa", "authenticator", "two-factor"];
/// Length of the text after a name that is examined, in bytes.
const REACH_BYTES: usize = 300;
/// Maximum number of words between a name and the first code.
const MAX_WORDS: usize = 8;
/// Minimum number of groups of a single recovery key.
const KEY_GROUPS: usize = 4;

/// Returns the kind if codes follow one of the names.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    let lower = text.to_lowercase();
    let follow = |name: &&str| {
        lower.match_indices(*name).any(|(index, _)| are_codes(start_of(&lower[index + name.len()..])))
    };
    if NAMES.iter().any(follow) {
        return Some(SecretKind::new("recovery codes"));
    }
    text.lines().any(is_line_of_otp).then_some(SecretKind::new("one-time password secret"))
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(REACH_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Whether two codes or a key of several groups follow.
fn are_codes(rest: &str) -> bool {
    let separates = |letter: char| letter.is_whitespace() || ",;|/()[]\"'`:=：、，。".contains(letter);
    let words = rest.split(separates).filter(|word| !word.is_empty()).map(|word| word.trim_matches('.'));
    let mut codes = 0;
    let mut others = 0;
    for word in words {
        if is_key(word) {
            return true;
        }
        if is_code(word) {
            codes += 1;
        } else {
            others += 1;
        }
        if codes >= 2 {
            return true;
        }
        if others > MAX_WORDS {
            return false;
        }
    }
    false
}

/// Whether it is a code: two groups with a digit, or six to twelve digits or letters with digits.
fn is_code(word: &str) -> bool {
    let is_group = |group: &str| (3..=6).contains(&group.len()) && is_alphanumeric(group);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let groups: Vec<&str> = word.split('-').collect();
    let is_pair = groups.len() == 2 && groups.iter().all(|group| is_group(group)) && digits >= 2;
    let is_single = (6..=12).contains(&word.len()) && is_alphanumeric(word) && digits >= 2;
    is_pair || (is_single && !value::is_placeholder(word))
}

/// Whether it is a key of at least four groups, with digits in two of them.
fn is_key(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    groups.len() >= KEY_GROUPS
        && groups.iter().all(|group| (4..=6).contains(&group.len()) && is_alphanumeric(group))
        && groups.iter().filter(|group| group.bytes().any(|byte| byte.is_ascii_digit())).count() >= 2
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a line about one-time passwords contains a secret in base32, in one piece or in groups of four.
fn is_line_of_otp(line: &str) -> bool {
    let lower = line.to_lowercase();
    if !OTP.iter().any(|name| lower.contains(name)) {
        return false;
    }
    let words: Vec<&str> =
        line.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| value::is_base32(word))
        || words.chunk_by(|a, b| is_group(a) && is_group(b)).any(|run| {
            run.len() >= KEY_GROUPS
                && is_group(run[0])
                && run.iter().any(|group| group.bytes().any(|byte| byte.is_ascii_digit()))
        })
}

/// Whether it is a group of four characters of base32, in one case.
fn is_group(word: &str) -> bool {
    let is_of = |letters: std::ops::RangeInclusive<u8>| {
        word.bytes().all(|byte| letters.contains(&byte) || (b'2'..=b'7').contains(&byte))
    };
    word.len() == 4 && (is_of(b'A'..=b'Z') || is_of(b'a'..=b'z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_after_their_name_are_found() {
        for text in [
            "Wiederherstellungscodes: 7d1f3-08a3f 9f980-bc9f5",
            "códigos de recuperación: 83920112 48201934",
            "backup code: 7729-1042 and 5518-9930",
            "BitLocker recovery key: 482910-583920-192834-583920-482910-583920-192834-583920",
            "TOTP secret for the forge 3NV5KPYJ6ODYWXLD",
            "type MZXW 6YTB OI4D KNZX as the 2FA secret",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_codes_are_not_secrets() {
        for text in [
            "backup codes: ten, each valid once",
            "recovery codes are printed and kept in the safe",
            "the backup key was rotated on 2026-03-04 by Ada",
            "TOTP codes have 6 digits and change after 30 seconds",
            "we use 2FA with code that they type when they sign in",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
