//! Redaction of personal data: e-mail addresses, numbers of phones, cards and bank accounts, IP addresses.

mod spans;
mod mail;
mod spelled_mail;
mod spoken_mail;
mod iban;
mod phone;
mod card;
mod address;

use std::borrow::Cow;

use super::normalize::plain_with_positions;
use spans::Span;

/// Maximum number of passes, so that no text takes quadratic time.
const MAX_PASSES: usize = 32;

/// Replaces e-mail addresses, card numbers, IBANs, IP addresses and phone numbers by `[e-mail]`, `[card]`, `[IBAN]`,
/// `[IP address]` and `[phone]`. Borrowed if there is nothing to replace.
///
/// Loopback and unspecified addresses, masks and versions of four parts are kept. A number without `+` and without
/// the form of a phone number is replaced only after a word such as "phone" or "teléfono". The result has nothing that
/// this function would replace, unless dozens of items hide each other.
#[must_use]
pub fn redact_personal(text: &str) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    // What is replaced may have hidden its neighbour, as a part of the same run of digits.
    for _ in 0..MAX_PASSES {
        let Some(shorter) = redacted_once(&redacted) else { break };
        redacted = Cow::Owned(shorter);
    }
    redacted
}

/// Replaces the personal data that is found at once; `None` if there is none.
fn redacted_once(text: &str) -> Option<String> {
    // Data that invisible characters or look-alikes hide is found in the normalised copy and replaced in the text.
    let mut spans = match plain_with_positions(text) {
        None => spans(text),
        Some((copy, indices)) => {
            let in_text = |span: Span| Span { start: indices[span.start], end: indices[span.end], ..span };
            spans(&copy).into_iter().map(in_text).collect()
        }
    };
    if spans.is_empty() {
        return None;
    }
    // The sort is stable: of spans with the same start, the kind that is searched first comes first.
    spans.sort_by_key(|span| span.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for span in spans {
        if span.start >= copied {
            out.push_str(&text[copied..span.start]);
            out.push_str(span.label);
            copied = span.end;
        }
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// Returns the personal data of a text.
fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    if text.bytes().any(|byte| b"@:([{<".contains(&byte) || byte.is_ascii_digit()) {
        mail::find(text, &mut spans);
        spelled_mail::find(text, &mut spans);
        iban::find(text, &mut spans);
        address::find(text, &mut spans);
        card::find(text, &mut spans);
        phone::find(text, &mut spans);
    }
    spoken_mail::find(text, &mut spans);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_replace_is_borrowed() {
        for text in
            ["", "no numbers here", "2024-01-15 10:30:00", "v1.2.3.4", "std::net::IpAddr", "@Override"]
        {
            assert!(matches!(redact_personal(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn several_kinds_in_one_text_are_replaced_in_place() {
        assert_eq!(
            redact_personal(
                "Ana <ana@acme.dev>, +34 612 345 678, from 10.1.2.3 paid with 4242 4242 4242 4242."
            ),
            "Ana <[e-mail]>, [phone], from [IP address] paid with [card]."
        );
    }

    #[test]
    fn personal_data_beside_replaced_data_is_replaced() {
        for (text, wanted) in [
            ("4242 4242 4242 4242 2001:db8::1", "[card] [IP address]"),
            ("4242424242424242:2001:db8::1", "[card]:[IP address]"),
            ("2001:db8::1:4242424242424242", "[IP address]:[card]"),
            ("call +34 612 345 678 and then also 612345678", "call [phone] and then also [phone]"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn a_redacted_text_has_nothing_to_replace() {
        const ITEMS: [&str; 14] = [
            "ana@acme.dev",
            "\"ana ruiz\"@acme.dev",
            "ana (at) acme (dot) dev",
            "eva at gmail dot com",
            "DE89 3704 0044 0532 0130 00",
            "4242 4242 4242 4242",
            "378282246310005",
            "2001:db8::1",
            "::ffff:10.1.2.3",
            "10.1.2.3",
            "+34 612 345 678",
            "(555) 234-5678",
            "612345678",
            "call",
        ];
        const BETWEEN: [&str; 9] = ["", " ", ":", ".", "-", "/", ", ", "@", " \u{200B}"];
        let mut texts: Vec<String> = ITEMS.map(ToOwned::to_owned).to_vec();
        for _ in 0..2 {
            let longer = texts.iter().flat_map(|text| {
                ITEMS.iter().flat_map(move |item| BETWEEN.map(|between| format!("{text}{between}{item}")))
            });
            texts = longer.collect();
        }
        assert_eq!(texts.len(), 14_usize.pow(3) * 81);
        for text in texts {
            let once = redact_personal(&text);
            let twice = redact_personal(&once);
            assert_eq!(twice, once, "{text}");
        }
    }
}
