//! Source code without secrets.

use std::ops::Range;

use crate::secrets::{SecretKind, find_secret};

/// The last line of a PEM-encoded key.
const END_OF_KEY: &str = "-----END ";

/// Maximum number of multi-line secrets in a file; above it, the whole text is replaced.
const MAX_LONG_SECRETS: usize = 50;

/// Replaces lines that contain a secret by a note of its kind; the whole text if the secret spans lines.
#[must_use]
pub fn redact_secrets(text: String) -> String {
    let Some(kind) = find_secret(&text) else { return text };
    let lines: Vec<String> = text
        .lines()
        .map(|line| match find_secret(line) {
            Some(kind) => note(kind),
            None => line.to_owned(),
        })
        .collect();
    let text = lines.join("\n");
    if find_secret(&text).is_some() { note(kind) } else { text }
}

/// Replaces the lines of a file that contain secrets by notes of their kind, so that the others keep their numbers.
/// Returns how many lines are replaced.
#[must_use]
pub fn redact_secret_lines(text: &str) -> (String, usize) {
    if find_secret(text).is_none() {
        return (text.to_owned(), 0);
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let original = lines.clone();
    for line in &mut lines {
        if let Some(kind) = find_secret(line) {
            *line = note(kind);
        }
    }
    let mut first = 0;
    for _ in 0..MAX_LONG_SECRETS {
        let Some((range, kind)) = long_secret(&lines, first) else { break };
        first = range.end;
        lines[range].fill(note(kind));
    }
    if let Some(kind) = find_secret(&lines.join("\n")) {
        lines.fill(note(kind));
    }
    let count = lines.iter().zip(&original).filter(|(shown, line)| shown != line).count();
    (lines.join("\n"), count)
}

/// Words of which one stands in most lines of source code with a short secret, in lower case.
const WORDS: [&[u8]; 21] = [
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"credential",
    b"auth",
    b"login",
    b"cookie",
    b"bearer",
    b"private",
    b"mnemonic",
    b"seed",
    b"phrase",
    b"otp",
    b" pin",
    b"_pin",
    b"kennwort",
    b"contrase",
    b"clave",
    b"senha",
    b"wachtwoord",
];

/// Length from which a run of letters, digits and their joiners may be a key, in bytes.
const KEY_BYTES: usize = 16;

/// Returns a file of source code without the lines that contain secrets, as [`redact_secret_lines`]; `None` if it has
/// none.
///
/// For files that are indexed by the thousand: only lines that may contain a key or a password, and those around them,
/// are scanned first, which takes a tenth of the time. Codes that a sentence states without such a word are missed.
#[must_use]
pub fn redact_code(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut next = 0;
    while let Some(found) = lines[next..].iter().position(|line| may_have_secret(line)) {
        let first = next + found;
        let clean = lines[first..].windows(2).position(|pair| !pair.iter().any(|line| may_have_secret(line)));
        let end = clean.map_or(lines.len(), |count| first + count + 1);
        let scanned = lines[first.saturating_sub(1)..(end + 1).min(lines.len())].join("\n");
        if find_secret(&scanned).is_some() {
            let (shown, count) = redact_secret_lines(text);
            return (count > 0).then_some(shown);
        }
        next = end.min(lines.len());
    }
    None
}

/// Whether a line may contain a secret: a run of letters and digits as long as a key, a password in an address, the
/// frame of a key, or a digit, a quotation mark, `=` or `:` in a line with one of [`WORDS`] or a character outside of
/// ASCII.
fn may_have_secret(line: &str) -> bool {
    let (mut run, mut digits, mut letters) = (0, 0, 0);
    let (mut seen, mut has_word) = (0, false);
    let bytes = line.as_bytes();
    for (place, byte) in bytes.iter().enumerate() {
        let class = CLASSES[usize::from(*byte)];
        seen |= class;
        if class & IN_KEYS == 0 {
            (run, digits, letters) = (0, 0, 0);
        } else {
            run += 1;
            digits += u32::from(class & DIGIT != 0);
            letters += u32::from(class & LETTER != 0);
        }
        has_word = has_word || begins_word(&bytes[place..]);
        if run >= KEY_BYTES && digits > 1 && letters > 1 {
            return true;
        }
    }
    (seen & IN_VALUES != 0 && (has_word || seen & NOT_ASCII != 0))
        || (seen & DASH != 0 && line.contains("-----"))
        || (seen & COLON != 0 && line.contains('@') && line.contains("://"))
}

/// Classes of bytes. Source code is read byte by byte, so one lookup in a table answers every question about a byte.
const DIGIT: u8 = 1;
const LETTER: u8 = 1 << 1;
const JOINER: u8 = 1 << 2;
const QUOTE_OR_EQUALS: u8 = 1 << 3;
const COLON: u8 = 1 << 4;
const DASH: u8 = 1 << 5;
const NOT_ASCII: u8 = 1 << 6;
/// What a key consists of.
const IN_KEYS: u8 = DIGIT | LETTER | JOINER;
/// What stands in a line with a value.
const IN_VALUES: u8 = DIGIT | QUOTE_OR_EQUALS | COLON;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'=' => JOINER | QUOTE_OR_EQUALS,
            b'-' => JOINER | DASH,
            b'_' | b'+' | b'/' | b'.' | b'~' => JOINER,
            b'"' | b'\'' | b'`' => QUOTE_OR_EQUALS,
            b':' => COLON,
            0x80.. => NOT_ASCII,
            _ => 0,
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// For the first byte of [`WORDS`] by its last five bits, which letters have in either case, a set of the second bytes
/// by theirs.
const BEGINNINGS: [u32; 32] = {
    let mut beginnings = [0; 32];
    let mut word = 0;
    while word < WORDS.len() {
        beginnings[(WORDS[word][0] & LAST_BITS) as usize] |= 1 << (WORDS[word][1] & LAST_BITS);
        word += 1;
    }
    beginnings
};

const LAST_BITS: u8 = 31;

/// Whether bytes begin with one of [`WORDS`], whatever its case.
fn begins_word(bytes: &[u8]) -> bool {
    let [first, second, ..] = bytes else { return false };
    (BEGINNINGS[usize::from(first & LAST_BITS)] >> (second & LAST_BITS)) & 1 == 1
        && WORDS
            .iter()
            .any(|word| bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

/// Returns the lines of the first multi-line secret from line `first` on, up to the end of its paragraph or PEM block,
/// and its kind. Scans a few times as much as lies between that line and the secret.
fn long_secret(lines: &[String], first: usize) -> Option<(Range<usize>, SecretKind)> {
    let secret = |range: Range<usize>| find_secret(&lines[range].join("\n"));
    let end = first + least(lines.len() - first, |count| secret(first..first + count).is_some())?;
    let start = end - least(end - first, |count| secret(end - count..end).is_some())?;
    let kind = secret(start..end)?;
    let rest = || lines.iter().enumerate().skip(end);
    let is_armoured = lines[start].contains("-----BEGIN ");
    let armour = rest().find(|(_, line)| is_armoured && line.contains(END_OF_KEY)).map(|(at, _)| at + 1);
    let paragraph = || rest().find(|(_, line)| line.trim().is_empty()).map(|(at, _)| at);
    Some((start..armour.or_else(paragraph).unwrap_or(lines.len()), kind))
}

/// Returns the least number from 1 to `max` for which a monotonic predicate holds: it doubles a number until it does.
fn least(max: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut high = 1.min(max);
    while !fits(high) {
        if high == max {
            return None;
        }
        high = (high * 2).min(max);
    }
    let mut low = high / 2 + 1;
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

fn note(kind: SecretKind) -> String {
    format!("[redacted: {}]", kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_replaced() {
        let text = "let a = 1;\nlet password = \"kestrel-99-Blue\";\nlet b = 2;";
        let shown = redact_secrets(text.to_owned());
        assert!(shown.starts_with("let a = 1;\n[redacted: ") && shown.ends_with("let b = 2;"), "{shown}");
        assert_eq!(redact_secrets("fn main() {}".to_owned()), "fn main() {}");
        assert_eq!(redact_code(&format!("// a\n{text}\n// b")), Some(format!("// a\n{shown}\n// b")));
        for plain in [
            "",
            "fn main() {}\n",
            "for token in tokens(text) {\n    total += 1;\n}",
            "let name_of_the_thing = 1;",
        ] {
            assert_eq!(redact_code(plain), None, "{plain}");
        }
        let token = ["gh", "p_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W"].concat();
        let more = [
            "    open('SECRET', 1)",
            "API = https://ada:kestrel-99-Blue@example.org/",
            "DB_PASSWORD: kestrel99",
        ];
        for line in more {
            let line = line.replace("SECRET", &token);
            let shown = redact_code(&format!("first()\n\n{line}\n\nlast()")).unwrap_or_default();
            assert!(
                shown.starts_with("first()\n\n[redacted: ") && shown.ends_with("]\n\nlast()"),
                "{line}: {shown}"
            );
        }
    }

    /// The rule of [`may_have_secret`] without tables.
    fn plainly_may_have_secret(line: &str) -> bool {
        let has_word = !line.is_ascii()
            || WORDS.iter().any(|word| {
                line.as_bytes().windows(word.len()).any(|start| start.eq_ignore_ascii_case(word))
            });
        let has_value = line.contains(|letter: char| letter.is_ascii_digit() || "\"'`=:".contains(letter));
        let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || "_-+/=.~".contains(letter);
        let has_key = line.split(|letter| !is_of_key(letter)).any(|run| {
            let count = |of: fn(&u8) -> bool, run: &str| run.bytes().filter(of).count();
            (KEY_BYTES..=run.len()).any(|end| {
                count(u8::is_ascii_digit, &run[..end]) > 1 && count(u8::is_ascii_alphabetic, &run[..end]) > 1
            })
        });
        has_key
            || has_value && has_word
            || line.contains("-----")
            || (line.contains("://") && line.contains('@'))
    }

    #[test]
    fn tables_tell_the_same_lines_as_the_plain_rule() {
        let parts = [
            "a",
            "Z",
            "0",
            "7",
            "_",
            "-",
            "----",
            "+",
            "/",
            "//",
            "=",
            ".",
            "~",
            "\"",
            "'",
            "`",
            ":",
            "@",
            " ",
            "(",
            "\t",
            "\u{7f}",
            "é",
            "ß",
            "PASS",
            "Pwd",
            "toke",
            "n",
            "to",
            "o",
            "tp",
            " pin",
            "_PIN",
            "pi",
            "in",
            "clav",
            "e",
            "x1y2z3a4b5c6d7e8",
            "abcdefgh",
            "1234",
            "\u{1f}",
            "?",
        ];
        for word in WORDS {
            let word = std::str::from_utf8(word).expect("the words are text");
            assert!(may_have_secret(&format!("x{}=", word.to_uppercase())), "{word}");
        }
        // Numbers of Knuth's generator, so that each run checks the same lines.
        let mut random = 1_u64;
        let mut found = [0; 2];
        for _ in 0..20_000 {
            let mut line = String::new();
            for _ in 0..8 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                line.push_str(parts[usize::try_from(random >> 33).unwrap_or(0) % parts.len()]);
            }
            let expected = plainly_may_have_secret(&line);
            assert_eq!(may_have_secret(&line), expected, "{line:?}");
            found[usize::from(expected)] += 1;
        }
        assert!(found.iter().all(|count| *count > 1_000), "{found:?}");
    }

    #[test]
    fn the_other_lines_of_a_file_keep_their_numbers() {
        let key = [
            "-----BEGIN RSA",
            " PRIVATE KEY-----\nMIIEpAIBAAKCAQEAq83kzPw1Lx0d\nq83kzPw1\n-----END RSA PRIVATE KEY-----",
        ];
        let text = format!("a\nlet password = \"kestrel-99-Blue\";\n{}\nb\n\nc\n", key.concat());
        let (shown, count) = redact_secret_lines(&text);
        let lines: Vec<&str> = shown.split('\n').collect();
        assert_eq!((lines.len(), count), (text.split('\n').count(), 5), "{shown}");
        assert!(lines[1..6].iter().all(|line| line.starts_with("[redacted: ")), "{shown}");
        assert_eq!((lines[0], &lines[6..]), ("a", ["b", "", "c", ""].as_slice()), "{shown}");
        assert_eq!(redact_secret_lines("a\r\nb\n"), ("a\r\nb\n".to_owned(), 0));
        let (shown, count) = redact_secret_lines(&format!("{}{text}", text.repeat(3)));
        let clean: Vec<&str> = shown.split('\n').filter(|line| !line.starts_with("[redacted: ")).collect();
        assert_eq!(
            (clean, count),
            (["a", "b", "", "c"].repeat(4).into_iter().chain([""]).collect(), 20),
            "{shown}"
        );
    }
}
