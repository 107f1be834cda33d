//! Values and types by a table.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::children;
use super::places::{At, last_name};
use super::rules::{Role, Table};
use crate::expression::{Expression, TypeName};

/// Types nested deeper than this are unknown.
const MAX_TYPE_DEPTH: u32 = 8;
/// Longer texts of types are unknown.
const MAX_TYPE_BYTES: usize = 400;
/// Most arguments of a type.
const MAX_ARGUMENTS: usize = 8;

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
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
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
        Role::Through => At::Child(0).of(node).map_or(Expression::Unknown, inner),
        _ => Expression::Unknown,
    }
}

/// The type argument of a called function of [`Table::typed_calls`]: `std::make_unique<Mail>`.
fn typed_call(builder: &Builder<'_>, table: &Table, called: Node<'_>) -> Option<TypeName> {
    if table.typed_calls.is_empty() {
        return None;
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
        parse(text, scope, 0)
    }
}

/// Reads a type in the syntax that the languages have in common: `const a::b<C, D>&`, `[T]`, `a.B[C]?`.
fn parse(text: &str, scope: Option<u32>, depth: u32) -> TypeName {
    let unknown = TypeName { scope, ..TypeName::default() };
    let mut text = text.trim();
    for word in ["const ", "typename ", "struct ", "class ", "any ", "some ", "inout ", "readonly ", "ref "] {
        text = text.strip_prefix(word).unwrap_or(text).trim_start();
    }
    let text = text.trim_start_matches(['?', '&', '*', '\\', ':', ' ']);
    let text = text.trim_end_matches(['?', '&', '*', '!', ' ']);
    if depth > MAX_TYPE_DEPTH {
        return unknown;
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        return TypeName::with("[]", vec![parse(inner, scope, depth + 1)], scope);
    }
    if let Some(element) = text.strip_suffix("[]") {
        return TypeName::with("[]", vec![parse(element, scope, depth + 1)], scope);
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$');
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let path = text[..end].split(['.', ':', '\\']).filter(|part| !part.is_empty());
    let mut name = TypeName { path: path.map(str::to_owned).collect(), arguments: Vec::new(), scope };
    let rest = text[end..].trim();
    for (open, close) in [('<', '>'), ('[', ']')] {
        if let Some(list) = rest.strip_prefix(open) {
            let list = list.rfind(close).map_or(list, |end| &list[..end]);
            let arguments = split(list).into_iter().take(MAX_ARGUMENTS);
            name.arguments = arguments.map(|argument| parse(argument, scope, depth + 1)).collect();
        }
    }
    name
}

/// Splits at commas outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let mut start = 0;
    let mut found = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
}
