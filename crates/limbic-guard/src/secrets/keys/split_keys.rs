//! Keys of known formats that are broken by spaces, line ends, quotes or words: `NRAK - LVGR… NPAN…`,
//! `"ghp_" + "q83k…"`, `first half: sk-ant-… second half: …`.

use std::sync::LazyLock;

use crate::secrets::entropy;
use crate::secrets::keys::patterns;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::rules::{Begins, RULES};
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Minimum length of a prefix that is joined, in bytes.
const MIN_PREFIX: usize = 3;
/// Maximum number of characters in one gap.
const MAX_GAP_BYTES: usize = 24;
/// Maximum length of a joined key, and maximum number of its parts.
const MAX_KEY_BYTES: usize = 300;
const MAX_PARTS: usize = 16;
/// Words between the parts of a key, in lower case.
const LINKS: [&str; 48] = [
    "and",
    "then",
    "plus",
    "second",
    "part",
    "half",
    "two",
    "rest",
    "the",
    "other",
    "is",
    "first",
    "next",
    "followed",
    "by",
    "concat",
    "join",
    "und",
    "dann",
    "zweiter",
    "zweite",
    "teil",
    "hälfte",
    "rest",
    "y",
    "luego",
    "segunda",
    "segunda",
    "parte",
    "mitad",
    "et",
    "puis",
    "deuxième",
    "partie",
    "moitié",
    "e",
    "poi",
    "seconda",
    "metà",
    "depois",
    "metade",
    "const",
    "let",
    "var",
    "a",
    "b",
    "str",
    "third",
];

/// Prefixes of keys that consist of a sign and letters or digits, by their first byte.
static PREFIXES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let mut by_byte = vec![Vec::new(); 256];
    for rule in RULES.iter().filter(|rule| matches!(rule.begins, Begins::With)) {
        for literal in rule.literals {
            let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            let has_sign = literal.bytes().any(|byte| b"_-.".contains(&byte));
            let is_known = has_sign || ["AKIA", "AIza", "hf_", "GOCSPX", "dapi"].contains(literal);
            if literal.len() >= MIN_PREFIX && literal.bytes().all(is_of_key) && is_known {
                let literals: &mut Vec<&str> = &mut by_byte[usize::from(literal.as_bytes()[0])];
                if !literals.contains(literal) {
                    literals.push(*literal);
                }
            }
        }
    }
    by_byte
});

/// Returns the kind of the first broken key.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let written = text.written;
    let bytes = written.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let prefixes = &PREFIXES[usize::from(*byte)];
        if prefixes.is_empty() || (index > 0 && is_of_word(bytes[index - 1])) {
            continue;
        }
        for prefix in prefixes {
            let Some(end) = end_of_prefix(written, index, prefix) else { continue };
            if let Some(key) = joined(prefix, &written[end..], end - index > prefix.len())
                && let Some(kind) = patterns::find(&key)
            {
                return Some(kind);
            }
        }
    }
    text.lines().any(|(line, lower)| holds_groups(line, lower)).then_some(SecretKind::new("key in groups"))
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length of a gap within a key at the start of a text: blanks, quotes and operators.
fn gap(text: &str) -> usize {
    let is_of_gap = |letter: char| letter.is_whitespace() || "\"'`+&\\[](){}<>,;:|*…".contains(letter);
    let mut length = 0;
    for letter in text.chars() {
        let is_operator = letter == '.' && text[..length].contains(['"', '\'']);
        if !(is_of_gap(letter) || is_operator) {
            break;
        }
        length += letter.len_utf8();
        if length > MAX_GAP_BYTES {
            break;
        }
    }
    for word in ["underscore", "dash", "hyphen", "dot"] {
        if text[length..].starts_with(word) {
            return 0;
        }
    }
    length
}

/// Returns the end of a prefix that starts here, with gaps before and after its signs only.
fn end_of_prefix(text: &str, start: usize, prefix: &str) -> Option<usize> {
    let mut index = start;
    let mut before = b'a';
    for byte in prefix.bytes() {
        let may_break = b"_-.".contains(&byte) || b"_-.".contains(&before);
        if may_break && index > start {
            index += gap(&text[index..]);
        }
        let rest = &text[index..];
        let (word, sign) = [("underscore", b'_'), ("dash", b'-'), ("hyphen", b'-'), ("dot", b'.')]
            .into_iter()
            .find(|(word, sign)| *sign == byte && rest.trim_start_matches([' ', '(', '[']).starts_with(word))
            .map_or(("", byte), |found| found);
        if word.is_empty() {
            if rest.as_bytes().first() != Some(&sign) {
                return None;
            }
            index += 1;
        } else {
            let inner = rest.trim_start_matches([' ', '(', '[']);
            index += rest.len() - inner.len() + word.len();
            index += text[index..].len() - text[index..].trim_start_matches([' ', ')', ']']).len();
        }
        before = byte;
    }
    Some(index)
}

