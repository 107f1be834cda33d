//! Normalises text: removes invisible characters, and maps look-alikes of ASCII to ASCII.

/// Offset of the full-width forms from ASCII.
const FULL_WIDTH: u32 = 0xFEE0;

/// Returns a copy without invisible characters, with full-width characters, other blanks and curly quotes as ASCII.
/// `None` if that is the text itself.
pub(super) fn plain(text: &str) -> Option<String> {
    text.contains(|letter| seen(letter) != Some(letter)).then(|| text.chars().filter_map(seen).collect())
}

/// Returns the same copy, with the position in the text of each of its bytes and of its end.
pub(super) fn plain_with_positions(text: &str) -> Option<(String, Vec<usize>)> {
    let mut copy = plain(text)?;
    let mut indices = Vec::with_capacity(copy.len() + 1);
    copy.clear();
    for (index, letter) in text.char_indices() {
        if let Some(letter) = seen(letter) {
            indices.resize(indices.len() + letter.len_utf8(), index);
            copy.push(letter);
        }
    }
    indices.push(text.len());
    Some((copy, indices))
}

/// Returns the normalised character, or `None` for an invisible one.
fn seen(letter: char) -> Option<char> {
    match letter {
        '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201C}'..='\u{201E}' | '\u{AB}' | '\u{BB}' => Some('"'),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - FULL_WIDTH),
        _ if super::sanitize::is_hidden(letter) => None,
        _ if letter.is_whitespace() && !matches!(letter, '\n' | '\t') => Some(' '),
        _ => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "plain text\n\twith lines", "año, 東京, עברית", "👍 – …"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn invisible_characters_are_removed_and_look_alikes_mapped() {
        for (text, wanted) in [
            ("gh\u{200B}p_\u{FEFF}x\u{AD}", "ghp_x"),
            ("ｐａｓｓｗｏｒｄ＝ａ１", "password=a1"),
            ("mot de passe\u{A0}: «\u{202F}a\u{202F}»", "mot de passe : \" a \""),
            ("“a” ‘b’", "\"a\" 'b'"),
            ("a\r\nb\u{2028}c", "a\n\nb\nc"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(wanted), "{text}");
        }
    }
}
