//! Columns of lines, and markers of list items.

/// Returns the content of a list item, also of one in another, with its column; a line that begins none as it is.
pub(super) fn after_list_markers(line: &str) -> (usize, &str) {
    let mut content = line.trim();
    let mut column = columns(line);
    loop {
        let digits = content.bytes().take_while(u8::is_ascii_digit).count();
        let is_item = match digits {
            0 => content.starts_with(['-', '*', '+']),
            _ => content[digits..].starts_with(['.', ')']),
        };
        let rest = if is_item { &content[digits + 1..] } else { content };
        if !is_item || !rest.starts_with(char::is_whitespace) {
            return (column, content);
        }
        let inner = rest.trim_start();
        column = advance(column + digits + 1, rest[..rest.len() - inner.len()].chars());
        content = inner;
    }
}

/// The number of columns before a line's first character; a tab leads to the next multiple of four. Code that comes
/// from a web page may be indented by other spaces, such as U+00A0.
pub(super) fn columns(line: &str) -> usize {
    advance(0, line.chars().take_while(|letter| letter.is_whitespace()))
}

/// The column after some characters.
fn advance(column: usize, characters: impl Iterator<Item = char>) -> usize {
    characters.fold(column, |column, letter| match letter {
        '\t' => (column / 4 + 1) * 4,
        // The wide ones.
        '\u{2001}' | '\u{2003}' | '\u{3000}' => column + 2,
        _ => column + 1,
    })
}
