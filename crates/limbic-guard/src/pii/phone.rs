//! Phone numbers: international ones, North American ones, and any number after a keyword.

use super::spans::{Digits, Span, around, digit_runs, is_of_a_name};

const SEPARATORS: &[u8] = b" .-()/";
/// Length of the context before a number that is searched for a keyword, in bytes.
const REACH: usize = 32;
const KEYWORDS: [&str; 45] = [
    "phone",
    "tel",
    "tel.",
    "telephone",
    "mobile",
    "cell",
    "fax",
    "call",
    "whatsapp",
    "sms",
    "teléfono",
    "telefono",
    "tfno",
    "móvil",
    "movil",
    "llamar",
    "llama",
    "celular",
    "téléphone",
    "tél",
    "telefon",
    "handy",
    "mobil",
    "telefone",
    "telemóvel",
    "cellulare",
    "телефон",
    "هاتف",
    "جوال",
    "फोन",
    "मोबाइल",
    "dial",
    "landline",
    "handynummer",
    "telefonnummer",
    "mobilnummer",
    "festnetz",
    "rufnummer",
    "rückruf",
    "anrufen",
    "appeler",
    "chiamare",
    "chiamami",
    "ligar",
    "telefoon",
];
/// Phrases for a person's number.
const PHRASES: [&str; 29] = [
    "my number",
    "her number",
    "his number",
    "our number",
    "their number",
    "contact number",
    "number to reach",
    "text me",
    "ring me",
    "ring her",
    "ring him",
    "meine nummer",
    "seine nummer",
    "ihre nummer",
    "ruf mich",
    "mi número",
    "su número",
    "mon numéro",
    "son numéro",
    "appelle-moi",
    "appelle-le",
    "appelle-la",
    "appelez",
    "mon portable",
    "son portable",
    "mio numero",
    "suo numero",
    "meu número",
    "mijn nummer",
];
/// Keywords of languages without blanks between words.
const UNSPACED: [&str; 6] = ["电话", "電話", "手机", "手機", "携帯", "전화"];

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for digits in digit_runs(text, SEPARATORS, 2) {
        let (before, after) = around(text, digits.start, digits.end);
        if is_of_a_name(before) || is_of_a_name(after) || matches!(before, Some('.' | '#' | '/' | '-')) {
            continue;
        }
        let mut start = digits.start;
        let count = digits.count();
        let is_international = before == Some('+') && begins_a_number(&text[..start - 1]);
        let is_phone = if is_international {
            start -= 1;
            (10..=15).contains(&count) || ((7..10).contains(&count) && follows_keyword(text, start))
        } else {
            is_north_american(&digits, before)
                || is_national(&digits, before)
                || ((7..=15).contains(&count) && follows_keyword(text, start) && !is_date(&digits))
        };
        if is_phone {
            if before == Some('(') && digits.text.contains(')') {
                start -= 1;
            }
            spans.push(Span { start, end: digits.end, label: "[phone]" });
        }
    }
}

/// Whether a plus after this text starts a number, and is not an addition.
fn begins_a_number(before: &str) -> bool {
    before.chars().next_back().is_none_or(|letter| !letter.is_alphanumeric() && !"_)]".contains(letter))
}

/// Whether it has the North American form: `(555) 123-4567`, `555-123-4567`, `555.123.4567`, also after a 1.
fn is_north_american(digits: &Digits, before: Option<char>) -> bool {
    let groups = digits.groups();
    let groups = if groups.first() == Some(&1) { &groups[1..] } else { &groups[..] };
    let values: Vec<u32> = digits.values().collect();
    let Some(number) = values.len().checked_sub(10).and_then(|first| values.get(first..)) else {
        return false;
    };
    let in_brackets = before == Some('(') && digits.text.contains(')');
    let one_mark =
        ['-', '.'].iter().any(|mark| digits.text.matches(*mark).count() + 1 == digits.groups().len());
    groups == [3, 3, 4]
        && number[0] >= 2
        && number[3] >= 2
        && (in_brackets || one_mark)
        && !digits.text.contains('/')
}

/// Whether it has a national form with a trunk prefix: `(030) 1234567`, `0171 1234567`, `020 7946 0958`, `06 12 34 56
/// 78`.
fn is_national(digits: &Digits, before: Option<char>) -> bool {
    let groups = digits.groups();
    let values: Vec<u32> = digits.values().collect();
    let begins = values.first() == Some(&0) && values.get(1).is_some_and(|second| *second > 0);
    // Binary digits are none.
    if !begins || values.iter().all(|value| *value < 2) {
        return false;
    }
    let in_brackets = before == Some('(') && digits.text.find(')') == groups.first().copied();
    let is_spaced = digits.text.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit());
    // `06 07 08 09 10` counts.
    let is_mobile =
        || groups == [2; 5] && matches!(values[1], 6 | 7) && values[2] * 10 + values[3] != values[1] + 1;
    (in_brackets && (2..=3).contains(&groups.len()) && (8..=12).contains(&values.len()))
        || (is_spaced
            && ((10..=11).contains(&values.len())
                && (2..=3).contains(&groups.len())
                && (3..=5).contains(&groups[0])
                && groups[1..].iter().all(|length| (3..=8).contains(length))
                || is_mobile()))
}

