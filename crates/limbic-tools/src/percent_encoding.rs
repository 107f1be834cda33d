//! Percent-encoding (RFC 3986).

/// Decodes percent-encoding. Unencoded characters are kept. `None` if it is not valid.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(hex(digits[0])? * 16 + hex(digits[1])?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
