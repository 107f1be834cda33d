//! What may be a password behind a label in any language.

use crate::normalize::folded;
use crate::secrets::value;

/// Lengths of a password, in characters.
const CHARS: std::ops::RangeInclusive<usize> = 6..=64;
/// Minimum number of letters of words joined with a number.
const MIN_JOINED_LETTERS: usize = 6;
/// Words of names and references among joined words, in lower case.
const OF_NAMES: [&str; 40] = [
    "test", "prod", "stage", "dev", "node", "server", "release", "version", "build", "user", "admin",
    "backup", "main", "branch", "table", "part", "page", "step", "phase", "team", "room", "client", "config",
    "model", "service", "cluster", "token", "proxy", "secret", "password", "vault", "file", "item", "note",
    "ticket", "section", "line", "form", "input", "field",
];
/// Whether it is a password behind a sign of assignment.
pub(super) fn is_assigned(value: &str) -> bool {
    // In quotation marks.
    if value.contains(' ') {
        return value::is_chosen_phrase(value);
    }
    is_possible(value)
        && !is_number_of_name(value)
        && !is_variable(value)
        && !is_class(value)
        && (if is_east_asian(value) {
            is_of_signs(value)
        } else {
            value::is_chosen(value, false) || is_joined(value)
        })
}

/// Whether it is a password of words and a number behind a sign of assignment.
pub(super) fn is_assigned_phrase(value: &str) -> bool {
    is_possible(value) && is_joined(value)
}

/// Whether it is a password behind a copula, or where it stands directly behind its label.
pub(super) fn is_stated(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let has_capital = value.chars().any(char::is_uppercase);
    is_assigned(value)
        && letters >= 3
        && (is_joined(value)
            || (digits >= 1 && value::has_mark(value.trim_end_matches(['?', '='])))
            || (digits >= 1 && value.contains(['_', '-', '.']) && has_capital)
            || (digits == 1 && letters >= 9 && has_capital)
            || (digits >= 2 && letters >= 4 && (has_capital || !value.is_ascii())))
}

/// Whether it is one that is recognised in the midst of a sentence, by its punctuation.
pub(super) fn is_marked(value: &str) -> bool {
    is_stated(value) && (value::has_mark(value) || value.contains(['_', '-', '.']))
}

/// Whether it is one wherever it stands directly behind its label.
pub(super) fn is_unmistakable(value: &str) -> bool {
    is_marked(value) && (value::has_mark(value) || value.chars().any(char::is_uppercase))
}

/// Whether a name consists of capitals and a number: `RFC7519`, `ISO-27001`, `ERR_4412`.
fn is_number_of_name(value: &str) -> bool {
    let name =
        value.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '.' | '_'));
    name.len() < value.len() && name.chars().count() <= 5 && name.chars().all(char::is_uppercase)
}

/// Whether it is the name of a variable, of several words in capitals: `KAFKA_SASL2`.
fn is_variable(value: &str) -> bool {
    let is_word = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_uppercase())
            && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    value.contains('_') && value.split('_').all(is_word)
}

/// Whether it is the name of a class or a field of a form: `TextField2`.
fn is_class(value: &str) -> bool {
    const ENDS: [&str; 16] = [
        "Field",
        "Input",
        "Box",
        "Form",
        "Control",
        "View",
        "Widget",
        "Manager",
        "Provider",
        "Service",
        "Handler",
        "Controller",
        "Label",
        "Button",
        "Dialog",
        "Page",
    ];
    let name = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.chars().all(char::is_alphabetic) && ENDS.iter().any(|end| name.ends_with(end))
}

fn is_possible(value: &str) -> bool {
    let words = value.trim_end_matches(['!', '?', '.']);
    CHARS.contains(&value.chars().count())
        && !words.chars().all(char::is_alphabetic)
        && !value.contains(['/', '\\', '<', '>', '(', '{', '[', '|', '"', '`', '•', '…'])
        && !value.ends_with(['?', '='])
        // `letters+digits`
        && !value.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '+' | '=' | '-' | '&'))
        && !value.starts_with(['@', '#', '-', '+', '&', '?', '!'])
        && !value::is_reference(value)
        && !value::is_placeholder(value)
        && !value::is_common_example(value)
        && !value::is_address_or_public_key(value)
        && !is_file_or_host(value)
        && !value.contains(char::is_whitespace)
        && !value::is_product(value)
}