/// Joins a prefix and the parts that follow it. `None` if nothing was broken.
fn joined(prefix: &str, after: &str, is_prefix_broken: bool) -> Option<String> {
    let mut key = String::from(prefix);
    let mut index = 0;
    let mut links = 0;
    let mut parts = usize::from(is_prefix_broken);
    for _ in 0..MAX_PARTS {
        let length = gap(&after[index..]);
        parts += usize::from(index == 0 && length > 0);
        index += length;
        let rest = &after[index..];
        let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || "_-.=/~%".contains(letter);
        // A longer part is no part of a key, and is not read to its end.
        let ends = |(at, letter): &(usize, char)| {
            *at > MAX_KEY_BYTES || !(is_of_key(*letter) || letter.is_alphabetic())
        };
        let length = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
        let part = &rest[..length];
        let body = part.trim_end_matches(['.', ',']);
        if part.is_empty() || key.len() + body.len() > MAX_KEY_BYTES || !body.is_ascii() && !is_link(body) {
            break;
        }
        if key.len() > prefix.len() && part.bytes().all(|byte| b"-_.".contains(&byte)) {
            key.push_str(part);
        } else if is_link(body) {
            links += 1;
            if links > 6 {
                break;
            }
        } else if is_word(body) {
            break;
        } else {
            links = 0;
            parts += 1;
            key.push_str(body);
        }
        index += length;
    }
    let random = &key[prefix.len()..];
    let has = |is: fn(&u8) -> bool| random.bytes().any(|byte| is(&byte));
    let is_random = random.len() >= 16
        && (has(u8::is_ascii_digit) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)))
        && !value::is_filler(&key);
    (parts >= 2 && is_random).then_some(key)
}

fn is_link(word: &str) -> bool {
    LINKS.contains(&word.to_lowercase().as_str())
}

/// Whether it is a word of a sentence, a number or a name: no part of a key.
fn is_word(part: &str) -> bool {
    let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_plain = part.bytes().all(|byte| byte.is_ascii_lowercase())
        || part.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    is_plain || letters == 0 && part.len() < 4 || part.len() < 3 || part.contains("://")
}

/// Whether a line names a secret and has a run of at least three random groups of the same length after it:
/// `AWS secret with blanks: q83kzPw1Lx 0dVbN4mRt6 Yh2Uj5Ge7C`.
fn holds_groups(line: &str, lower: &str) -> bool {
    static NAMES: Literals = Literals::new(&[
        "secret",
        "token",
        "key",
        "password",
        "api",
        "passwor",
        "schlüssel",
        "clave",
        "chave",
        "chiave",
        "clé",
        "jeton",
        "contraseña",
        "senha",
        "geheim",
        "segreto",
    ]);
    if !NAMES.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    let is_group = |word: &&str| {
        (5..=16).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
    };
    words.chunk_by(|a, b| is_group(a) && is_group(b) && a.len() == b.len()).any(|run| {
        let joined = || run.concat();
        run.len() >= 3
            && run.iter().all(|it| is_group(it) && !entropy::is_wordy(it))
            && run.len() * run[0].len() >= 20
            && value::is_mixed(&joined())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_keys_are_found() {
        for text in [
            "user key (take the spaces out): NR·AK - LVGRXGFYY NPAN5V19F OMMWM4DZD",
            "[\"gh·p_\", \"q83kzPw1Lx0dVbN4mR\", \"t6Yh2Uj5Ge7Cs9Fa3W\"].join(\"\")",
            "token:\ngh·p_q83kzPw1Lx0dVbN4mR\nt6Yh2Uj5Ge7Cs9Fa3W",
            "const t = \"glp·at-\" + \"q83kzPw1Lx\" + \"0dVbN4mRt6\";",
            "Erster Teil gh·p_q83kzPw1Lx0dVbN4mR, zweiter Teil t6Yh2Uj5Ge7Cs9Fa3W, zusammenkleben",
            "gh·p(underscore)q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W",
            "s·k _ live _ q83kzPw1Lx0d VbN4mRt6Yh2U",
            "AWS secret with blanks so it passes: q83kzPw1Lx 0dVbN4mRt6 Yh2Uj5Ge7C s9Fa3Wi1Ko",
        ] {
            let text = text.replace('·', "");
            assert!(find(&Text::new(&text)).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_prefixes_are_not() {
        for text in [
            "ghp_ is the prefix of classic GitHub tokens, github_pat_ of fine-grained ones",
            "GitLab tokens start with glpat- and have 20 characters after it",
            "NRAK - what New Relic calls a user key, 27 characters",
            "the AKIA prefix and 16 capitals form an access key id",
            "fingerprint of the key: 4F19 BBBA D552 5059 D9D0 090F 18E7 40CB D1A5 4E0D",
            "xoxb- tokens belong to bots\nand xoxp- tokens to users",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
