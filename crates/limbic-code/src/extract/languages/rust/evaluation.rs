//! Rust: what an expression evaluates to.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::children;
use super::context::Context;
use super::types::type_name;
use crate::expression::{Expression, TypeName};

/// Methods that return the value in an optional, a result or a guard.
const UNWRAPPING: [&str; 12] = [
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "lock",
    "read",
    "write",
    "borrow",
    "borrow_mut",
    "unwrap_unchecked",
    "get_mut",
];
/// Methods whose result has the type of the receiver, or can be used like it.
const SAME: [&str; 16] = [
    "clone",
    "as_ref",
    "as_mut",
    "to_owned",
    "iter",
    "iter_mut",
    "into_iter",
    "as_deref",
    "as_deref_mut",
    "by_ref",
    "cloned",
    "copied",
    "ok",
    "await",
    "rev",
    "take",
];

/// Returns what an expression evaluates to, as far as its text determines it.
pub fn value(builder: &Builder<'_>, node: Node<'_>, context: &Context, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, context, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    let first = || children(node).into_iter().find(|child| child.kind() != "mutable_specifier");
    let literal = |name: &str| Expression::Literal(name.to_owned());
    match node.kind() {
        "self" => builder.lookup("self"),
        "identifier" => match (builder.text(node), &context.owner) {
            ("Self", Some(owner)) => Expression::Type(owner.clone()),
            (name, _) => builder.lookup(name),
        },
        "scoped_identifier" => {
            let name = builder.field_text(node, "name");
            match field("path") {
                Some(path) if matches!(path.kind(), "identifier" | "scoped_identifier") => {
                    inner(path).member(name)
                }
                Some(path) => path_value(builder, path, context).member(name),
                None => Expression::Name(name.to_owned()),
            }
        }
        "crate"
        | "super"
        | "type_identifier"
        | "generic_type"
        | "bracketed_type"
        | "scoped_type_identifier" => path_value(builder, node, context),
        "generic_function" => field("function").map_or(Expression::Unknown, inner),
        "call_expression" => match field("function") {
            Some(function) => call_value(builder, function, context, depth),
            None => Expression::Unknown,
        },
        "field_expression" => match (field("value"), field("field")) {
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
            _ => Expression::Unknown,
        },
        "struct_expression" => field("name").map_or(Expression::Unknown, |name| {
            Expression::Typed(type_name(builder, name, context.owner.as_ref(), 0))
        }),
        "try_expression" | "await_expression" => {
            first().map_or(Expression::Unknown, |child| Expression::Inner(Box::new(inner(child))))
        }
        "reference_expression" => field("value").map_or(Expression::Unknown, inner),
        "unary_expression" | "parenthesized_expression" => first().map_or(Expression::Unknown, inner),
        "index_expression" => {
            first().map_or(Expression::Unknown, |child| Expression::Index(Box::new(inner(child))))
        }
        "tuple_expression" => Expression::Tuple(children(node).into_iter().take(12).map(inner).collect()),
        "array_expression" => {
            first().map_or(Expression::Unknown, |child| Expression::ListOf(Box::new(inner(child))))
        }
        "type_cast_expression" => field("type").map_or(Expression::Unknown, |cast| {
            Expression::Typed(type_name(builder, cast, context.owner.as_ref(), 0))
        }),
        "string_literal" | "raw_string_literal" => literal("str"),
        "integer_literal" => literal("i32"),
        "float_literal" => literal("f64"),
        "boolean_literal" => literal("bool"),
        "char_literal" => literal("char"),
        "block" => children(node)
            .last()
            .copied()
            .filter(|last| !last.kind().ends_with("statement"))
            .map_or(Expression::Unknown, inner),
        "if_expression" => {
            let branches = [
                field("consequence"),
                field("alternative").and_then(|other| children(other).into_iter().next()),
            ];
            Expression::Either(branches.into_iter().flatten().map(inner).collect())
        }
        "match_expression" => {
            let arms = field("body").map(children).unwrap_or_default();
            let values = arms.into_iter().take(4).filter_map(|arm| arm.child_by_field_name("value"));
            Expression::Either(values.map(inner).collect())
        }
        _ => Expression::Unknown,
    }
}

/// A path of types: `Vec<u8>`, `<T as Trait>`, `crate`.
fn path_value(builder: &Builder<'_>, node: Node<'_>, context: &Context) -> Expression {
    let name: TypeName = type_name(builder, node, context.owner.as_ref(), 0);
    if name.path.is_empty() { Expression::Unknown } else { Expression::Type(name) }
}

fn call_value(builder: &Builder<'_>, function: Node<'_>, context: &Context, depth: u32) -> Expression {
    let function = match function.kind() {
        "generic_function" => function.child_by_field_name("function").unwrap_or(function),
        _ => function,
    };
    if function.kind() == "field_expression"
        && let Some(object) = function.child_by_field_name("value")
    {
        let name = builder.field_text(function, "field");
        let object = value(builder, object, context, depth + 1);
        // The project's own method of that name, if the receiver has one, takes precedence over the standard library's.
        if UNWRAPPING.contains(&name) {
            let own = object.clone().member(name).call();
            return Expression::Either(vec![own, Expression::Inner(Box::new(object))]);
        }
        if SAME.contains(&name) {
            let own = object.clone().member(name).call();
            return Expression::Either(vec![own, object]);
        }
        return object.member(name).call();
    }
    let called = value(builder, function, context, depth + 1);
    let text = builder.text(function);
    match text {
        "Some" | "Ok" | "Box::new" | "Arc::new" | "Rc::new" | "Mutex::new" | "RwLock::new" | "Pin::new"
        | "Box::pin" => {
            let call = function.parent().and_then(|call| call.child_by_field_name("arguments"));
            call.and_then(|arguments| children(arguments).into_iter().next())
                .map_or(Expression::Unknown, |argument| value(builder, argument, context, depth + 1))
        }
        _ => called.call(),
    }
}
