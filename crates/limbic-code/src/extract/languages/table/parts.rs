//! The walk over the parts of a node.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::rules::Table;
use super::table_walker::TableWalker;
use super::types::visit_type;
use crate::facts::ReferenceKind;

/// Walks the parts of a node but those in `except`.
pub fn parts(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, except: &[Option<Node<'_>>]) {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.is_named() && (!child.is_extra() || child.is_error()) && !except.contains(&Some(child)) {
                found.push((cursor.field_name().unwrap_or_default(), child));
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    for (field, child) in found {
        if table.label_fields.contains(&field) {
            continue;
        }
        if table.type_fields.contains(&field) {
            visit_type(builder, table, child, ReferenceKind::Type);
        } else {
            builder.visit(table, child);
        }
    }
}
