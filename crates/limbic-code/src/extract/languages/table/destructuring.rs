//! The names that a pattern binds.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::{child_of_kind, children};
use super::rules::Table;
use super::table_walker::TableWalker;
use super::types::visit_type;
use super::values::type_name;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Binds the names of a pattern to the parts of a value. The names and types of patterns are the same in no two
/// languages, but their kinds of nodes do not contradict each other.
pub fn bind_pattern(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, value: Expression) {
    bind(builder, table, node, value.bounded(), 0);
}

fn bind(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, value: Expression, depth: u32) {
    if depth > MAX_EXPRESSION_DEPTH {
        return;
    }
    let parts = children(node);
    let declared = |builder: &mut Builder<'_>, declared: Node<'_>| {
        visit_type(builder, table, declared, ReferenceKind::Type);
        let name = type_name(builder, declared);
        // `var` has the type of the value.
        if matches!(name.last(), "" | "var" | "auto") { value.clone() } else { Expression::Typed(name) }
    };
    match node.kind() {
        "identifier" | "simple_identifier" | "variable_name" | "field_identifier" | "implicit_parameter" => {
            builder.variable(builder.text(node), value);
        }
        // `name`, `name: Type`, `Type name`.
        "variable_declaration"
        | "lambda_parameter"
        | "binding"
        | "parameter"
        | "typed_pattern"
        | "declaration_pattern"
        | "declaration_expression" => {
            let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("pattern"));
            let name = name
                .filter(|name| name.kind().ends_with("identifier"))
                .or_else(|| parts.iter().copied().find(|part| part.kind().ends_with("identifier")));
            let kind = node
                .child_by_field_name("type")
                .or_else(|| parts.iter().copied().rfind(|part| part.kind().ends_with("_type")));
            let value = match kind.filter(|kind| Some(*kind) != name) {
                Some(kind) => declared(builder, kind),
                None => value,
            };
            if let Some(name) = name {
                builder.variable(builder.text(name), value);
            }
        }
        // One name, or the items of a tuple; `name as Type` in a case of Swift.
        "pattern" => {
            let inner: Vec<Node<'_>> = parts
                .iter()
                .copied()
                .filter(|part| part.kind() == "pattern" || part.kind() == "simple_identifier")
                .collect();
            let cast = child_of_kind(node, "user_type").filter(|_| builder.text(node).contains(" as "));
            match (inner.as_slice(), cast) {
                ([one], Some(cast)) => {
                    let value = declared(builder, cast);
                    bind(builder, table, *one, value, depth + 1);
                }
                ([one], None) => bind(builder, table, *one, value, depth + 1),
                (several, _) => items(builder, table, several, &value, depth),
            }
        }
        "multi_variable_declaration"
        | "tuple_pattern"
        | "structured_binding_declarator"
        | "destructured_parameter"
        | "left_assignment_list" => items(builder, table, &parts, &value, depth),
        "reference_declarator" | "pointer_declarator" => {
            if let Some(inner) = parts.last() {
                bind(builder, table, *inner, value, depth + 1);
            }
        }
        // A parameter with a default, one for the rest and the like.
        _ => {
            let name = node.child_by_field_name("name").filter(|name| name.kind().ends_with("identifier"));
            if let Some(name) = name {
                builder.variable(builder.text(name), Expression::Unknown);
            }
            node.child_by_field_name("value").into_iter().for_each(|default| builder.visit(table, default));
        }
    }
}

fn items(builder: &mut Builder<'_>, table: &Table, parts: &[Node<'_>], value: &Expression, depth: u32) {
    for (index, part) in (0_u32..).zip(parts) {
        bind(builder, table, *part, Expression::Item(Box::new(value.clone()), index), depth + 1);
    }
}
