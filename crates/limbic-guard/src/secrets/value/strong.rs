//! Recognises words that are passwords in any sentence about a login: their form is that of no name and no term.

use super::passwords::{has_mark, is_term};
use super::{is_placeholder, is_reference};
use crate::secrets::entropy;

/// Lengths of a password, in characters.
const CHARS: std::ops::RangeInclusive<usize> = 8..=64;

/// Whether a word is a password by its form: digits between small letters (`Gr4nny`), punctuation with letters and
/// digits (`Azulejo!45`), words joined with a number (`heron-31-lantern`), or random characters.
pub(crate) fn is_strong(word: &str) -> bool {
    is_possible(word)
        && (is_leet(word) || is_between_words(word) || is_marked(word) || is_joined(word) || is_random(word))
}

/// Whether a word is a password after a connector that says so: also a name with a number (`Trenecito77`).
pub(crate) fn is_strong_or_named(word: &str) -> bool {
    is_strong(word) || (is_possible(word) && is_named(word))
}

fn is_possible(word: &str) -> bool {
    // Most words end here.
    let is_of_password = |byte: u8| byte.is_ascii_digit() || b"!#$%&*+?^=@~".contains(&byte);
    if word.len() < *CHARS.start() || !word.bytes().any(is_of_password) {
        return false;
    }
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    CHARS.contains(&word.chars().count())
        && letters >= 3
        && word.chars().all(|letter| letter.is_alphanumeric() || letter.is_ascii_punctuation())
        && !word.contains(['/', '\\', '(', '[', '{', '<', '>', '|', '"'])
        && !is_file(word)
        && !is_term(word)
        && !is_reference(word)
        && !is_placeholder(word)
}

/// Whether it is the name of a file or a host: `report_2024.pdf`, `db1.acme.dev`.
fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=5).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && end.bytes().any(|byte| byte.is_ascii_lowercase())
    })
}

fn is_leet(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_between = bytes
        .windows(3)
        .filter(|it| it[0].is_ascii_alphabetic() && it[1].is_ascii_digit() && it[2].is_ascii_lowercase());
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    is_between.count() > 0
        && digits <= 4
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        // `Neo4jDesktop`, `Log4jShell`: the digit stands for `for`.
        && !["4j", "2go", "4all", "2x", "3d", "64"].iter().any(|term| word.to_lowercase().contains(term))
        && word.chars().all(|letter| letter.is_alphanumeric() || has_mark_of_password(letter))
}

