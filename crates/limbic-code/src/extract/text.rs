//! Counts and lengths of texts.

/// A count or index as 32 bits. Files are shorter than 1 MB.
pub fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The text with every run of white space as one blank, cut.
pub fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::with_capacity(text.len().min(longest * 2));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > longest * 4 {
            break;
        }
    }
    cut(&line, longest)
}

/// The first `longest` characters.
pub fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
