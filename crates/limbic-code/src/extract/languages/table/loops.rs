//! Loops over collections.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::destructuring::bind_pattern;
use super::parts::parts;
use super::places::At;
use super::rules::Table;
use super::table_walker::TableWalker;
use super::types::visit_type;
use super::values::{type_name, value};
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Walks a loop. `places` are those of the pattern, the declared type and the list.
pub fn iterate(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, places: (At, At, At)) {
    let (pattern, declared, list) = (places.0.of(node), places.1.of(node), places.2.of(node));
    list.into_iter().for_each(|list| builder.visit(table, list));
    builder.push_scope();
    declared.into_iter().for_each(|declared| visit_type(builder, table, declared, ReferenceKind::Type));
    let element = match (declared.map(|declared| type_name(builder, declared)), list) {
        (Some(name), _) if !matches!(name.last(), "" | "var" | "auto") => Expression::Typed(name),
        (_, Some(list)) => Expression::Element(Box::new(value(builder, table, list, 0))),
        _ => Expression::Unknown,
    };
    if let Some(pattern) = pattern {
        bind_pattern(builder, table, pattern, element);
    }
    parts(builder, table, node, &[pattern, declared, list]);
    builder.pop_scope();
}
