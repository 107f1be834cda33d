//! Payment card numbers: length and prefix of a network, and a valid Luhn check digit.

use super::spans::{Digits, Span, around, digit_runs, is_of_a_name};

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for digits in digit_runs(text, b" -", 1) {
        // A last group before a colon may be the start of an IPv6 address or of a time.
        let shorter = digits.without_last_group().filter(|_| text[digits.end..].starts_with(':'));
        if let Some(card) = [Some(digits), shorter].into_iter().flatten().find(|digits| is_card(text, digits))
        {
            spans.push(Span { start: card.start, end: card.end, label: "[card]" });
        }
    }
}

fn is_card(text: &str, digits: &Digits) -> bool {
    let (before, after) = around(text, digits.start, digits.end);
    let is_part = is_of_a_name(before) || is_of_a_name(after) || matches!(before, Some('.' | '+'));
    !is_part && is_grouped(digits) && is_of_a_network(digits) && passes_luhn(digits)
}

/// Whether the grouping is that of a card: one group, groups of four, or those of American Express and Diners.
fn is_grouped(digits: &Digits) -> bool {
    let groups = digits.groups();
    let in_fours = groups
        .split_last()
        .is_some_and(|(last, first)| first.iter().all(|length| *length == 4) && (1..=4).contains(last));
    groups.len() == 1 || in_fours || groups == [4, 6, 5] || groups == [4, 6, 4]
}

fn is_of_a_network(digits: &Digits) -> bool {
    let lead = digits.values().take(4).fold(0, |sum, digit| sum * 10 + digit);
    match digits.count() {
        13 | 19 => lead / 1000 == 4 || (lead / 100 == 62 && digits.count() == 19),
        14 => matches!(lead, 3000..=3059 | 3600..=3699 | 3800..=3999),
        15 => matches!(lead / 100, 34 | 37),
        16 => {
            matches!(lead, 2221..=2720 | 3528..=3589 | 4000..=4999 | 5100..=5599 | 6011 | 6200..=6299 | 6440..=6599)
        }
        _ => false,
    }
}

fn passes_luhn(digits: &Digits) -> bool {
    let sum: u32 = digits
        .values()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn cards_are_replaced() {
        for text in [
            "4242424242424242",
            "4111 1111 1111 1111",
            "5555-5555-5555-4444",
            "3782 822463 10005",
            "378282246310005",
            "30569309025904",
            "6011111111111117",
            "4222222222222",
            "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢",
            "४२४२४२४२४२४२४२४२",
            "４２４２ ４２４２ ４２４２ ４２４２",
        ] {
            assert_eq!(redact_personal(&format!("card {text}, paid")), "card [card], paid");
            assert_eq!(redact_personal(&format!("card {text} 10:30")), "card [card] 10:30");
        }
    }

    #[test]
    fn other_long_numbers_stay() {
        for text in [
            "4242424242424243",
            "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٣",
            "order 1234567812345670",
            "1700000000000 ms",
            "id_4242424242424242",
            "0.4242424242424242",
            "42424242 42424242",
            "9007199254740993",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
