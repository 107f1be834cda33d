//! PINs, door codes and combinations that are stated in sentences: `the PIN of the safe is 4471`.

use crate::secrets::codes::lock_words::{LOCK_WORDS, OTHER_CODES};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Names of such numbers, in lower case.
static NAMES: Literals = Literals::new(&[
    "hotel safe",
    "room safe",
    "puk",
    "puk code",
    "digicode",
    "пин",
    "пин-код",
    "pin-код",
    "codice pin",
    "código pin",
    "kod pin",
    "비밀번호",
    "密码",
    "密碼",
    "パスコード",
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
    "kapı şifresi",
    "kapı kodu",
    "pin番号",
    "密码锁",
]);
/// Words and signs that are followed by the number.
const CONNECTORS: [&str; 29] = [
    "改成",
    "换成",
    "換成",
    "改为",
    "改為",
    "を",
    "를",
    "을",
    "는",
    "은",
    " — ",
    " is now ",
    " is ",
    " was ",
    " are ",
    ":",
    "=",
    " es ",
    " ist ",
    " lautet ",
    " est ",
    " é ",
    " è ",
    "は",
    "是",
    "改成了",
    "换成了",
    "改为了",
    "が",
];
/// Articles before a number.
const ARTICLES: [&str; 7] = ["el ", "le ", "il ", "o ", "the ", "die ", "n° "];
/// Names that a number follows directly.
static BESIDE: Literals =
    Literals::new(&["pin", "puk", "pin code", "pincode", "pin-code", "passcode", "пин-код", "kapı şifresi"]);
/// Words before a number of another meaning, such as a time.
const OTHERS: [&str; 26] = [
    "at", "on", "in", "after", "before", "since", "until", "by", "from", "um", "ab", "am", "bis", "vor",
    "nach", "à", "alle", "às", "om", "page", "line", "room", "version", "has", "have", "with",
];
/// Words for a code.
const CODES: [&str; 12] = [
    "code",
    "código",
    "codigo",
    "codice",
    "kod",
    "код",
    "kode",
    "combination",
    "combinación",
    "combinaison",
    "combinazione",
    "kombination",
];
/// Maximum number of words between the name and the connector: `of the server room`.
const MAX_WORDS: usize = 7;
const MAX_BYTES: usize = 80;
/// Lengths of the number, in digits.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=10;
/// Numbers that stand for any other.
const EXAMPLES: [&str; 6] = ["1234", "12345", "123456", "0123", "4321", "12345678"];
/// Words after a number that count something.
const UNITS: [&str; 15] = [
    "lines",
    "pages",
    "rows",
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
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let lower = text.lower.as_str();
    let starts_word =
        |index: usize| !lower[..index].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let states = |(index, name): (usize, &str)| {
        let rest = &lower[index + name.len()..];
        let is_ascii = name.starts_with(|letter: char| letter.is_ascii());
        (!is_ascii || (starts_word(index) && !continues_word(rest))) && is_number(rest)
    };
    let precedes =
        |(index, name): (usize, &str)| starts_word(index) && is_number_beside(&lower[index + name.len()..]);
    (NAMES.matches(lower).any(states) || BESIDE.matches(lower).any(precedes) || opens_a_thing(lower))
        .then_some(SecretKind::new("PIN"))
}

fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the words begin with the number of a code, in one part or in at least three of one or two digits.
fn is_code(words: &[&str]) -> bool {
    let parts = words.iter().take_while(|word| is_digits(word)).count();
    let next = words.get(parts);
    let is_single = parts == 1 && DIGITS.contains(&words[0].len()) && !EXAMPLES.contains(&words[0]);
    let is_dial = parts >= 3 && words[..parts].iter().all(|part| part.len() <= 2);
    (is_single || is_dial) && !next.is_some_and(|unit| UNITS.contains(unit))
}

