//! Expressions of Go.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::{children, parts_and_errors};
use super::go_types::{self, type_name, type_references};
use super::go_walker::GoWalker;
use super::signatures::signature;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Walks an expression and adds its references.
pub fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
    };
    builder.nested(|builder| match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        "selector_expression" => selector(builder, node, ReferenceKind::Use),
        "call_expression" => {
            if let Some(function) = node.child_by_field_name("function") {
                called(builder, function);
            }
            node.child_by_field_name("type_arguments")
                .into_iter()
                .for_each(|list| type_references(builder, list));
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
        }
        "composite_literal" => {
            node.child_by_field_name("type")
                .into_iter()
                .for_each(|literal| type_references(builder, literal));
            node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body));
        }
        "keyed_element" => {
            let parts = children(node);
            if let [key, held] = parts.as_slice() {
                // The name of a field, as a rule.
                let is_name = children(*key).first().is_some_and(|key| key.kind() == "identifier");
                if !is_name {
                    visit(builder, *key);
                }
                visit(builder, *held);
            }
        }
        "func_literal" => {
            builder.push_scope();
            signature(builder, node, None);
            builder.pop_scope();
        }
        // `New[int](1)` is a call where it is not a conversion.
        "type_conversion_expression"
            if node.child_by_field_name("type").is_some_and(|to| to.kind() == "generic_type") =>
        {
            node.child_by_field_name("operand").into_iter().for_each(|operand| visit(builder, operand));
            if let Some(generic) = node.child_by_field_name("type") {
                go_types::references(builder, generic, ReferenceKind::Call);
            }
        }
        "type_conversion_expression" | "type_assertion_expression" => {
            node.child_by_field_name("operand").into_iter().for_each(|operand| visit(builder, operand));
            node.child_by_field_name("type").into_iter().for_each(|to| type_references(builder, to));
        }
        kind if kind.ends_with("_type") || kind == "type_identifier" => type_references(builder, node),
        "block"
        | "statement_list"
        | "short_var_declaration"
        | "var_declaration"
        | "const_declaration"
        | "type_declaration"
        | "return_statement"
        | "range_clause"
        | "if_statement"
        | "for_statement"
        | "assignment_statement"
        | "type_switch_statement" => builder.statement(node),
        "comment" | "field_identifier" | "package_identifier" => {}
        _ => all(builder, node),
    });
}

fn selector(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    let (Some(object), Some(name)) = (node.child_by_field_name("operand"), node.child_by_field_name("field"))
    else {
        return;
    };
    visit(builder, object);
    let target = value(builder, object, 0).member(builder.text(name));
    builder.reference(name, kind, Some(object), target);
}

fn called(builder: &mut Builder<'_>, function: Node<'_>) {
    match function.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(function));
            builder.reference(function, ReferenceKind::Call, None, target);
        }
        "selector_expression" => selector(builder, function, ReferenceKind::Call),
        "type_instantiation_expression" | "index_expression" => {
            for (index, child) in children(function).into_iter().enumerate() {
                match index {
                    0 => called(builder, child),
                    _ => visit(builder, child),
                }
            }
        }
        "parenthesized_expression" => {
            for child in children(function) {
                match child.kind() {
                    "selector_expression" | "identifier" => called(builder, child),
                    // `(*T)(x)`
                    _ => visit(builder, child),
                }
            }
        }
        _ => visit(builder, function),
    }
}

/// Returns what an expression evaluates to, as far as its text determines it.
pub fn value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |name: &str| Expression::Literal(name.to_owned());
    match node.kind() {
        "identifier" => builder.lookup(builder.text(node)),
        "selector_expression" => match (field("operand"), field("field")) {
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
            _ => Expression::Unknown,
        },
        "call_expression" => {
            let Some(function) = field("function") else { return Expression::Unknown };
            let arguments = field("arguments").map(children).unwrap_or_default();
            match (builder.text(function), arguments.first()) {
                ("new" | "make", Some(made)) => Expression::Typed(go_types::type_name(builder, *made, 0)),
                ("append", Some(list)) => inner(*list),
                _ => {
                    let function = match function.kind() {
                        "type_instantiation_expression" | "index_expression" => {
                            children(function).into_iter().next().unwrap_or(function)
                        }
                        _ => function,
                    };
                    inner(function).call()
                }
            }
        }
        "composite_literal" => match field("type") {
            Some(literal) => Expression::Typed(type_name(builder, literal, 0)),
            None => Expression::Unknown,
        },
        "unary_expression" => match field("operator").map(|operator| operator.kind()) {
            Some("&" | "*") => field("operand").map_or(Expression::Unknown, inner),
            Some("<-") => {
                field("operand").map_or(Expression::Unknown, |list| Expression::Index(Box::new(inner(list))))
            }
            _ => Expression::Unknown,
        },
        "parenthesized_expression" => children(node).into_iter().next().map_or(Expression::Unknown, inner),
        "pointer_type" => Expression::Type(type_name(builder, node, 0)),
        "index_expression" => {
            field("operand").map_or(Expression::Unknown, |list| Expression::Index(Box::new(inner(list))))
        }
        "slice_expression" => field("operand").map_or(Expression::Unknown, inner),
        "type_conversion_expression" if field("type").is_some_and(|to| to.kind() == "generic_type") => {
            match field("type") {
                Some(generic) => {
                    let mut name = type_name(builder, generic, 0);
                    name.arguments.clear();
                    Expression::Type(name).call()
                }
                None => Expression::Unknown,
            }
        }
        "type_assertion_expression" | "type_conversion_expression" => match field("type") {
            Some(to) => Expression::Typed(type_name(builder, to, 0)),
            None => Expression::Unknown,
        },
        "interpreted_string_literal" | "raw_string_literal" => literal("string"),
        "int_literal" => literal("int"),
        "float_literal" => literal("float64"),
        "true" | "false" => literal("bool"),
        "nil" => literal("null"),
        "func_literal" => match field("result") {
            Some(result) if result.kind() != "parameter_list" => {
                let result = type_name(builder, result, 0);
                Expression::Typed(crate::TypeName::with("fn", vec![result], builder.current()))
            }
            _ => Expression::Unknown,
        },
        _ => Expression::Unknown,
    }
}
