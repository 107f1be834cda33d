//! Finds codes that restore an account, and secrets of one-time passwords, by the words that announce them.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Names of recovery codes and keys, in lower case.
static NAMES: Literals = Literals::new(&[
    "security key",
    "sicherheitsschlüssel",
    "stelliger schlüssel",
    "64-digit",
    "clé de sécurité",
    "clave de seguridad",
    "2fa backup",
    "emergency recovery",
    "ersatzcode",
    "sicherungscode",
    "reservecode",
    "einmalige codes",
    "código de respaldo",
    "códigos de emergencia",
    "código de emergencia",
    "códigos de un solo uso",
    "códigos de reserva",
    "código de reserva",
    "códigos de emergência",
    "código de emergência",
    "códigos de segurança de backup",
    "codice di emergenza",
    "codici di emergenza",
    "codice di backup",
    "codici di riserva",
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
]);
/// Names of one-time passwords, in lower case.
static OTP: Literals = Literals::new(&[
    "totp",
    "otp",
    "2fa",
    "mfa",
    "authenticator",
    "two-factor",
    "two-step",
    "authentifi",
    "autenticador",
    "autenticac",
    "autenticaz",
    "zwei-faktor",
    "deux facteurs",
    "dos factores",
    "dos pasos",
    "due fattori",
    "dois fatores",
]);
/// Length of the text after a name that is examined, in bytes.
const REACH_BYTES: usize = 300;
/// Maximum number of words between a name and the first code.
const MAX_WORDS: usize = 8;
/// Minimum number of groups of a single recovery key.
const MIN_KEY_GROUPS: usize = 4;
/// Minimum number of groups of a key after its name.
const MIN_NAMED_GROUPS: usize = 3;

/// Returns the kind if codes follow one of the names.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let lower = text.lower.as_str();
    if NAMES.matches(lower).any(|(index, name)| are_codes(start_of(&lower[index + name.len()..]))) {
        return Some(SecretKind::new("recovery codes"));
    }
    if text.lines().any(|(line, lower)| are_pairs(line, lower)) {
        return Some(SecretKind::new("recovery codes"));
    }
    text.lines()
        .any(|(line, lower)| is_line_of_otp(line, lower))
        .then_some(SecretKind::new("one-time password secret"))
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(REACH_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Whether two codes, a key of several groups, or one code that is stated follow.
fn are_codes(rest: &str) -> bool {
    let separates = |letter: char| letter.is_whitespace() || ",;|/()[]\"'`:=：、，。".contains(letter);
    let mut words =
        rest.split(separates).filter(|word| !word.is_empty()).map(|word| word.trim_matches('.')).peekable();
    let (mut groups, mut with_digit) = (0, 0);
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let mut codes = 0;
    let mut others = 0;
    while let Some(word) = words.next() {
        let is_group = (4..=6).contains(&word.len()) && is_alphanumeric(word);
        groups = if is_group { groups + 1 } else { 0 };
        with_digit = if is_group { with_digit + usize::from(has_digit(word)) } else { 0 };
        // Keys of messengers have many short groups.
        if is_key(word) || (groups >= 6 && with_digit >= 3) {
            return true;
        }
        // Google's codes have two groups of four digits.
        let is_pair = is_half(word) && words.peek().is_some_and(|next| is_half(next)) && {
            let next = words.next().unwrap_or_default();
            !(is_year(word) && is_year(next))
        };
        if is_pair || is_code(word) {
            codes += 1;
            if codes == 1 && (is_pair || is_single(word)) && is_stated(rest, word) {
                return true;
            }
        } else {
            others += 1;
        }
        if codes >= 2 {
            return true;
        }
        if others > MAX_WORDS && groups == 0 {
            return false;
        }
    }
    false
}

fn is_half(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_year(word: &str) -> bool {
    word.starts_with("19") || word.starts_with("20")
}

/// Whether it is a code also where it is the only one: no date, measure or name.
fn is_single(word: &str) -> bool {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.len() != 8 || !is_year(word);
    }
    // A name has its digits at the end: `release2024`.
    let ends_in_digits = || {
        word.trim_end_matches(|letter: char| letter.is_ascii_digit())
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic())
    };
    value::is_chosen(word, true) && !(entropy::is_wordy(word) && ends_in_digits())
}

