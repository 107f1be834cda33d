//! The header of a chunk: the text that words and vectors are made of.

use super::text::cut;

/// Length of a header, in characters.
const MAX_HEADER: usize = 420;
/// Longest part of the signature and the doc in a header, in characters.
const MAX_PART: usize = 160;

/// The parts of a header.
pub struct Header<'a> {
    pub path: &'a str,
    pub scope: &'a str,
    pub name: Option<&'a str>,
    pub signature: Option<&'a str>,
    pub doc: Option<&'a str>,
    /// The text, without the part that the signature repeats.
    pub text: &'a str,
}

/// Joins the parts: the last two parts of the path, scope, the name's words, signature, doc, the text's words.
pub fn of(header: &Header<'_>) -> String {
    let mut out = String::with_capacity(MAX_HEADER + 80);
    let parts: Vec<&str> = header.path.rsplit('/').take(2).collect();
    for part in parts.iter().rev() {
        push(&mut out, part);
    }
    push(&mut out, &header.scope.replace('.', " "));
    if let Some(name) = header.name {
        push(&mut out, &split_identifier(name));
    }
    let signature = header.signature.map(|text| words(text, MAX_PART));
    let doc = header.doc.map(|text| cut(text, MAX_PART));
    for part in [signature, doc].into_iter().flatten() {
        push(&mut out, &part);
    }
    if out.len() < MAX_HEADER {
        push(&mut out, &words(header.text, MAX_HEADER));
    }
    let end = out.char_indices().nth(MAX_HEADER).map_or(out.len(), |(end, _)| end);
    out.truncate(end);
    out.truncate(out.trim_end().len());
    out
}

fn push(out: &mut String, part: &str) {
    if !part.is_empty() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
}

/// The words of a text without punctuation, up to `longest` characters.
fn words(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if count + length > max_chars {
            break;
        }
        count += length + 1;
        push(&mut out, word);
    }
    out
}

/// `parseHTTPRequest_now` as `parse HTTP Request now`.
pub fn split_identifier(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 8);
    for (index, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            continue;
        }
        let previous = index.checked_sub(1).map(|index| letters[index]);
        let next = letters.get(index + 1);
        let begins = letter.is_uppercase()
            && previous.is_some_and(|previous| {
                previous.is_lowercase()
                    || previous.is_ascii_digit()
                    || previous.is_uppercase() && next.is_some_and(|next| next.is_lowercase())
            });
        if begins && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push(*letter);
    }
    out.truncate(out.trim_end().len());
    out
}

/// The first paragraph of a documentation, on one line.
pub fn first_paragraph(doc: &str) -> String {
    let lines = doc.lines().map(str::trim).take_while(|line| !line.is_empty());
    cut(&lines.collect::<Vec<_>>().join(" "), 300)
}
