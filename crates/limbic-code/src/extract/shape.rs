//! The shape of a definition: its tokens without comments and layout.

use tree_sitter::Node;

use crate::language::Language;

/// The tokens of a file as byte ranges, without comments, docstrings and what formatters add or remove.
pub fn leaves(root: Node<'_>, text: &str, language: Language) -> Vec<(usize, usize)> {
    let mut leaves: Vec<(usize, usize)> = Vec::new();
    let mut kinds = Kinds::default();
    // Number of siblings that follow the current node and each of its ancestors. The cursor would search for them.
    let mut siblings = vec![0];
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let kind = kinds.of(node);
        let skipped = kind == Kind::Comment
            || (language == Language::Python && kind == Kind::Statement && is_docstring(node));
        if !skipped {
            // Strings are one token: their parts hold layout.
            let children = node.child_count();
            if kind == Kind::String || children == 0 {
                let range = (node.start_byte(), node.end_byte());
                let token = text.get(range.0..range.1).unwrap_or_default();
                let closes = matches!(token, ")" | "]" | "}");
                if closes && leaves.last().is_some_and(|last| text.get(last.0..last.1) == Some(",")) {
                    leaves.pop();
                }
                let is_optional = language.is_ecmascript() && token == ";";
                if range.0 < range.1 && !is_optional && !token.trim().is_empty() {
                    leaves.push(range);
                }
            } else if cursor.goto_first_child() {
                siblings.push(children - 1);
                continue;
            }
        }
        while siblings.pop_if(|left| *left == 0).is_some() {
            cursor.goto_parent();
        }
        let Some(left) = siblings.last_mut() else { return leaves };
        *left -= 1;
        cursor.goto_next_sibling();
    }
}

/// The role of a node kind in the hash of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    String,
    Statement,
    Other,
}

/// Kinds by their numbers in a grammar: a name is compared once in a file.
#[derive(Default)]
struct Kinds(Vec<Option<Kind>>);

impl Kinds {
    fn of(&mut self, node: Node<'_>) -> Kind {
        let number = usize::from(node.kind_id());
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        *self.0[number].get_or_insert_with(|| match node.kind() {
            "string" => Kind::String,
            "expression_statement" => Kind::Statement,
            name if name.contains("comment") => Kind::Comment,
            _ => Kind::Other,
        })
    }
}

/// Whether a statement of Python is a string alone.
fn is_docstring(statement: Node<'_>) -> bool {
    statement.named_child_count() == 1
        && statement.named_child(0).is_some_and(|child| child.kind() == "string")
}

/// Hash of the tokens in a range of bytes (FNV-1a, 64 bits). Where both kinds of quotes mean the same, they count as
/// one.
pub fn hash(leaves: &[(usize, usize)], text: &str, range: (usize, usize), language: Language) -> u64 {
    let has_two_quotes = language == Language::Python || language.is_ecmascript();
    let first = leaves.partition_point(|leaf| leaf.0 < range.0);
    let tokens = leaves[first..].iter().take_while(|leaf| leaf.1 <= range.1);
    let parts = tokens.flat_map(|leaf| {
        let token = &text[leaf.0..leaf.1];
        let requoted = if has_two_quotes { with_double_quotes(token) } else { None };
        requoted.unwrap_or([token, "", "", ""]).into_iter().chain(["\0"])
    });
    limbic_protocol::fnv1a(parts.flat_map(str::bytes))
}

/// The parts of a string in single quotes, in double ones: prefix, quote, text, quote. `None` if it is not such a
/// string, or if its text has quotes or escapes, which read otherwise in double quotes.
fn with_double_quotes(token: &str) -> Option<[&str; 4]> {
    let (prefix, quoted) = token.split_at(token.find('\'')?);
    if prefix.len() > 2 || !prefix.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return None;
    }
    [("'''", "\"\"\""), ("'", "\"")].into_iter().find_map(|(single, double)| {
        let inner = quoted.strip_prefix(single)?.strip_suffix(single)?;
        (!inner.contains(['"', '\'', '\\'])).then_some([prefix, double, inner, double])
    })
}