/// Whether digits stand between two words with capitals: `Walnut7Harvest`. Many names of programs do, too.
fn is_between_words(word: &str) -> bool {
    const PROGRAMS: [&str; 24] = [
        "http", "base", "web", "python", "angular", "vue", "route", "utf", "node", "java", "windows",
        "level", "type", "part", "step", "page", "login", "test", "log", "office", "oauth", "phase", "team",
        "react",
    ];
    let is_word = |part: &str| {
        part.len() >= 4
            && part.starts_with(|letter: char| letter.is_ascii_uppercase())
            && part[1..].bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let first = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let last = first.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let name = &word[..word.len() - first.len()];
    (1..=2).contains(&(first.len() - last.len()))
        && is_word(name)
        && is_word(last)
        && !PROGRAMS.contains(&name.to_lowercase().as_str())
}

fn has_mark_of_password(letter: char) -> bool {
    "!#$%&*+?^=@~-_.".contains(letter)
}

/// Whether punctuation stands beside letters of both cases or with digits: `Kuchenblech!3`, `Matita.Rossa5`.
fn is_marked(word: &str) -> bool {
    let marks = word.chars().filter(|letter| "!#$%&*+?^=@~".contains(*letter)).count();
    let joints = word.chars().filter(|letter| "-_.".contains(*letter)).count();
    let has = |is: fn(&char) -> bool| word.chars().any(|letter| is(&letter));
    let is_mixed = has(|letter| letter.is_uppercase()) && has(|letter| letter.is_lowercase());
    let has_digit = has(char::is_ascii_digit);
    let is_number_of_issue = word.split_once('#').is_some_and(|(name, number)| {
        name.chars().all(char::is_alphabetic)
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && number.len() > 2
    });
    !is_number_of_issue
        && ((marks >= 1 && is_mixed && has_digit)
            || (marks >= 2 && is_mixed)
            // A mark within, with capitals: `Shearwater!Nine`.
            || (marks == 1 && is_mixed && word.chars().count() >= 10 && is_inner_mark(word))
            || (joints == 1 && is_mixed && has_digit && is_word_first(word)))
}

fn is_inner_mark(word: &str) -> bool {
    word.split_once(['!', '#', '$', '%', '&', '*', '^', '~']).is_some_and(|(before, after)| {
        before.chars().count() >= 3
            && after.chars().count() >= 3
            && before.chars().all(char::is_alphabetic)
            && after.chars().all(char::is_alphabetic)
            && after.starts_with(char::is_uppercase)
    })
}

/// Whether a joint follows a capitalised word, and digits end it: `Alcachofa_29`.
fn is_word_first(word: &str) -> bool {
    let mut parts = word.split(['-', '_', '.']);
    let (Some(first), Some(last)) = (parts.next(), parts.next()) else { return false };
    let has_lower = |part: &str| part.chars().any(char::is_lowercase);
    let digits = last.bytes().rev().take_while(u8::is_ascii_digit).count();
    first.chars().count() >= 4
        && first.starts_with(char::is_uppercase)
        && first.chars().all(char::is_alphabetic)
        && has_lower(first)
        && (1..=4).contains(&digits)
        && (digits == last.len() && digits >= 2 || last.starts_with(char::is_uppercase) && has_lower(last))
}

/// Whether it consists of words and a number, joined by hyphens or underscores, the number within or at the end:
/// `heron-31-lantern`, `higos_con_queso_31`. Names of resources have short or technical words.
fn is_joined(word: &str) -> bool {
    const TECHNICAL: [&str; 30] = [
        "test", "prod", "node", "server", "release", "version", "build", "user", "admin", "backup", "main",
        "branch", "table", "part", "page", "step", "phase", "team", "room", "windows", "linux", "ubuntu",
        "debian", "android", "python", "client", "config", "model", "stick", "large",
    ];
    let parts: Vec<&str> = word.split(['-', '_', '.']).collect();
    let is_number =
        |part: &&&str| (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |part: &&&str| part.chars().count() >= 2 && part.chars().all(char::is_alphabetic);
    let numbers = parts.iter().filter(is_number).count();
    let words = parts.iter().filter(is_word).count();
    let long = parts.iter().filter(|part| is_word(part) && part.chars().count() >= 4).count();
    parts.len() >= 3
        && numbers == 1
        && words + numbers == parts.len()
        && long >= 2
        && word.chars().count() >= 12
        && !parts.iter().any(|part| TECHNICAL.contains(&part.to_lowercase().as_str()))
}

/// Whether a capitalised word is joined with one in lower case and a number: `Tsukimi_dango77`. Names of files and
/// tables have this form, too.
pub(crate) fn is_word_with_number(word: &str) -> bool {
    let Some((first, last)) = word.split_once(['-', '_', '.']) else { return false };
    let name = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    is_possible(word)
        && (2..=4).contains(&(last.len() - name.len()))
        && [first, name].iter().all(|part| part.len() >= 4 && part.chars().all(char::is_alphabetic))
        && first.starts_with(char::is_uppercase)
        && name.chars().all(char::is_lowercase)
}

/// Whether it consists of at least three hyphenated words in lower case, in one of which a digit stands for a letter:
/// `grib0k-pod-elkoy`. The last part may be a number.
pub(crate) fn is_leet_phrase(word: &str) -> bool {
    let is_leet = |part: &str| {
        part.bytes().filter(u8::is_ascii_digit).count() == 1
            && part.as_bytes().windows(3).any(|it| {
                it[0].is_ascii_lowercase() && b"013457".contains(&it[1]) && it[2].is_ascii_lowercase()
            })
    };
    let is_number =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts: Vec<&str> = word.split(['-', '_']).collect();
    let count = parts.len();
    parts.pop_if(|last| is_number(last));
    count >= 3
        && word.len() >= 12
        && is_possible(word)
        && parts.iter().filter(|part| is_leet(part)).count() == 1
        && parts.iter().all(|part| is_leet(part) || part.chars().all(char::is_lowercase))
}

fn is_random(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && word.len() >= 10
        && (word.len() >= 14 || word.bytes().filter(u8::is_ascii_digit).count() >= 2)
        && is_plain
        && entropy::shannon(word) >= 3.0
        && !entropy::is_wordy(word)
        && changes(word) >= 4
}

/// Returns how often the class of characters changes: small letters, capitals, digits.
fn changes(word: &str) -> usize {
    let class = |byte: u8| u8::from(byte.is_ascii_uppercase()) + 2 * u8::from(byte.is_ascii_digit());
    word.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

/// Whether it is a word of at least five letters with two to four digits at its end.
fn is_named(word: &str) -> bool {
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = word.len() - name.len();
    (2..=4).contains(&digits)
        && name.chars().count() >= 5
        && name.chars().all(char::is_alphabetic)
        && !name.chars().all(char::is_uppercase)
        && !has_mark(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_distinguished_from_names_and_terms() {
        for word in [
            "Gr4nnysBiscuits",
            "Azulejo!45",
            "Kuchenblech!3",
            "Matita.Rossa5",
            "Alcachofa_29",
            "Shearwater!Nine",
            "heron-31-lantern",
            "Walnut7Harvest",
            "higos_con_queso_31",
            "teC#!^#Jr==SCI",
            "1htMJrA0vixC",
        ] {
            assert!(is_strong(word), "{word}");
        }
        for word in [
            "Chrome126",
            "Keycloak26",
            "LibreOffice",
            "report_2024.pdf",
            "oauth2-proxy",
            "Neo4jDesktop",
            "my-password-123",
            "release-2024-main",
            "Issue#1234",
            "TLS_1.3",
            "7-Zip",
            "notepad++",
            "$PASSWORD_1",
            "SHA-256",
            "Base64Encoder",
            "Route53Domains",
            "Angular2Material",
        ] {
            assert!(!is_strong(word), "{word}");
        }
        assert!(is_word_with_number("Tsukimi_dango77") && !is_word_with_number("Web-Cache2"));
        assert!(is_leet_phrase("grib0k-pod-elkoy") && is_leet_phrase("s0snovyi-bor-77"));
        assert!(!is_leet_phrase("web-k8s-cluster"));
        assert!(is_strong_or_named("Trenecito77") && is_strong_or_named("marshmallow62"));
        assert!(
            !is_strong_or_named("secret") && !is_strong_or_named("v12") && !is_strong_or_named("TLS12345")
        );
    }
}
