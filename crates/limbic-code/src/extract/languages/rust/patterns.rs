//! Rust: patterns.

use tree_sitter::Node;

use super::super::super::builder::{Builder, number};
use super::super::nodes::children;
use super::context::Context;
use super::path_references::path_reference;
use super::rust_walker::RustWalker;
use super::types::{type_name, type_references};
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Binds the names of a pattern to the matched value.
pub fn bind(builder: &mut Builder<'_>, node: Node<'_>, matched: Expression, context: &Context) {
    builder.nested(|builder| match node.kind() {
        "identifier" => {
            let name = builder.text(node);
            // A constant or a variant without fields, not a new name.
            if name.starts_with(char::is_uppercase) {
                let target = builder.lookup(name);
                builder.reference(node, ReferenceKind::Use, None, target);
            } else {
                builder.variable(name, matched);
            }
        }
        "tuple_struct_pattern" => tuple_struct(builder, node, matched, context),
        "struct_pattern" => structure(builder, node, context),
        "tuple_pattern" | "slice_pattern" => {
            let is_slice = node.kind() == "slice_pattern";
            for (index, child) in children(node).into_iter().enumerate() {
                let item = match &matched {
                    Expression::Unknown => Expression::Unknown,
                    Expression::Tuple(items) => items.get(index).cloned().unwrap_or_default(),
                    other if is_slice => Expression::Element(Box::new(other.clone())),
                    other => Expression::Item(Box::new(other.clone()), number(index)),
                };
                bind(builder, child, item, context);
            }
        }
        "captured_pattern" => {
            if let [name, pattern] = children(node).as_slice() {
                builder.variable(builder.text(*name), matched.clone());
                bind(builder, *pattern, matched, context);
            }
        }
        "ref_pattern" | "mut_pattern" | "reference_pattern" | "or_pattern" | "match_pattern" => {
            for child in children(node) {
                match child.kind() {
                    "mutable_specifier" => {}
                    "let_condition" | "let_chain" => builder.item(child, None, context),
                    _ if Some(child) == node.child_by_field_name("condition") => {
                        builder.item(child, None, context);
                    }
                    _ => bind(builder, child, matched.clone(), context),
                }
            }
        }
        "scoped_identifier" | "macro_invocation" | "range_pattern" => builder.item(node, None, context),
        _ => {}
    });
}

fn tuple_struct(builder: &mut Builder<'_>, node: Node<'_>, matched: Expression, context: &Context) {
    let Some(constructor) = node.child_by_field_name("type") else { return };
    path_reference(builder, constructor, ReferenceKind::Call, context);
    let name = builder.text(constructor).rsplit("::").next().unwrap_or_default();
    let parts: Vec<Node<'_>> = children(node).into_iter().filter(|part| *part != constructor).collect();
    for (index, part) in parts.into_iter().enumerate() {
        let item = match name {
            "Some" | "Ok" => Expression::Inner(Box::new(matched.clone())),
            "Err" => Expression::Unknown,
            _ => field_of(builder, constructor, &matched, &index.to_string(), context),
        };
        bind(builder, part, item, context);
    }
}

fn structure(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let Some(path) = node.child_by_field_name("type") else { return };
    type_references(builder, path);
    for field in children(node).into_iter().filter(|child| child.kind() == "field_pattern") {
        let Some(name) = field.child_by_field_name("name") else { continue };
        let value = field_of(builder, path, &Expression::Unknown, builder.text(name), context);
        match field.child_by_field_name("pattern") {
            Some(pattern) => bind(builder, pattern, value, context),
            None => {
                builder.variable(builder.text(name), value);
            }
        }
    }
}

/// A field of a struct, `State(app): State<App>`, or of a variant, `Self::Route(route)`.
fn field_of(
    builder: &Builder<'_>,
    constructor: Node<'_>,
    matched: &Expression,
    name: &str,
    context: &Context,
) -> Expression {
    let mut own = type_name(builder, constructor, context.owner.as_ref(), 0);
    if let Expression::Typed(declared) = matched
        && declared.last() == own.last()
    {
        return matched.clone().member(name);
    }
    let is_variant = own.path.len() > 1
        && own.path[own.path.len() - 2].starts_with(char::is_uppercase)
        && own.last().starts_with(char::is_uppercase);
    if !is_variant {
        return Expression::Typed(own).member(name);
    }
    let variant = own.path.pop().unwrap_or_default();
    let own = match (&context.owner, matched) {
        (Some(owner), _) if owner.path == own.path => owner.clone(),
        (_, Expression::Typed(declared)) if declared.last() == own.last() => declared.clone(),
        _ => own,
    };
    Expression::Typed(own).member(format!("{variant}.{name}"))
}
