//! Counts and lengths of texts.

/// A count or index as 32 bits. Files are shorter than 1 MB.
pub fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The text with every run of white space as one blank, cut.
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::with_capacity(text.len().min(max_chars * 2));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max_chars * 4 {
            break;
        }
    }
    cut(&line, max_chars)
}

/// The first `longest` characters.
pub fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
