//! Where a node kind has its parts: by field, index or kind.

use tree_sitter::Node;

use super::super::nodes::{child_of_kind, children};

/// The position of a part among the children of a node.
#[derive(Clone, Copy)]
pub enum At {
    /// The node kind has no such child.
    Nowhere,
    /// In a field.
    Field(&'static str),
    /// The named child of this index.
    Child(usize),
    /// The last named child.
    Last,
    /// The first named child of a kind.
    Kind(&'static str),
    /// Where the function finds it.
    Find(for<'t> fn(Node<'t>) -> Option<Node<'t>>),
}

impl At {
    /// The part of `node`.
    pub fn of<'t>(self, node: Node<'t>) -> Option<Node<'t>> {
        match self {
            Self::Nowhere => None,
            Self::Field(name) => node.child_by_field_name(name),
            Self::Child(index) => children(node).into_iter().nth(index),
            Self::Last => children(node).into_iter().next_back(),
            Self::Kind(kind) => child_of_kind(node, kind),
            Self::Find(find) => find(node),
        }
    }
}

/// The node of the last name in a path.
pub fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..40 {
        let names = children(node);
        let names = || names.iter().copied().filter(|child| !child.kind().contains("argument"));
        match node.child_by_field_name("name").or_else(|| names().next_back()) {
            Some(inner) if !matches!(node.kind(), "destructor_name" | "operator_name") => node = inner,
            _ => return Some(node),
        }
    }
    None
}

/// The first named child behind a token.
pub fn after<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut is_behind = false;
    node.children(&mut cursor).find(|child| {
        is_behind |= child.kind() == token;
        is_behind && child.is_named() && !child.is_extra()
    })
}

/// The value behind `=`.
pub fn assigned(node: Node<'_>) -> Option<Node<'_>> {
    after(node, "=")
}
