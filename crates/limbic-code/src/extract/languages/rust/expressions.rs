//! Rust: expressions.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::{children, field_children};
use super::types::{type_name, type_references};
use super::{Context, item, macros, patterns};
use crate::expression::{Expression, TypeName};
use crate::facts::ReferenceKind;

/// Methods that give what an optional, a result or a guard holds.
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

/// Walks an expression or statement and adds its references.
pub fn visit(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        children(node).into_iter().for_each(|child| visit(builder, child, context));
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
            // Items are visible in the whole block, and know nothing of the `Self` around them.
            let mut attribute = None;
            for statement in &statements {
                match statement.kind() {
                    "attribute_item" => attribute = attribute.or(Some(*statement)),
                    kind if is_item(kind) => {
                        item(builder, *statement, attribute.take(), &Context::default());
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
            item(builder, node, None, &Context::default());
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

/// Adds references for a path: its last name has the kind, the types before it are uses.
pub fn path_reference(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind, context: &Context) {
    match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, kind, None, target);
        }
        "generic_function" => {
            if let Some(inner) = node.child_by_field_name("function") {
                path_reference(builder, inner, kind, context);
            }
            for arguments in field_children(node, "type_arguments") {
                type_references(builder, arguments);
            }
        }
        _ => {
            let path = node.child_by_field_name("path");
            if let Some(path) = path {
                qualifier(builder, path);
            }
            if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
                let target = value(builder, node, context, 0);
                builder.reference(name, kind, path, target);
            }
        }
    }
}

/// References in what stands before the last `::`.
fn qualifier(builder: &mut Builder<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" => {
            let text = builder.text(node);
            if text != "Self" {
                let target = builder.lookup(text);
                builder.reference(node, ReferenceKind::Use, None, target);
            }
        }
        "scoped_identifier" => {
            if let Some(path) = node.child_by_field_name("path") {
                qualifier(builder, path);
            }
            if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
                let target = Expression::Type(type_name(builder, node, None, 0));
                builder.reference(name, ReferenceKind::Use, None, target);
            }
        }
        _ => type_references(builder, node),
    }
}

/// What an expression evaluates to, as far as its text tells.
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
        // The project's own method of that name, if the receiver has one, goes before the standard library's.
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
