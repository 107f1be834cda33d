//! Rust: references of the names in a path.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::field_children;
use super::context::Context;
use super::evaluation::value;
use super::types::{type_name, type_references};
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Adds references for a path: its last name has the kind, the types before it are uses.
pub fn path_reference(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind, context: &Context) {
    match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, kind, None, target);
        }
        "generic_function" => {
            if let Some(inner) = node.child_by_field_name("function") {
                path_reference(builder, inner, kind, context);
            }
            for arguments in field_children(node, "type_arguments") {
                type_references(builder, arguments);
            }
        }
        _ => {
            let path = node.child_by_field_name("path");
            if let Some(path) = path {
                qualifier(builder, path);
            }
            if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
                let target = value(builder, node, context, 0);
                builder.reference(name, kind, path, target);
            }
        }
    }
}

/// References in the part before the last `::`.
fn qualifier(builder: &mut Builder<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" => {
            let text = builder.text(node);
            if text != "Self" {
                let target = builder.lookup(text);
                builder.reference(node, ReferenceKind::Use, None, target);
            }
        }
        "scoped_identifier" => {
            if let Some(path) = node.child_by_field_name("path") {
                qualifier(builder, path);
            }
            if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
                let target = Expression::Type(type_name(builder, node, None, 0));
                builder.reference(name, ReferenceKind::Use, None, target);
            }
        }
        _ => type_references(builder, node),
    }
}
