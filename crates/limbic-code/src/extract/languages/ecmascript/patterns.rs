//! Patterns on the left side of declarations and assignments, and of parameters.

use tree_sitter::Node;

use super::super::super::builder::{Builder, number};
use super::super::nodes::children;
use super::ecmascript_walker::EcmascriptWalker;
use super::values::value;
use crate::expression::Expression;

/// Binds the names of a pattern to the matched value.
pub fn bind_pattern(builder: &mut Builder<'_>, node: Node<'_>, matched: Expression) {
    let member = |matched: &Expression, name: &str| match matched {
        Expression::Unknown => Expression::Unknown,
        other => other.clone().member(name),
    };
    builder.nested(|builder| match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => {
            builder.variable(builder.text(node), matched);
        }
        "object_pattern" => {
            for child in children(node) {
                match child.kind() {
                    "shorthand_property_identifier_pattern" => {
                        let name = builder.text(child);
                        let part = member(&matched, name);
                        builder.variable(name, part);
                    }
                    "pair_pattern" => {
                        let part = member(&matched, builder.field_text(child, "key"));
                        if let Some(target) = child.child_by_field_name("value") {
                            bind_pattern(builder, target, part);
                        }
                    }
                    "object_assignment_pattern" => {
                        if let Some(left) = child.child_by_field_name("left") {
                            let part = member(&matched, builder.text(left));
                            bind_pattern(builder, left, part);
                        }
                        child.child_by_field_name("right").into_iter().for_each(|right| builder.visit(right));
                    }
                    _ => bind_pattern(builder, child, Expression::Unknown),
                }
            }
        }
        "array_pattern" => {
            for (index, child) in children(node).into_iter().enumerate() {
                let part = match &matched {
                    Expression::Unknown => Expression::Unknown,
                    Expression::Tuple(items) => items.get(index).cloned().unwrap_or_default(),
                    other => Expression::Item(Box::new(other.clone()), number(index)),
                };
                bind_pattern(builder, child, part);
            }
        }
        "assignment_pattern" => {
            node.child_by_field_name("right").into_iter().for_each(|right| builder.visit(right));
            if let Some(left) = node.child_by_field_name("left") {
                let default = node.child_by_field_name("right").map(|right| value(builder, right, 0));
                let either = match (matched, default) {
                    (Expression::Unknown, Some(default)) => default,
                    (matched, _) => matched,
                };
                bind_pattern(builder, left, either);
            }
        }
        "rest_pattern" => {
            if let Some(name) = children(node).into_iter().next() {
                bind_pattern(builder, name, matched);
            }
        }
        _ => builder.visit(node),
    });
}
