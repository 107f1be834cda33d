//! Escapes stored text for output: control, invisible and bidirectional characters become visible.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Prefix of an escaped character, before its code point and `>`.
const MARK: &str = "<U+";
const JOINER: char = '\u{200D}';
const NON_JOINER: char = '\u{200C}';
const BLACK_FLAG: char = '\u{1F3F4}';
/// The flags of England, Scotland and Wales, the only valid use of tag characters.
const TAG_FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// Escapes control, bidirectional, invisible and tag characters, such as `<U+202E>`.
///
/// Keeps line feeds, tabs, carriage returns before a line feed, joiners inside emoji and in scripts that need them,
/// and one variation selector after its base character. Idempotent. Borrowed if nothing changes.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut before = None;
    let mut copied = 0;
    let mut flag_until = 0;
    let mut out = String::new();
    for (index, letter) in text.char_indices() {
        let end = index + letter.len_utf8();
        if before == Some(BLACK_FLAG) {
            let flag = TAG_FLAGS.iter().find(|flag| text[index..].starts_with(**flag));
            flag_until = flag.map_or(flag_until, |flag| index + flag.len());
        }
        if is_hidden(letter) && end > flag_until && !is_needed(before, letter, text[end..].chars().next()) {
            out.push_str(&text[copied..index]);
            // Writing to a string cannot fail.
            let _ = write!(out, "{MARK}{:04X}>", u32::from(letter));
            copied = end;
            before = Some('>');
        } else {
            before = Some(letter);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Reverses [`escape`]; `None` if the text is not an output of it. Used to look up a text that a client sends back,
/// unless the escaped text itself is stored.
#[must_use]
pub fn unescape(shown: &str) -> Option<String> {
    let mut parts = shown.split(MARK);
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let hidden = part.split_once('>').and_then(|(digits, rest)| {
            let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            is_hidden(letter).then_some((letter, rest))
        });
        match hidden {
            Some((letter, rest)) => {
                text.push(letter);
                text.push_str(rest);
            }
            None => {
                text.push_str(MARK);
                text.push_str(part);
            }
        }
    }
    (text != shown && escape(&text) == shown).then_some(text)
}

/// Whether it is a control or invisible character.
pub(super) fn is_hidden(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        // Soft hyphen, grapheme joiner, Arabic letter mark, fillers of Hangul, vowels of Khmer without a form.
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}'
        | '\u{FFA0}' | '\u{FEFF}' => true,
        // Zero-width characters, marks of direction, separators of lines, embeddings and isolates.
        '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' => true,
        // Variation selectors, annotations, control of music and shorthand, tags.
        '\u{FE00}'..='\u{FE0F}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => letter.is_control(),
    }
}

/// Whether an invisible character is used correctly between its neighbours.
fn is_needed(before: Option<char>, letter: char, after: Option<char>) -> bool {
    if letter == '\r' {
        return after == Some('\n');
    }
    let Some(before) = before else { return false };
    match letter {
        JOINER if is_emoji_part(before) => after.is_some_and(is_emoji),
        JOINER | NON_JOINER => is_of_joining_script(before),
        '\u{180B}'..='\u{180F}' => matches!(before, '\u{1820}'..='\u{18AA}'),
        // After ASCII characters only keycaps use a selector; sequences of selectors can encode hidden text.
        '\u{FE00}'..='\u{FE0F}' => {
            matches!(before, '0'..='9' | '#' | '*')
                || (!before.is_ascii() && !before.is_whitespace() && !is_hidden(before))
        }
        '\u{E0100}'..='\u{E01EF}' => is_han(before),
        _ => false,
    }
}

fn is_emoji(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' | '\u{3030}' | '\u{303D}')
}

/// Whether it is an emoji, a variation selector or a skin tone modifier.
fn is_emoji_part(letter: char) -> bool {
    is_emoji(letter) || matches!(letter, '\u{FE0F}' | '\u{20E3}')
}

