//! The shape of a definition: its tokens without comments and layout, and the structure that layout alone may give
//! them.

use tree_sitter::Node;

use crate::language::Language;

/// A token of a file.
pub struct Leaf {
    /// First byte.
    start: usize,
    /// The byte behind the last one.
    end: usize,
    /// Number of nodes that the token is in, and of those that the one before it is in as well. Together they tell
    /// where nodes begin and end: whether a statement is in the block before it, where only indentation or a line break
    /// says so.
    depth: usize,
    shared: usize,
}

/// The tokens of a file, without comments, docstrings and what formatters add or remove.
pub fn leaves(root: Node<'_>, text: &str, language: Language) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut kinds = Kinds::default();
    // The ancestors of the current node, and the number of siblings that follow it and each of them. The cursor would
    // search for them.
    let mut ancestors = Vec::new();
    let mut siblings = vec![0];
    let mut shared = 0;
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
                if closes
                    && !(token == ")" && ancestors.last().is_some_and(is_tuple_of_one))
                    && let Some(comma) = leaves.pop_if(|last| text.get(last.start..last.end) == Some(","))
                {
                    shared = shared.min(comma.shared);
                }
                let is_optional = language.is_ecmascript() && token == ";";
                if range.0 < range.1 && !is_optional && !token.trim().is_empty() {
                    leaves.push(Leaf { start: range.0, end: range.1, depth: ancestors.len(), shared });
                    shared = ancestors.len();
                }
            } else if cursor.goto_first_child() {
                ancestors.push(node);
                siblings.push(children - 1);
                continue;
            }
        }
        while siblings.pop_if(|left| *left == 0).is_some() {
            cursor.goto_parent();
            ancestors.pop();
        }
        shared = shared.min(ancestors.len());
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

/// Whether the comma behind the only element makes a node a tuple.
fn is_tuple_of_one(node: &Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind().starts_with("tuple")
        && node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(2).count() == 1
}

/// Hash of the tokens in a range of bytes and of their structure (FNV-1a, 64 bits). Where both kinds of quotes mean the
/// same, they count as one.
pub fn hash(leaves: &[Leaf], text: &str, range: (usize, usize), language: Language) -> u64 {
    let has_two_quotes = language == Language::Python || language.is_ecmascript();
    let first = leaves.partition_point(|leaf| leaf.start < range.0);
    let tokens = leaves[first..].iter().take_while(|leaf| leaf.end <= range.1);
    // What the definition itself is in does not belong to its shape.
    let outside = leaves.get(first).map_or(0, |leaf| leaf.depth);
    let relative = |depth: usize| depth.wrapping_sub(outside).to_le_bytes()[0];
    let bytes = tokens.enumerate().flat_map(|(index, leaf)| {
        let token = &text[leaf.start..leaf.end];
        let requoted = if has_two_quotes { with_double_quotes(token) } else { None };
        let structure = if index == 0 { [0, 0] } else { [relative(leaf.shared), relative(leaf.depth)] };
        let parts = requoted.unwrap_or([token, "", "", ""]);
        parts.into_iter().flat_map(str::bytes).chain([0]).chain(structure)
    });
    limbic_protocol::fnv1a(bytes)
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
