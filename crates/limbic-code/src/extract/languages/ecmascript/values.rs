//! Converts nodes to the expressions to which they evaluate.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::{child_of_kind, children};
use super::type_names::type_name;
use crate::expression::Expression;
use crate::facts::SymbolKind;

/// The expression within parentheses and type assertions.
pub fn unparenthesized(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while matches!(node.kind(), "parenthesized_expression" | "as_expression" | "satisfies_expression") {
        match children(node).into_iter().next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Returns what an expression evaluates to, as far as its text determines it.
pub fn value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    let first = || children(node).into_iter().next().map_or(Expression::Unknown, inner);
    let literal = |name: &str| Expression::Literal(name.to_owned());
    match node.kind() {
        "identifier" => builder.lookup(builder.text(node)),
        "this" => match builder.lookup("this") {
            Expression::Name(_) => Expression::Unknown,
            known => known,
        },
        "super" => builder
            .enclosing(|symbol| symbol.kind == SymbolKind::Class)
            .map_or(Expression::Unknown, Expression::Super),
        "member_expression" => match (field("object"), field("property")) {
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
            _ => Expression::Unknown,
        },
        "subscript_expression" => {
            field("object").map_or(Expression::Unknown, |object| Expression::Index(Box::new(inner(object))))
        }
        "call_expression" => match field("function") {
            // A call of `super` makes the instance.
            Some(function) if function.kind() == "super" => Expression::Unknown,
            Some(_) if let Some(index) = builder.imported_in_expression(node) => Expression::Import(index),
            Some(function) => inner(function).call(),
            None => Expression::Unknown,
        },
        "new_expression" => match field("constructor") {
            Some(constructor)
                if constructor.kind() == "identifier" || constructor.kind() == "member_expression" =>
            {
                inner(constructor).call()
            }
            _ => Expression::Unknown,
        },
        "await_expression" => match first() {
            Expression::Unknown => Expression::Unknown,
            awaited => Expression::Inner(Box::new(awaited)),
        },
        "parenthesized_expression"
        | "non_null_expression"
        | "satisfies_expression"
        | "instantiation_expression" => first(),
        "as_expression" => match children(node).as_slice() {
            [_, asserted] => match type_name(builder, *asserted, 0) {
                name if name.last() == "any" || name.path.is_empty() => Expression::Unknown,
                name => Expression::Typed(name),
            },
            // `as const`
            _ => first(),
        },
        // `<Type>value`
        "type_assertion" => {
            match children(node).first().and_then(|list| children(*list).into_iter().next()) {
                Some(asserted) => Expression::Typed(type_name(builder, asserted, 0)),
                None => Expression::Unknown,
            }
        }
        "ternary_expression" => {
            let branches = [field("consequence"), field("alternative")];
            Expression::Either(branches.into_iter().flatten().map(inner).collect())
        }
        "binary_expression" => match field("operator").map(|operator| operator.kind()) {
            Some("||" | "??" | "&&") => {
                let sides = [field("left"), field("right")];
                Expression::Either(sides.into_iter().flatten().map(inner).collect())
            }
            Some("+" | "-" | "*" | "/") => literal("number"),
            _ => literal("boolean"),
        },
        "assignment_expression" => field("right").map_or(Expression::Unknown, inner),
        "array" => match children(node).first() {
            Some(element) => Expression::ListOf(Box::new(inner(unparenthesized(*element)))),
            None => literal("Array"),
        },
        "string" | "template_string" => literal("string"),
        "number" => literal("number"),
        "regex" => literal("RegExp"),
        "true" | "false" => literal("boolean"),
        "null" | "undefined" => literal("null"),
        "sequence_expression" => children(node).last().map_or(Expression::Unknown, |last| inner(*last)),
        _ => Expression::Unknown,
    }
}

/// The named property of an object literal; used for exports.
pub fn properties(node: Node<'_>) -> Vec<Node<'_>> {
    match child_of_kind(node, "object") {
        Some(object) => children(object),
        None => children(node),
    }
}
