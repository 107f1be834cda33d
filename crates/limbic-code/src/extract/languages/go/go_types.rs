//! Types of Go.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use crate::expression::TypeName;
use crate::facts::ReferenceKind;

/// Types nested deeper than this are unknown.
const MAX_DEPTH: u32 = 8;

/// The type of a node. A pointer has the members of what it points to, so it is that type.
pub fn type_name(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> TypeName {
    let scope = builder.current();
    let unknown = || TypeName { scope, ..TypeName::default() };
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner = |node: Node<'_>| type_name(builder, node, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "type_identifier" | "identifier" => TypeName::simple(builder.text(node), scope),
        "qualified_type" => TypeName {
            path: vec![
                builder.field_text(node, "package").to_owned(),
                builder.field_text(node, "name").to_owned(),
            ],
            arguments: Vec::new(),
            scope,
        },
        "selector_expression" => TypeName {
            path: vec![
                builder.field_text(node, "operand").to_owned(),
                builder.field_text(node, "field").to_owned(),
            ],
            arguments: Vec::new(),
            scope,
        },
        "generic_type" => {
            let mut name = field("type").map_or_else(unknown, inner);
            let arguments = field("type_arguments").map(children).unwrap_or_default();
            name.arguments = arguments.into_iter().map(inner).collect();
            name
        }
        "pointer_type" | "parenthesized_type" | "type_elem" | "negated_type" | "type_constraint" => {
            children(node).into_iter().next().map_or_else(unknown, inner)
        }
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            TypeName::with("[]", field("element").map(inner).into_iter().collect(), scope)
        }
        "channel_type" => TypeName::with("[]", field("value").map(inner).into_iter().collect(), scope),
        "map_type" => {
            let parts = [field("key"), field("value")];
            TypeName::with("map", parts.into_iter().flatten().map(inner).collect(), scope)
        }
        "function_type" => {
            let result = field("result").map(|result| match result.kind() {
                "parameter_list" => {
                    let parts =
                        children(result).into_iter().filter_map(|part| part.child_by_field_name("type"));
                    TypeName::with("()", parts.map(inner).collect(), scope)
                }
                _ => inner(result),
            });
            TypeName::with("fn", result.into_iter().collect(), scope)
        }
        _ => unknown(),
    }
}

/// Adds references for the names in a type.
pub fn type_references(builder: &mut Builder<'_>, node: Node<'_>) {
    references(builder, node, ReferenceKind::Type);
}

/// Adds references for the names in a type; the outermost one has the given kind.
pub fn references(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    builder.nested(|builder| match node.kind() {
        "type_identifier" => {
            let name = builder.type_name(builder.text(node));
            builder.type_reference(node, kind, name);
        }
        "qualified_type" => {
            if let Some(name) = node.child_by_field_name("name") {
                let path = type_name(builder, node, 0);
                builder.type_reference(name, kind, path);
            }
        }
        "pointer_type" | "generic_type" | "type_elem" | "parenthesized_type" => {
            for (index, child) in children(node).into_iter().enumerate() {
                references(builder, child, if index == 0 { kind } else { ReferenceKind::Type });
            }
        }
        "identifier" | "field_identifier" | "package_identifier" | "comment" => {}
        _ => children(node).into_iter().for_each(|child| type_references(builder, child)),
    });
}
