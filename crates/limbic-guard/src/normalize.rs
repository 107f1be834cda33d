//! Text as a reader sees it: what is hidden in it is gone, and what only looks like ASCII is ASCII.

/// How far the full-width forms of ASCII stand from it.
const FULL_WIDTH: u32 = 0xFEE0;

/// A copy without characters that are not seen, with full-width letters and marks, other blanks and curly quotes as
/// ASCII. `None` when that is the text itself.
pub(super) fn plain(text: &str) -> Option<String> {
    text.contains(|letter| seen(letter) != Some(letter)).then(|| text.chars().filter_map(seen).collect())
}

/// What a reader sees of a character, if anything.
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
    fn what_is_plain_is_not_copied() {
        for text in ["", "plain text\n\twith lines", "año, 東京, עברית", "👍 – …"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_hidden_goes_and_what_looks_like_ascii_becomes_it() {
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
