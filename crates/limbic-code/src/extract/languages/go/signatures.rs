//! Signatures of Go's functions, with their bodies.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::{children, field_children};
use super::go_types::{type_name, type_references};
use super::go_walker::GoWalker;
use crate::expression::{Expression, TypeName};

/// Parameters, results and body of a function.
pub fn signature(builder: &mut Builder<'_>, node: Node<'_>, symbol: Option<u32>) {
    let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    for parameter in parameters {
        declare(builder, parameter);
    }
    if let Some(result) = node.child_by_field_name("result") {
        let result_type = if result.kind() == "parameter_list" {
            let mut types = Vec::new();
            for part in children(result) {
                let count = field_children(part, "name").len().max(1);
                if let Some(declared) = part.child_by_field_name("type") {
                    types.extend(std::iter::repeat_n(type_name(builder, declared, 0), count));
                }
                declare(builder, part);
            }
            if types.len() == 1 { types.remove(0) } else { TypeName::with("()", types, builder.current()) }
        } else {
            type_references(builder, result);
            type_name(builder, result, 0)
        };
        if let Some(symbol) = symbol {
            builder.symbol_mut(symbol).value_type = Some(result_type);
        }
    }
    node.child_by_field_name("body").into_iter().for_each(|body| builder.statement(body));
}

/// Binds the names of a parameter or result.
fn declare(builder: &mut Builder<'_>, parameter: Node<'_>) {
    let Some(declared) = parameter.child_by_field_name("type") else { return };
    type_references(builder, declared);
    let mut name_of_type = type_name(builder, declared, 0);
    if parameter.kind() == "variadic_parameter_declaration" {
        name_of_type = TypeName::with("[]", vec![name_of_type], builder.current());
    }
    for name in field_children(parameter, "name") {
        builder.variable(builder.text(name), Expression::Typed(name_of_type.clone()));
    }
}
