//! Numbers that open something, in sentences: `the PIN of the safe is 4471`.

use super::rules::SecretKind;

/// Names of such numbers, in lower case.
const NAMES: [&str; 41] = [
    "pin",
    "pins",
    "pin code",
    "pincode",
    "pin-code",
    "code pin",
    "door code",
    "gate code",
    "alarm code",
    "entry code",
    "safe code",
    "lock code",
    "unlock code",
    "access code",
    "keypad code",
    "vault code",
    "safe combination",
    "passcode",
    "geheimzahl",
    "türcode",
    "alarmcode",
    "zugangscode",
    "zahlencode",
    "code de la porte",
    "code de l'alarme",
    "code d'entrée",
    "code du coffre",
    "código de la alarma",
    "código de acceso",
    "código de la puerta",
    "código da porta",
    "código do alarme",
    "código do cofre",
    "codice della porta",
    "codice dell'allarme",
    "codice della cassaforte",
    "deurcode",
    "toegangscode",
    "暗証番号",
    "pin番号",
    "密码锁",
];
/// Words and signs that are followed by the number.
const TIES: [&str; 14] = [
    " is now ", " is ", " was ", " are ", ":", "=", " es ", " ist ", " lautet ", " est ", " é ", " è ", "は",
    "是",
];
/// Maximum number of words between the name and the tie: `of the server room`.
const MAX_WORDS: usize = 7;
const MAX_BYTES: usize = 80;
/// Lengths of the number, in digits.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=10;
/// Numbers that stand for any other.
const EXAMPLES: [&str; 6] = ["1234", "12345", "123456", "0123", "4321", "12345678"];
/// Words after a number that count something.
const UNITS: [&str; 12] = [
    "digit",
    "digits",
    "attempts",
    "times",
    "numbers",
    "characters",
    "ms",
    "seconds",
    "bytes",
    "stellen",
    "cifras",
    "chiffres",
];

/// Returns the kind if a sentence states such a number.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    let lower = text.to_lowercase();
    let states = |name: &&str| {
        lower.match_indices(*name).any(|(index, _)| {
            let (before, rest) = (&lower[..index], &lower[index + name.len()..]);
            let is_ascii = name.starts_with(|letter: char| letter.is_ascii());
            let ends_word = |letter: Option<char>| letter.is_none_or(|it| !it.is_alphanumeric() && it != '_');
            (!is_ascii || (ends_word(before.chars().next_back()) && !continues_word(rest))) && is_number(rest)
        })
    };
    NAMES.iter().any(states).then_some(SecretKind::new("PIN"))
}

/// Whether the word of the name goes on; characters of other scripts, such as particles, begin another word.
fn continues_word(rest: &str) -> bool {
    rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a tie and the number follow in the same sentence.
fn is_number(rest: &str) -> bool {
    let mut end = rest.len().min(MAX_BYTES);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let line = rest[..end].lines().next().unwrap_or_default();
    TIES.iter().any(|tie| {
        let Some((between, after)) = line.split_once(tie) else { return false };
        let after = after.trim_start_matches([' ', '"', '\'', '`', '*']);
        let count = after.bytes().take_while(u8::is_ascii_digit).count();
        let (number, next) = after.split_at(count);
        let unit = next.split_whitespace().next().unwrap_or_default();
        let is_digit = |letter: char| letter.is_ascii_digit();
        let continues = next
            .starts_with(|letter: char| letter.is_ascii_alphanumeric() || "-_/%:".contains(letter))
            || next.strip_prefix('.').is_some_and(|fraction| fraction.starts_with(is_digit));
        // `Pin 13: 1024` is about hardware.
        between.split_whitespace().count() <= MAX_WORDS
            && !between.contains(['.', ';', '?', '!', '='])
            && !between.contains(is_digit)
            && DIGITS.contains(&count)
            && !continues
            && !EXAMPLES.contains(&number)
            && number.bytes().any(|digit| Some(digit) != number.bytes().next())
            && !UNITS.contains(&unit.trim_matches(|letter: char| !letter.is_alphabetic()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_number_is_found() {
        for text in [
            "the alarm PIN of the server room is 4471, change it in May",
            "Door code: 83051",
            "die PIN der Firmenkarte lautet 7719",
            "el código de la alarma es 5082",
            "le code de l'alarme est 9047.",
            "金庫の暗証番号は 6620 です",
            "SIM PIN = 2907",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "the PIN is 4 digits long",
            "a PIN is 1234 in every example",
            "the PIN has 6 digits and is asked for after 3 attempts",
            "PIN the version of Node: 22.3.0",
            "shopping: 4471",
            "the exit code is 4471",
            "pin: 2026-03-04",
            "pin it to 1.2.3",
            "pin = GPIO17",
            "the PIN is locked after 5000 ms",
            "pin_number: 17",
            "Pin 13: 1024",
            "GPIO pin 4 = 3300 mV",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
