//! Blocks of code without fences: listings of AsciiDoc, here-documents of a shell, literals of reStructuredText.

/// The characters of which AsciiDoc makes the lines around a listing, a literal, a quotation and raw text.
const DELIMITERS: [char; 4] = ['-', '.', '_', '+'];

/// Whether a line may begin, and then also end, such a block of AsciiDoc.
pub(super) fn is_delimiter(line: &str) -> bool {
    line.len() >= 4 && DELIMITERS.iter().any(|mark| line.chars().all(|letter| letter == *mark))
}

/// Returns the line that ends the here-document that a line begins, as far as it may begin one: `cat <<'EOF'`.
pub(super) fn here_document(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix(['-', '~']).unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches(['\'', '"', '\\']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

/// Whether the name of a here-document is one by custom, so that what follows is one even if its end is missing.
pub(super) fn is_customary(name: &str) -> bool {
    name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Whether the lines after this one are literal as far as they are indented by more than it.
pub(super) fn begins_literal(line: &str) -> bool {
    line.ends_with("::") || (line.starts_with(".. ") && line.contains("::"))
}
