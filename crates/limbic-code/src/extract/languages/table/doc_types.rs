//! Types in documentation comments: `@var Type $name`.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::plain_comment;
use super::type_text;
use crate::expression::TypeName;

/// Longer comments are not read for types.
const MAX_COMMENT_BYTES: usize = 4_000;

/// The type behind a tag in the comment above a node, for a name or, with an empty one, for what the comment is about.
pub fn doc_type(builder: &Builder<'_>, node: Node<'_>, tag: &str, name: &str) -> Option<TypeName> {
    let above = node.prev_sibling().filter(|above| above.byte_range().len() <= MAX_COMMENT_BYTES)?;
    if !is_documented(builder, node) || !above.kind().contains("comment") {
        return None;
    }
    let comment = documentation(builder.text(above))?;
    let found = comment.lines().find_map(|line| {
        let rest = line.trim().strip_prefix(tag).filter(|rest| rest.starts_with(' '))?.trim_start();
        let end = end_of_type(rest);
        let named = rest[end..].split_whitespace().next().filter(|word| word.starts_with('$'));
        // A comment on one variable may leave out its name.
        let fits = name.is_empty() || named.map_or(tag == "@var", |named| named == name);
        (fits && end > 0).then(|| &rest[..end])
    })?;
    let parsed = type_text::parse(found, builder.current(), builder.language);
    (!parsed.path.is_empty()).then_some(parsed)
}

/// A documentation comment without its markers.
fn documentation(text: &str) -> Option<String> {
    text.starts_with("/**").then(|| plain_comment(text.trim_end()))
}

/// Whether a comment ends right before a node.
pub fn is_documented(builder: &Builder<'_>, node: Node<'_>) -> bool {
    builder.text.get(..node.start_byte()).is_some_and(|before| before.trim_end().ends_with("*/"))
}

/// Where a type ends: at the first blank outside of brackets.
fn end_of_type(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() && depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