/// Whether a number follows that is not a year: `PIN 8251`.
fn is_number_beside(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, next) = rest.split_at(count);
    let is_year = count == 4 && (number.starts_with("19") || number.starts_with("20"));
    let unit: String = next.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
    (4..=8).contains(&count)
        && !is_year
        && !EXAMPLES.contains(&number)
        && !next.starts_with(|letter: char| letter.is_alphanumeric() || "-_/%:".contains(letter))
        && !UNITS.contains(&unit.as_str())
}

/// Whether a code of something that is opened, and its number, are in the same clause: `el código de la caja fuerte es
/// 8834`, `kod do drzwi: 5093`.
fn opens_a_thing(lower: &str) -> bool {
    lower.lines().any(|line| {
        // Most lines have no number.
        line.bytes().any(|byte| byte.is_ascii_digit())
            && line.split(['.', ';', '!', '?']).any(|clause| {
                let words: Vec<&str> = clause
                    .split(|letter: char| !letter.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .collect();
                words.iter().position(|word| CODES.contains(word)).is_some_and(|code| {
                    // `lock combination` and `código de la puerta`.
                    let from = code.saturating_sub(2);
                    let near = &words[from..(code + MAX_WORDS).min(words.len())];
                    let number = near.iter().position(|word| is_digits(word));
                    number.is_some_and(|at| {
                        let is_named = near[..at]
                            .iter()
                            .any(|word| LOCK_WORDS.iter().any(|thing| word.starts_with(thing)));
                        let is_other = (at > 0 && OTHERS.contains(&near[at - 1]))
                            || near[..at]
                                .iter()
                                .any(|word| OTHER_CODES.contains(word) || word.starts_with("gateway"));
                        at > code - from && is_named && !is_other && is_code(&near[at..])
                    })
                })
            })
    })
}

/// Whether the word of the name goes on; characters of other scripts, such as particles, begin another word.
fn continues_word(rest: &str) -> bool {
    rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a connector and the number follow in the same sentence.
fn is_number(rest: &str) -> bool {
    let mut end = rest.len().min(MAX_BYTES);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let line = rest[..end].lines().next().unwrap_or_default();
    CONNECTORS.iter().any(|connector| {
        let Some((between, after)) = line.split_once(connector) else { return false };
        let after = after.trim_start_matches([' ', '"', '\'', '`', '*']);
        // `es el 8834`, `est le 9317`
        let after = ARTICLES.iter().find_map(|article| after.strip_prefix(article)).unwrap_or(after);
        let count = after.bytes().take_while(u8::is_ascii_digit).count();
        let (number, next) = after.split_at(count);
        let unit = next.split_whitespace().next().unwrap_or_default();
        let is_digit = |letter: char| letter.is_ascii_digit();
        // `비밀번호는 2024년에 …`, `密码是 8 位`
        let is_counted =
            next.trim_start().starts_with(['年', '년', '月', '월', '位', '字', '文', '個', '개', '자', '桁']);
        let continues = is_counted
            || next.starts_with(|letter: char| letter.is_ascii_alphanumeric() || "-_/%:".contains(letter))
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
            "el código de la caja fuerte es 8834",
            "kod do drzwi: 5093",
            "код от сейфа 8392",
            "현관 비밀번호는 8294입니다",
            "家里智能门锁的密码改成 739156 了",
            "玄関の暗証番号を 739156 に変更しました",
            "the PUK is 48120937",
            "SIM PIN 8251",
            "the bike lock combination is 7-3-1-9",
            "el código de la alarma es 5082",
            "le code de l'alarme est 9047.",
            "金庫の暗証番号は 6620 です",
            "SIM PIN = 2907",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn numbers_that_open_nothing_are_accepted() {
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
            "código postal: 28013",
            "the code of the door page has 1001 lines",
            "the door code changes on 2026-03-04",
            "the door code changes at 0830",
            "PIN 2024 was held in Oslo",
            "비밀번호를 2024년에 바꿨다",
            "code: 1006 means abnormal closure",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
