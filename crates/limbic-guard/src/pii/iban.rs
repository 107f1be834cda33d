//! Numbers of bank accounts: IBANs with the length of their country and a valid check number.

use super::spans::{Span, around, is_of_a_name};

/// Lengths of account numbers, in characters without blanks, and the countries that have them.
const LENGTHS: [(usize, &str); 17] = [
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FO GL NL"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "FR GR IT MC MR SM"),
    (28, "AL AZ BY CY DO GT HU LB PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU"),
    (31, "MT SC"),
    (32, "LC"),
];

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut next = 0;
    for (index, begin) in text.as_bytes().windows(4).enumerate() {
        if index >= next
            && let Some(length) = length_of(begin)
            && let Some(end) = end_of_account(text, index, length)
        {
            spans.push(Span { start: index, end, label: "[IBAN]" });
            next = end;
        }
    }
}

/// Returns the length of an account number that begins with a country and two digits.
fn length_of(begin: &[u8]) -> Option<usize> {
    let [first, second, check @ ..] = begin else { return None };
    if !first.is_ascii_uppercase() || !check.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let is_country = |country: &str| country.as_bytes() == [*first, *second];
    LENGTHS.iter().find(|(_, countries)| countries.split(' ').any(is_country)).map(|(length, _)| *length)
}

/// Returns the end of the account number of a length that begins at a position. Its groups may be separated.
fn end_of_account(text: &str, start: usize, length: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[start..];
    let mut account = Vec::with_capacity(length);
    let mut index = 0;
    while account.len() < length {
        match bytes.get(index)? {
            letter if letter.is_ascii_uppercase() || letter.is_ascii_digit() => account.push(*letter),
            b' ' | b'-' if bytes[index - 1].is_ascii_alphanumeric() => {}
            _ => return None,
        }
        index += 1;
    }
    let (before, after) = around(text, start, start + index);
    (!is_of_a_name(before) && !is_of_a_name(after) && is_valid(&account)).then_some(start + index)
}

/// Whether the check digits are right: with the first four characters at the end and letters as numbers from 10 on, the
/// remainder by 97 is 1.
fn is_valid(account: &[u8]) -> bool {
    let (begin, number) = account.split_at(4);
    let remainder = number.iter().chain(begin).fold(0_u32, |sum, letter| match letter {
        b'0'..=b'9' => (sum * 10 + u32::from(letter - b'0')) % 97,
        _ => (sum * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn account_numbers_are_replaced() {
        for text in [
            "ES91 2100 0418 4502 0005 1332",
            "DE89370400440532013000",
            "GB29-NWBK-6016-1331-9268-19",
            "GB29 NWBK 6016 1331 9268 19",
            "NO93 8601 1117 947",
            "FR14 2004 1010 0505 0001 3M02 606",
            "SA٠٣ ٨٠٠٠ ٠٠٠٠ ٦٠٨٠ ١٠١٦ ٧٥١٩",
            "ＤＥ８９ ３７０４ ００４４ ０５３２ ０１３０ ００",
        ] {
            assert_eq!(redact_personal(&format!("IBAN {text}, paid")), "IBAN [IBAN], paid");
            assert_eq!(redact_personal(&format!("to {text} OR ELSE")), "to [IBAN] OR ELSE");
        }
    }

    #[test]
    fn other_codes_stay() {
        for text in [
            "ES91 2100 0418 4502 0005 1333",
            "DE8937040044053201300",
            "XDE89370400440532013000",
            "DE893704004405320130001",
            "de89 commits",
            "AT12 and BE34 are pins",
            "DE89_370400440532013000",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
