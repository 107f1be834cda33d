//! Rust: expressions.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::{children, field_children, parts_and_errors};
use super::context::Context;
use super::evaluation::value;
use super::path_references::path_reference;
use super::rust_walker::RustWalker;
use super::types::{type_name, type_references};
use super::{macros, patterns};
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Walks an expression or statement and adds its references.
pub fn visit(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child, context));
    };
    builder.nested(|builder| match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        "scoped_identifier" | "generic_function" => {
            path_reference(builder, node, ReferenceKind::Use, context)
        }
        "call_expression" => call(builder, node, context),
        "field_expression" => {
            if let (Some(object), Some(name)) =
                (node.child_by_field_name("value"), node.child_by_field_name("field"))
            {
                visit(builder, object, context);
                let target = value(builder, object, context, 0).member(builder.text(name));
                builder.reference(name, ReferenceKind::Use, Some(object), target);
            }
        }
        "struct_expression" => {
            if let Some(name) = node.child_by_field_name("name") {
                type_references(builder, name);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| all(builder, body));
        }
        "field_initializer" => {
            node.child_by_field_name("value").into_iter().for_each(|value| visit(builder, value, context));
        }
        "block" => {
            builder.push_scope();
            let statements = children(node);
            // Items are visible in the whole block, and have no access to the enclosing `Self`.
            let mut attribute = None;
            for statement in &statements {
                match statement.kind() {
                    "attribute_item" => attribute = attribute.or(Some(*statement)),
                    kind if is_item(kind) => {
                        builder.item(*statement, attribute.take(), &Context::default());
                    }
                    _ => attribute = None,
                }
            }
            for statement in statements.into_iter().filter(|statement| !is_item(statement.kind())) {
                visit(builder, statement, context);
            }
            builder.pop_scope();
        }
        "let_declaration" => declaration(builder, node, context),
        "let_condition" => {
            let matched = matched_value(builder, node, context);
            if let Some(pattern) = node.child_by_field_name("pattern") {
                patterns::bind(builder, pattern, matched, context);
            }
        }
        "if_expression" | "while_expression" => {
            builder.push_scope();
            all(builder, node);
            builder.pop_scope();
        }
        "match_expression" => {
            let subject = matched_value(builder, node, context);
            let arms = node.child_by_field_name("body").map(children).unwrap_or_default();
            for arm in arms.into_iter().filter(|arm| arm.kind() == "match_arm") {
                builder.push_scope();
                if let Some(pattern) = arm.child_by_field_name("pattern") {
                    patterns::bind(builder, pattern, subject.clone(), context);
                }
                arm.child_by_field_name("value").into_iter().for_each(|value| visit(builder, value, context));
                builder.pop_scope();
            }
        }
        "for_expression" => {
            let list = matched_value(builder, node, context);
            builder.push_scope();
            if let Some(pattern) = node.child_by_field_name("pattern") {
                patterns::bind(builder, pattern, Expression::Element(Box::new(list)), context);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body, context));
            builder.pop_scope();
        }
        "closure_expression" => closure(builder, node, context),
        "macro_invocation" => macros::invocation(builder, node, context),
        "type_cast_expression" => {
            node.child_by_field_name("value").into_iter().for_each(|value| visit(builder, value, context));
            node.child_by_field_name("type").into_iter().for_each(|cast| type_references(builder, cast));
        }
        "type_arguments" => type_references(builder, node),
        "lifetime" | "label" | "line_comment" | "block_comment" => {}
        kind if is_item(kind) => {
            builder.item(node, None, &Context::default());
        }
        _ => all(builder, node),
    });
}

fn is_item(kind: &str) -> bool {
    kind.ends_with("_item") && kind != "attribute_item" && kind != "inner_attribute_item"
        || matches!(kind, "use_declaration" | "macro_definition" | "extern_crate_declaration")
}

/// Visits the value that a pattern is matched with, and evaluates it.
fn matched_value(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) -> Expression {
    node.child_by_field_name("value").map_or(Expression::Unknown, |matched| {
        visit(builder, matched, context);
        value(builder, matched, context, 0)
    })
}

fn declaration(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let mut assigned = matched_value(builder, node, context);
    if let Some(declared) = node.child_by_field_name("type") {
        type_references(builder, declared);
        let name = type_name(builder, declared, context.owner.as_ref(), 0);
        if name.last() != "_" && !name.path.is_empty() {
            assigned = Expression::Typed(name);
        }
    }
    node.child_by_field_name("alternative").into_iter().for_each(|other| visit(builder, other, context));
    if let Some(pattern) = node.child_by_field_name("pattern") {
        patterns::bind(builder, pattern, assigned, context);
    }
}

fn closure(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    builder.push_scope();
    for parameter in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
        let declared = parameter.child_by_field_name("type").map(|declared| {
            type_references(builder, declared);
            Expression::Typed(type_name(builder, declared, context.owner.as_ref(), 0))
        });
        let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
        patterns::bind(builder, pattern, declared.unwrap_or_default(), context);
    }
    if let Some(result) = node.child_by_field_name("return_type") {
        type_references(builder, result);
    }
    node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body, context));
    builder.pop_scope();
}

fn call(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    if let Some(function) = node.child_by_field_name("function") {
        called(builder, function, context);
    }
    for argument in node.child_by_field_name("arguments").map(children).unwrap_or_default() {
        visit(builder, argument, context);
    }
}

fn called(builder: &mut Builder<'_>, function: Node<'_>, context: &Context) {
    match function.kind() {
        "identifier" | "scoped_identifier" => path_reference(builder, function, ReferenceKind::Call, context),
        "generic_function" => {
            if let Some(inner) = function.child_by_field_name("function") {
                called(builder, inner, context);
            }
            for arguments in field_children(function, "type_arguments") {
                type_references(builder, arguments);
            }
        }
        "field_expression" => {
            if let (Some(object), Some(name)) =
                (function.child_by_field_name("value"), function.child_by_field_name("field"))
            {
                visit(builder, object, context);
                let target = value(builder, object, context, 0).member(builder.text(name));
                builder.reference(name, ReferenceKind::Call, Some(object), target);
            }
        }
        _ => visit(builder, function, context),
    }
}