/// Whether it is the name of a file, a host or a field: `parola.txt`, `db1.acme.dev`.
fn is_file_or_host(value: &str) -> bool {
    value.rsplit_once('.').is_some_and(|(name, end)| {
        (2..=5).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_lowercase())
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'))
    })
}

/// Whether it consists of words and a number, joined by hyphens, underscores or points: `hana-bira-42`,
/// `lutefisk-1977`.
fn is_joined(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
    let is_word = |part: &&&str| part.chars().count() >= 2 && part.chars().all(char::is_alphabetic);
    let is_number =
        |part: &&&str| (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let words = parts.iter().filter(is_word).count();
    let letters: usize = parts.iter().filter(is_word).map(|part| part.chars().count()).sum();
    parts.iter().filter(is_number).count() == 1
        && words + 1 == parts.len()
        && (1..=5).contains(&words)
        && letters >= MIN_JOINED_LETTERS
        && parts.iter().filter(is_word).any(|part| part.chars().count() >= 4)
        && !parts.iter().any(|part| OF_NAMES.contains(&folded(part).as_str()))
}

/// Whether it has signs of Chinese, Japanese or Korean.
fn is_east_asian(value: &str) -> bool {
    value.contains(|letter| matches!(letter, 'ᄀ'..='ᇿ' | '\u{3040}'..='\u{9FFF}' | '가'..='힣'))
}

/// Whether it is a password of such signs: it ends with a number. Sentences have no spaces, either, but go on after
/// one.
fn is_of_signs(value: &str) -> bool {
    let name = value.trim_end_matches(|letter: char| letter.is_ascii_digit() || "!#$%&*".contains(letter));
    let end = &value[name.len()..];
    let digits = end.bytes().filter(u8::is_ascii_digit).count();
    let is_year = digits == 4 && (end.starts_with("19") || end.starts_with("20")) && end.len() == 4;
    (2..=6).contains(&digits)
        && !name.contains(|letter: char| letter.is_ascii_digit())
        && name.chars().filter(|letter| letter.is_alphabetic()).count() >= 3
        && !name.ends_with(['第', '约', '約', '至', '少', '小', '大', '长', '長', '最', '前', '後', '后'])
        && (!is_year || name.ends_with(['_', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_values_are_distinguished_from_words_and_references() {
        for value in [
            "Rendang!99",
            "Phobo_7788",
            "PIEROGI_2021",
            "hana-bira-42",
            "さくらもち88",
            "사과나무77",
            "春天花开_88",
            "ромашка77",
        ] {
            assert!(is_assigned(value), "{value}");
        }
        for value in [
            "1Password'de",
            "KeePass2",
            "英数字8文字以上",
            "更新日2024",
            "SHA-256",
            "app-tls-2024",
            "vergessen!",
            "test-server-12",
            "TextField2",
            "Ord+tall",
            "ERR_4412",
            "KAFKA_SASL2",
            "min12chars",
            "db1.acme.dev",
            "ב-1Password",
        ] {
            assert!(!is_assigned(value), "{value}");
        }
    }

    #[test]
    fn stated_values_are_distinguished_from_names() {
        for value in
            ["Brunost_2020", "Smørrebrød12", "Blåbär-2211", "Kestane77Kar", "lutefisk-1977", "Skyr!2201"]
        {
            assert!(is_stated(value), "{value}");
        }
        for value in
            ["RFC7519", "ISO-27001", "Argon2id", "Server2019", "utf8mb4", "oauth2-proxy", "obligatorie!"]
        {
            assert!(!is_stated(value), "{value}");
        }
        assert!(is_marked("Manti_4417") && !is_marked("Kestane77Kar"));
    }
}
