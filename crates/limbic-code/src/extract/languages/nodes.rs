//! Nodes around a node of a syntax tree, and the comments above it.

use tree_sitter::Node;

use super::super::builder::Builder;

/// The named children of a node, without comments and without what the parser has skipped at a syntax error.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    named_children(node, |child| !child.is_extra())
}

/// The named children of a node, with errors, which may have whole definitions in them, but without comments.
pub fn parts_and_errors(node: Node<'_>) -> Vec<Node<'_>> {
    named_children(node, |child| !child.is_extra() || child.is_error())
}

fn named_children<'t>(node: Node<'t>, is_wanted: impl Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut left = node.named_child_count();
    let mut found = Vec::with_capacity(left);
    // `Node::named_children` makes a cursor for each leaf, too, and goes on from the last child.
    if left == 0 {
        return found;
    }
    let mut cursor = node.walk();
    let mut is_there = cursor.goto_first_child();
    while is_there {
        let child = cursor.node();
        if child.is_named() {
            left -= 1;
            if is_wanted(child) {
                found.push(child);
            }
        }
        is_there = left > 0 && cursor.goto_next_sibling();
    }
    found
}

/// The children in a field.
pub fn field_children<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(|child| child.is_named()).collect()
}

/// The first named child of a kind.
pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}

/// The text of the comments right above a node, without their markers. `is_doc` says which comments count.
pub fn comments_above(builder: &Builder<'_>, node: Node<'_>, is_doc: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut below = node.start_position().row;
    let mut start = node.start_byte();
    let mut previous = node.prev_sibling();
    while let Some(comment) = previous.filter(|comment| comment.kind().contains("comment")) {
        let text = builder.text(comment).trim_end();
        let last_row = comment.start_position().row + text.matches('\n').count();
        // What the parser did not see, such as a macro, may stand between, but no blank line.
        let between = builder.text.get(comment.start_byte() + text.len()..start).unwrap_or_default();
        let is_apart = last_row + 1 < below
            && (between.trim().is_empty() || between.lines().skip(1).any(|line| line.trim().is_empty()));
        if is_apart || !is_doc(text) {
            break;
        }
        lines.insert(0, plain_comment(text));
        below = comment.start_position().row;
        start = comment.start_byte();
        previous = comment.prev_sibling();
    }
    lines.join("\n")
}

/// A comment without its markers and the stars in front of its lines.
pub fn plain_comment(text: &str) -> String {
    let text = text.strip_prefix("/*").map_or(text, |text| text.strip_suffix("*/").unwrap_or(text));
    let bare = |line: &str| {
        let line = line.trim_start();
        let line = line.trim_start_matches(['/', '*', '!', '#']);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    text.lines().map(bare).collect::<Vec<_>>().join("\n").trim().to_owned()
}
