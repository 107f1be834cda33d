//! One-line titles of memories.

use limbic_core::store::memories::MemoryNode;

/// Returns the summary or the text of a memory, in one line of at most `chars` characters.
pub fn title(memory: &MemoryNode, most_characters: usize) -> String {
    let text =
        memory.summary.as_deref().filter(|summary| !summary.trim().is_empty()).unwrap_or(&memory.content);
    one_line(text, most_characters)
}

/// Returns a text in one line of at most `chars` characters, without characters that move or hide adjacent text.
pub fn one_line(text: &str, most_characters: usize) -> String {
    // White space is turned into blanks, and what no reader sees is left out before anything is counted.
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !letter.is_control() && !is_mark(*letter))
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
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_line() {
        assert_eq!(one_line(" a\n- [b]\t\u{202e}c \u{0} d\u{2066}", 20), "a - [b] c d");
        assert_eq!(one_line("1234567890", 10), "1234567890");
        assert_eq!(one_line("12345 67890", 7), "12345…");
        assert_eq!(one_line(&"x".repeat(10_000), 5), "xxxx…");
        assert_eq!(one_line(&" ".repeat(10_000), 5), "");
    }
}
