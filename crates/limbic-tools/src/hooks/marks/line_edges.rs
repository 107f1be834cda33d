//! The edges of lines.

use limbic_guard::escape;

/// Returns a text whose lines neither begin nor end with control or invisible characters, such as the byte order mark
/// of a pasted file: they would hide that a line is a fence, a quotation or a header of a mail.
pub fn without_invisible_edges(text: &str) -> String {
    let is_edge = |letter: char| letter.is_whitespace() || is_invisible(letter);
    let visible = |line: &str| {
        let rest = line.trim_start_matches(is_edge);
        let kept = rest.trim_end_matches(is_edge);
        let indentation = line[..line.len() - rest.len()].chars().filter(|letter| !is_invisible(*letter));
        let end = rest[kept.len()..].chars().filter(|letter| !is_invisible(*letter));
        indentation.chain(kept.chars()).chain(end).collect::<String>()
    };
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

fn is_invisible(letter: char) -> bool {
    let mut bytes = [0; 4];
    let text: &str = letter.encode_utf8(&mut bytes);
    !letter.is_whitespace() && *escape(text) != *text
}
