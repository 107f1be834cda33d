//! Values and types by a table.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::children;
use super::places::{At, last_name};
use super::rules::{Role, Table};
use super::type_text as types;
use crate::expression::{Expression, TypeName};
use crate::language::Language;

/// Longer texts of types are unknown.
const MAX_TYPE_BYTES: usize = 400;
/// Most alternatives of a value.
const MAX_BRANCHES: usize = 6;

/// Returns what an expression evaluates to, as far as its text determines it.
pub fn value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, table, node, depth + 1);
    let text = builder.text(node);
    if table.receivers.contains(&text) || table.own_type.contains(&text) {
        return match builder.lookup(text) {
            Expression::Name(_) => Expression::Unknown,
            known => known,
        };
    }
    if text == table.base && !text.is_empty() {
        let class = builder.enclosing(|symbol| symbol.kind.is_type());
        return class.map_or(Expression::Unknown, Expression::Super);
    }
    match (table.role)(node.kind()) {
        Role::Name => builder.lookup(text),
        Role::Type => Expression::Type(type_name(builder, node)),
        Role::Path => {
            let name = type_name(builder, node);
            match name.path.first().map(|first| builder.lookup(first)) {
                Some(first @ (Expression::Variable(_) | Expression::Symbol(_) | Expression::Instance(_))) => {
                    name.path[1..].iter().fold(first, |object, part| object.member(part))
                }
                _ => Expression::Type(name),
            }
        }
        Role::Index(list) => {
            list.of(node).map_or(Expression::Unknown, |list| Expression::Index(Box::new(inner(list))))
        }
        Role::Inner(held) => {
            held.of(node).map_or(Expression::Unknown, |held| Expression::Inner(Box::new(inner(held))))
        }
        Role::Either(branches) => {
            Expression::Either(branches(node).into_iter().take(MAX_BRANCHES).map(inner).collect())
        }
        Role::Placeholder => match builder.closure_callee(node) {
            Some(callee) => Expression::ClosureParameter(Box::new(callee), 0, 1),
            None => Expression::Unknown,
        },
        Role::Call(callee) if is_subscript(builder, node) => {
            callee.of(node).map_or(Expression::Unknown, |list| Expression::Index(Box::new(inner(list))))
        }
        Role::Call(callee) => match callee.of(node) {
            Some(called) => match typed_call(builder, table, called) {
                Some(class) => Expression::Typed(class),
                None => inner(called).call(),
            },
            None => Expression::Unknown,
        },
        Role::Cast(class) => {
            class.of(node).map_or(Expression::Unknown, |class| Expression::Typed(type_name(builder, class)))
        }
        Role::MethodCall(receiver, name) => {
            let Some(name) = name.of(node) else { return Expression::Unknown };
            let name = builder.text(name);
            match receiver.of(node) {
                Some(receiver) if name == table.constructor => inner(receiver).call(),
                Some(receiver) => inner(receiver).member(name).call(),
                None => builder.lookup(name).call(),
            }
        }
        Role::Member(object, name) => match (object.of(node), name.of(node).and_then(last_name)) {
            (Some(object), Some(name)) => {
                object_value(builder, table, node, object, depth + 1).member(builder.text(name))
            }
            _ => Expression::Unknown,
        },
        Role::New(class) => match class.of(node) {
            Some(class)
                if builder.lookup(builder.text(class))
                    == Expression::Name(builder.text(class).to_owned()) =>
            {
                Expression::Typed(type_name(builder, class))
            }
            Some(class) => builder.lookup(builder.text(class)).call(),
            None => Expression::Unknown,
        },
        Role::Own(_) => (table.own_value)(builder, table, node, depth + 1),
        Role::List => {
            let elements = children(node).into_iter().take(MAX_BRANCHES).map(inner).collect();
            Expression::ListOf(Box::new(Expression::Either(elements)))
        }
        Role::Through if typed_call(builder, table, node).is_some() => {
            typed_call(builder, table, node).map_or(Expression::Unknown, Expression::Typed)
        }
        // `*pointer`.
        Role::Through if node.kind() == "pointer_expression" && text.starts_with('*') => {
            At::Child(0).of(node).map_or(Expression::Unknown, |held| Expression::Inner(Box::new(inner(held))))
        }
        Role::Through => At::Child(0).of(node).map_or(Expression::Unknown, inner),
        _ => Expression::Unknown,
    }
}

/// The value whose member `node` names: `object` itself, or with `->` what it points to.
pub fn object_value(
    builder: &Builder<'_>,
    table: &Table,
    node: Node<'_>,
    object: Node<'_>,
    depth: u32,
) -> Expression {
    let held = value(builder, table, object, depth);
    let is_arrow = node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "->");
    if is_arrow { Expression::Inner(Box::new(held)) } else { held }
}

/// The last part of a block, or the node itself.
pub fn last_part(node: Node<'_>) -> Node<'_> {
    const BLOCKS: [&str; 6] =
        ["block", "statements", "body_statement", "block_body", "indented_block", "control_structure_body"];
    match children(node).into_iter().next_back() {
        Some(last) if BLOCKS.contains(&node.kind()) => last,
        _ => node,
    }
}

/// The fields of a node that are alternatives of its value.
pub fn branches<'t>(node: Node<'t>, fields: &[&str]) -> Vec<Node<'t>> {
    fields.iter().filter_map(|field| node.child_by_field_name(field)).collect()
}

/// Whether a call of Swift's grammar is an element: `list[0]`.
fn is_subscript(builder: &Builder<'_>, call: Node<'_>) -> bool {
    builder.language == Language::Swift
        && children(call)
            .last()
            .is_some_and(|suffix| suffix.kind() == "call_suffix" && builder.text(*suffix).starts_with('['))
}

/// The type argument of a called function of [`Table::typed_calls`]: `std::make_unique<Mail>`.
fn typed_call(builder: &Builder<'_>, table: &Table, called: Node<'_>) -> Option<TypeName> {
    if table.typed_calls.is_empty() {
        return None;
    }
    // `value.asInstanceOf[Mail]`, where the value may be a call.
    if let Some(function) = called.child_by_field_name("function") {
        let name = last_name(function).map_or("", |name| builder.text(name));
        let arguments =
            called.child_by_field_name("type_arguments").filter(|_| table.typed_calls.contains(&name))?;
        return children(arguments).first().map(|argument| type_name(builder, *argument));
    }
    let name = type_name(builder, called);
    let is_typed = table.typed_calls.contains(&name.last());
    is_typed.then(|| name.arguments.into_iter().next()).flatten()
}

/// The type that a node names.
pub fn type_name(builder: &Builder<'_>, node: Node<'_>) -> TypeName {
    let scope = builder.current();
    let mut node = node;
    // `public Base`, `Base(arguments)`: the type alone.
    for _ in 0..4 {
        let wraps = matches!(
            node.kind(),
            "delegation_specifier"
                | "constructor_invocation"
                | "inheritance_specifier"
                | "type_annotation"
                | "primary_constructor_base_type"
                | "superclass"
        );
        match children(node).into_iter().next() {
            Some(first) if wraps => node = first,
            _ => break,
        }
    }
    let text = builder.text(node);
    if text.len() > MAX_TYPE_BYTES {
        TypeName { scope, ..TypeName::default() }
    } else {
        types::parse(text, scope, builder.language)
    }
}
