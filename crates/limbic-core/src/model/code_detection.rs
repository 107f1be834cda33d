//! Distinguishes source code from prose, which are found by different signals.

/// Minimum share of code-like words in source code. Conversation has less than 0.02, functions have more than 0.1.
const MIN_CODE_SHARE: f64 = 0.08;

/// Whether a text is source code.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 words")]
pub(crate) fn is_code(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let code = text.split_whitespace().filter(|word| is_code_word(word)).count();
    words > 0 && code as f64 / words as f64 >= MIN_CODE_SHARE
}

/// Whether a word has brackets or operators, parts joined by `_` or `.` (but not the digits of a number), or a capital
/// after a small letter.
fn is_code_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    bytes.iter().any(|byte| b"(){}[]=<>;".contains(byte))
        || bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || bytes.windows(3).any(|three| {
            let [before, mark, after] = [three[0], three[1], three[2]];
            let joins = b"_.".contains(&mark)
                && (is_part(before) || before == b'_')
                && (is_part(after) || after == b'_');
            joins && !(before.is_ascii_digit() && after.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_and_code_are_distinguished() {
        assert!(!is_code(
            "1:56 pm on 8 May, 2023 Caroline said, \"Hey Mel! Good to see you! How have you been?\""
        ));
        assert!(!is_code(
            "The server answers e.g. in 3.5 seconds, which is slow, so we moved it to another region last week."
        ));
        assert!(is_code("def sort_by_name(items):\n    return sorted(items, key=lambda item: item.name)"));
        assert!(is_code("fooBar"));
        assert!(!is_code(""));
    }
}