/// Whether the text shortly before the number contains a keyword of phone numbers.
fn follows_keyword(text: &str, start: usize) -> bool {
    let mut from = start.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let line =
        text[from..start].rsplit('\n').next().unwrap_or_default().replace("[phone]", "").to_lowercase();
    line.split(|letter: char| !letter.is_alphabetic()).any(|word| KEYWORDS.contains(&word))
        || PHRASES.iter().any(|phrase| has_phrase(&line, phrase))
        || UNSPACED.iter().any(|word| line.contains(word))
}

/// Whether a line contains a phrase that no letter or `of` continues: `our number`, but not `your number` or `our
/// number of users`.
fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        !before.ends_with(char::is_alphabetic)
            && !after.starts_with(char::is_alphabetic)
            && !after.starts_with(" of ")
    })
}

/// Whether it is a date: `2024-01-15`, `15/01/2024`, `2024.01.15 10`.
fn is_date(digits: &Digits) -> bool {
    matches!(digits.groups()[..], [4, 1..=2, 1..=2, ..] | [1..=2, 1..=2, 4, ..])
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn phone_numbers_are_replaced() {
        for (text, wanted) in [
            ("+34 612 345 678", "[phone]"),
            ("call +1 (555) 234-5678 now", "call [phone] now"),
            ("+491701234567, +44 20 7946 0958.", "[phone], [phone]."),
            ("(555) 234-5678", "[phone]"),
            ("at 555-234-5678 or 1-555-234-5678", "at [phone] or [phone]"),
            ("tel. 91 123 45 67", "tel. [phone]"),
            ("Teléfono de Marta 612345678", "Teléfono de Marta [phone]"),
            ("tel:612345678", "tel:[phone]"),
            ("móvil: 612 34 56 78;", "móvil: [phone];"),
            ("phone 0049 170 1234567", "phone [phone]"),
            ("+٣٤ ٦١٢ ٣٤٥ ٦٧٨", "[phone]"),
            ("هاتف: ۰۲۱-۸۸۷۷۶۶۵۵", "هاتف: [phone]"),
            ("फोन +९१ ९८७६५ ४३२१०", "फोन [phone]"),
            ("＋３４ ６１２ ３４５ ６７８", "[phone]"),
            ("my number is 07700 900123", "my number is [phone]"),
            ("text me: 5552345678", "text me: [phone]"),
            ("dial 555 234 5678", "dial [phone]"),
            ("meine Nummer ist 0171 1234567", "meine Nummer ist [phone]"),
            ("mi número es 612345678", "mi número es [phone]"),
            ("Marta, 0171 1234567", "Marta, [phone]"),
            ("office (030) 1234567", "office [phone]"),
            ("06 12 34 56 78", "[phone]"),
            ("020 7946 0958", "[phone]"),
            ("Téléphone : 06 12 34 56 78", "Téléphone : [phone]"),
            ("mon portable : 0612345678", "mon portable : [phone]"),
            ("appelle-moi au 0612345678", "appelle-moi au [phone]"),
            ("电话：０１０ ６５５５ １２３４", "电话：[phone]"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "612 345 678 rows",
            "٦١٢ ٣٤٥ ٦٧٨ صفوف",
            "२०२४-०१-१५ १०:३०",
            "[phone] has 1234567 calls",
            "2024-01-15 10:30",
            "call me on 2024-01-15",
            "call 15/01/2024",
            "port 5432, 1234567 calls",
            "3.14159265358",
            "+20 000 000 rows",
            "v2024.01.15-rc1",
            "issue #5551234567",
            "1e+10000000000",
            "ISBN 978-3-16-148410-0",
            "1700000000000",
            "uuid 550e8400-e29b-41d4-a716-446655440000",
            "123-456-7890123",
            "10-20-30 and 192-168",
            "06 07 08 09 10",
            "0101 1010 11",
            "0000 0001 0010",
            "my number is 42",
            "the order number is 5552345678",
            "(01) 2024",
            "at 0830 1200 1600",
            "use this number: 12345678",
            "another number 1234567",
            "your number 1234567",
            "our number of users is 1250000",
            "the context memory has 16777216 bytes",
            "monitoring metrics 1234567",
            "je m'appelle core 12345678",
            "portable build 20240517",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