/// Whether a colon or a copula precedes the first occurrence of the code: `my 2FA backup code is aa843-b7518`.
fn is_stated(rest: &str, code: &str) -> bool {
    const COPULAS: [&str; 13] =
        ["is", "are", "ist", "lautet", "es", "est", "è", "é", "sind", "sono", "son", "são", "luidt"];
    let before =
        rest.split_once(code).map_or("", |(before, _)| before).trim_end_matches([' ', '"', '\'', '`', '\n']);
    let before = before.strip_suffix("1.").map_or(before, str::trim_end);
    let last = before.rsplit(' ').next().unwrap_or_default();
    !before.contains(['.', ';', '?', '!']) && (before.ends_with([':', '=', '：']) || COPULAS.contains(&last))
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

/// Whether it is a key of at least three groups, with digits in two of them.
fn is_key(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    groups.len() >= MIN_NAMED_GROUPS
        && groups.iter().all(|group| (4..=6).contains(&group.len()) && is_alphanumeric(group))
        && groups.iter().filter(|group| group.bytes().any(|byte| byte.is_ascii_digit())).count() >= 2
}

/// Whether a line about recovery has at least two codes of the same form: pairs of groups, or at least ten characters.
fn are_pairs(line: &str, lower: &str) -> bool {
    static ABOUT: Literals = Literals::new(&[
        "recovery",
        "backup",
        "2fa",
        "mfa",
        "rescue",
        "wiederherstell",
        "notfall",
        "recuper",
        "récup",
        "secours",
        "emergenc",
        "respaldo",
        "reserv",
        "riserva",
    ]);
    const LEAST: usize = 2;
    let is_pair = |word: &str| {
        word.split_once('-').is_some_and(|(one, other)| {
            one.len() == other.len()
                && (4..=8).contains(&one.len())
                && is_alphanumeric(one)
                && is_alphanumeric(other)
        })
    };
    let is_long = |word: &str| (10..=64).contains(&word.len()) && is_alphanumeric(word);
    let is_random = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
        digits >= 2 && letters >= 2 && !entropy::is_wordy(word) && !value::is_placeholder(word)
    };
    let has_digit = |word: &&str| word.len() >= 9 && word.bytes().any(|byte| byte.is_ascii_digit());
    // Most lines end here.
    if line.split(' ').filter(has_digit).take(LEAST).count() < LEAST {
        return false;
    }
    let words: Vec<&str> = line
        .split(|letter: char| letter.is_whitespace() || ",;|/".contains(letter))
        .map(|word| word.trim_matches(['"', '\'', '`', '.', ':', '(', ')']))
        .filter(|word| !word.is_empty())
        .collect();
    let is_code = |word: &&str| (is_pair(word) || is_long(word)) && is_random(word);
    words
        .chunk_by(|a, b| a.len() == b.len() && is_code(a) && is_code(b))
        .any(|run| run.len() >= LEAST && is_code(&run[0]))
        && ABOUT.are_in(lower)
        && !["commit", "hash", "sha", "digest"].iter().any(|part| lower.contains(part))
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a line about one-time passwords contains a secret in base32, in one piece or in groups of four.
fn is_line_of_otp(line: &str, lower: &str) -> bool {
    if !OTP.are_in(lower) {
        return false;
    }
    let words: Vec<&str> =
        line.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| value::is_base32(word))
        || words.chunk_by(|a, b| is_group(a) && is_group(b)).any(|run| {
            run.len() >= MIN_KEY_GROUPS
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
            "my 2FA backup code is aa843-b7518",
            "Google backup codes: 6116 6618, 6282 1713",
            "GitHub 2FA recovery: b8eb0-f9bb7 b3e47-ef063 99330-5415d",
            "GitLab recovery codes: 044af8603f5c1dc8 60e7527da285bdc4",
            "Wiederherstellungscode für Proton ist fg892k0l",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_codes_are_not_secrets() {
        for text in [
            "backup codes: ten, each valid once",
            "recovery codes are printed and kept in the safe",
            "the backup key was rotated on 2026-03-04 by Ada",
            "the recovery key is 2048bits long",
            "backup code: see release2024",
            "the backup code is in src/recovery2024.rs",
            "TOTP codes have 6 digits and change after 30 seconds",
            "2FA recovery takes 2-3 days, see page-12a4 and page-13b5",
            "backup commits 044af8603f5c1dc8 60e7527da285bdc4",
            "we use 2FA with code that they type when they sign in",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