/// Whether it belongs to a script that uses joiners: Arabic and related, Indic, Mongolian, Khmer and related scripts.
fn is_of_joining_script(letter: char) -> bool {
    matches!(letter,
        '\u{0600}'..='\u{060F}' | '\u{0610}'..='\u{061B}' | '\u{061D}'..='\u{08FF}'
        | '\u{0900}'..='\u{109F}' | '\u{1700}'..='\u{18AF}' | '\u{1900}'..='\u{1CFF}'
        | '\u{A800}'..='\u{ABFF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{11FFF}')
        && !is_hidden(letter)
}

fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Returns a text in one line of at most `most_characters`, without characters that move or hide adjacent text.
#[must_use]
pub fn one_line(text: &str, most_characters: usize) -> String {
    // White space becomes blanks and invisible characters are removed before the characters are counted.
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !letter.is_control() && !is_invisible(*letter))
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most_characters {
        return line;
    }
    let mut cut: String = line.chars().take(most_characters.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Bidirectional and invisible characters.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in ["", "plain text\n\twith lines", "año, 東京, עברית, العربية, 👍", "a\r\nb"]
        {
            assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
    }

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        for (text, wanted) in [
            ("a\u{202E}b", "a<U+202E>b"),
            ("\u{1B}[31mred", "<U+001B>[31mred"),
            ("a\0b\u{7F}", "a<U+0000>b<U+007F>"),
            ("\u{85}\u{9B}2J", "<U+0085><U+009B>2J"),
            ("over\rwritten", "over<U+000D>written"),
            ("\u{2066}x\u{2069}\u{200E}\u{200F}\u{61C}", "<U+2066>x<U+2069><U+200E><U+200F><U+061C>"),
            ("i\u{200B}g\u{2060}n\u{FEFF}ore\u{AD}", "i<U+200B>g<U+2060>n<U+FEFF>ore<U+00AD>"),
            ("\u{E0041}\u{E007F}", "<U+E0041><U+E007F>"),
            ("line\u{2028}par\u{2029}", "line<U+2028>par<U+2029>"),
            ("a\u{200D}b\u{200C}c", "a<U+200D>b<U+200C>c"),
            ("x\u{FE01}\u{FE02}", "x<U+FE01><U+FE02>"),
            ("😀\u{FE0F}\u{FE01}\u{E0101}", "😀\u{FE0F}<U+FE01><U+E0101>"),
            ("\u{3164}", "<U+3164>"),
            ("a\u{FE0F}\u{200D}😀", "a<U+FE0F><U+200D>😀"),
            ("\r", "<U+000D>"),
        ] {
            assert_eq!(escape(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn joiners_of_scripts_and_emoji_are_kept() {
        for text in [
            "👩\u{200D}👩\u{200D}👧",
            "❤\u{FE0F}\u{200D}🔥",
            "👩🏽\u{200D}💻",
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "1\u{FE0F}\u{20E3}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "葛\u{E0100}",
            "ᠮᠣᠩ\u{180B}",
        ] {
            assert_eq!(escape(text), text);
        }
    }

    #[test]
    fn escaped_texts_are_recognised() {
        for text in ["a\u{202E}b", "\u{1B}[31m", "\u{E0041}<U+", "<U+zz>\u{200B}", "x\r\u{0}"] {
            assert_eq!(unescape(&escape(text)).as_deref(), Some(text), "{text:?}");
        }
        for text in ["", "a", "<U+0041>", "<U+202e>", "<U+000A>", "<U+202E", "a<U+110000>", "<U+>"] {
            assert_eq!(unescape(text), None, "{text:?}");
        }
    }

    #[test]
    fn tag_characters_outside_flags_are_escaped() {
        let text = "🏴\u{E0067}\u{E0062}\u{E0041}";
        assert_eq!(escape(text), "🏴<U+E0067><U+E0062><U+E0041>");
    }

    #[test]
    fn a_text_becomes_one_line() {
        assert_eq!(one_line(" a\n- [b]\t\u{202e}c \u{0} d\u{2066}", 20), "a - [b] c d");
        assert_eq!(one_line("1234567890", 10), "1234567890");
        assert_eq!(one_line("12345 67890", 7), "12345…");
        assert_eq!(one_line(&"x".repeat(10_000), 5), "xxxx…");
        assert_eq!(one_line(&" ".repeat(10_000), 5), "");
    }
}
