//! Python: expressions.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::{child_of_kind, children, parts_and_errors};
use super::super::type_text;
use super::python_walker::PythonWalker;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Walks an expression and adds its references.
pub fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    references(builder, node, ReferenceKind::Use);
}

/// Walks an expression; names that are not called are references of the kind.
pub fn references(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    builder.nested(|builder| match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, kind, None, target);
        }
        "attribute" => attribute(builder, node, kind),
        "call" => call(builder, node),
        "keyword_argument" => {
            node.child_by_field_name("value").into_iter().for_each(|value| references(builder, value, kind));
        }
        "lambda" => {
            builder.push_scope();
            let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
            for parameter in parameters {
                let default = parameter.child_by_field_name("value");
                default.into_iter().for_each(|default| visit(builder, default));
                let name = parameter.child_by_field_name("name").unwrap_or(parameter);
                builder.variable(builder.text(name).trim_start_matches('*'), Expression::Unknown);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body));
            builder.pop_scope();
        }
        "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            builder.push_scope();
            for clause in children(node).into_iter().filter(|child| child.kind() == "for_in_clause") {
                comprehension_clause(builder, clause);
            }
            for child in children(node).into_iter().filter(|child| child.kind() != "for_in_clause") {
                visit(builder, child);
            }
            builder.pop_scope();
        }
        "named_expression" => {
            if let (Some(name), Some(assigned)) =
                (node.child_by_field_name("name"), node.child_by_field_name("value"))
            {
                visit(builder, assigned);
                let assigned = value(builder, assigned, 0);
                builder.variable(builder.text(name), assigned);
            }
        }
        "as_pattern" => {
            let parts = children(node);
            if let [item, alias] = parts.as_slice() {
                visit(builder, *item);
                let entered = Expression::Entered(Box::new(value(builder, *item, 0)));
                let target = children(*alias).into_iter().next().unwrap_or(*alias);
                bind_pattern(builder, target, entered);
            }
        }
        "yield" => {
            for child in children(node) {
                let yielded = value(builder, child, 0);
                let yielded = if builder.text(node).starts_with("yield from") {
                    yielded
                } else {
                    Expression::ListOf(Box::new(yielded))
                };
                builder.returned(yielded);
                visit(builder, child);
            }
        }
        "augmented_assignment" | "await" | "parenthesized_expression" => {
            parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
        }
        "assignment" | "class_definition" | "function_definition" | "block" => builder.statement(node),
        "string" if kind == ReferenceKind::Type => {
            let content = child_of_kind(node, "string_content");
            let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
            if let Some(content) = content.filter(|content| is_name(builder.text(*content))) {
                let target = builder.lookup(builder.text(content));
                builder.reference(content, kind, None, target);
            }
        }
        "comment" => {}
        _ => children(node).into_iter().for_each(|child| references(builder, child, kind)),
    });
}

fn attribute(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    let (Some(object), Some(name)) =
        (node.child_by_field_name("object"), node.child_by_field_name("attribute"))
    else {
        return;
    };
    references(builder, object, if kind == ReferenceKind::Call { ReferenceKind::Use } else { kind });
    let target = value(builder, object, 0).member(builder.text(name));
    builder.reference(name, kind, Some(object), target);
}

fn call(builder: &mut Builder<'_>, node: Node<'_>) {
    if let Some(function) = node.child_by_field_name("function") {
        match function.kind() {
            "identifier" => {
                let target = builder.lookup(builder.text(function));
                builder.reference(function, ReferenceKind::Call, None, target);
            }
            "attribute" => attribute(builder, function, ReferenceKind::Call),
            _ => visit(builder, function),
        }
    }
    if let Some(arguments) = node.child_by_field_name("arguments") {
        visit(builder, arguments);
    }
}

fn comprehension_clause(builder: &mut Builder<'_>, node: Node<'_>) {
    let element = match node.child_by_field_name("right") {
        Some(right) => {
            visit(builder, right);
            Expression::Element(Box::new(value(builder, right, 0)))
        }
        None => Expression::Unknown,
    };
    if let Some(left) = node.child_by_field_name("left") {
        bind_pattern(builder, left, element);
    }
}

/// Binds the names of an assignment's left side to the assigned value.
pub fn bind_pattern(builder: &mut Builder<'_>, node: Node<'_>, assigned: Expression) {
    builder.nested(|builder| match node.kind() {
        "identifier" => {
            let name = builder.text(node);
            let class = builder.current().filter(|index| builder.symbol(*index).kind.is_type());
            match class {
                Some(class) => builder.field(class, name, assigned),
                None => {
                    builder.variable(name, assigned);
                }
            }
        }
        "attribute" => {
            let (Some(object), Some(name)) =
                (node.child_by_field_name("object"), node.child_by_field_name("attribute"))
            else {
                return;
            };
            match value(builder, object, 0) {
                Expression::Instance(class) | Expression::Symbol(class)
                    if builder.symbol(class).kind.is_type()
                        && assigned != Expression::Literal("None".to_owned()) =>
                {
                    builder.field(class, builder.text(name), assigned);
                }
                _ => {}
            }
            visit(builder, object);
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" => {
            for (index, child) in children(node).into_iter().enumerate() {
                let item = match &assigned {
                    Expression::Tuple(items) => items.get(index).cloned().unwrap_or_default(),
                    Expression::Unknown => Expression::Unknown,
                    other => {
                        let index = super::super::super::builder::number(index);
                        Expression::Item(Box::new(other.clone()), index)
                    }
                };
                bind_pattern(builder, child, item);
            }
        }
        "list_splat_pattern" | "parenthesized_expression" | "as_pattern_target" => {
            children(node).into_iter().for_each(|child| bind_pattern(builder, child, Expression::Unknown));
        }
        _ => visit(builder, node),
    });
}

/// Returns what an expression evaluates to, as far as its text determines it.
pub fn value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, depth + 1);
    let literal = |name: &str| Expression::Literal(name.to_owned());
    match node.kind() {
        "identifier" => builder.lookup(builder.text(node)),
        "attribute" => match node.child_by_field_name("object") {
            Some(object) => match (inner(object), builder.field_text(node, "attribute")) {
                (Expression::Instance(class), "__class__") => Expression::Symbol(class),
                (object, name) => object.member(name),
            },
            None => Expression::Unknown,
        },
        "call" => call_value(builder, node, depth),
        "await" => children(node)
            .first()
            .map_or(Expression::Unknown, |child| Expression::Inner(Box::new(inner(*child)))),
        "subscript" => node
            .child_by_field_name("value")
            .map_or(Expression::Unknown, |child| Expression::Index(Box::new(inner(child)))),
        "parenthesized_expression" => {
            children(node).first().map_or(Expression::Unknown, |child| inner(*child))
        }
        "named_expression" => node.child_by_field_name("value").map_or(Expression::Unknown, inner),
        "conditional_expression" => match children(node).as_slice() {
            [first, _, other] => Expression::Either(vec![inner(*first), inner(*other)]),
            _ => Expression::Unknown,
        },
        "boolean_operator" => {
            let sides = ["left", "right"].map(|field| node.child_by_field_name(field));
            Expression::Either(sides.into_iter().flatten().map(inner).collect())
        }
        "as_pattern" => children(node).first().map_or(Expression::Unknown, |child| inner(*child)),
        "expression_list" | "tuple" => {
            Expression::Tuple(children(node).into_iter().take(12).map(inner).collect())
        }
        "list" | "list_comprehension" | "set" | "set_comprehension" | "generator_expression" => {
            // Elements of a display usually have the same type, so the first one counts. A comprehension's variables
            // are out of scope here.
            let first =
                children(node).into_iter().next().filter(|_| node.child_by_field_name("body").is_none());
            match first {
                Some(first) => Expression::ListOf(Box::new(inner(first))),
                _ => literal("list"),
            }
        }
        "string" | "concatenated_string" => {
            literal(if builder.text(node).starts_with(['b', 'B']) { "bytes" } else { "str" })
        }
        "integer" => literal("int"),
        "float" => literal("float"),
        "true" | "false" | "not_operator" | "comparison_operator" => literal("bool"),
        "none" => literal("None"),
        "dictionary" | "dictionary_comprehension" => literal("dict"),
        _ => Expression::Unknown,
    }
}

fn call_value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    let Some(function) = node.child_by_field_name("function") else { return Expression::Unknown };
    let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
    if function.kind() == "identifier" {
        match (builder.text(function), arguments.as_slice()) {
            ("super", _) => {
                return match builder.enclosing(|symbol| symbol.kind.is_type()) {
                    Some(class) => Expression::Super(class),
                    None => Expression::Unknown,
                };
            }
            ("cast", [class, _]) => {
                return Expression::Typed(type_text::python(builder.text(*class), builder.current()));
            }
            ("type", [object]) => {
                return match value(builder, *object, depth + 1) {
                    Expression::Instance(class) => Expression::Symbol(class),
                    _ => Expression::Unknown,
                };
            }
            (
                "iter" | "sorted" | "list" | "tuple" | "set" | "reversed" | "copy" | "deepcopy",
                [object, ..],
            ) => {
                return value(builder, *object, depth + 1);
            }
            ("next", [object, ..]) => {
                return Expression::Element(Box::new(value(builder, *object, depth + 1)));
            }
            ("enumerate", [object, ..]) => {
                let element = Expression::Element(Box::new(value(builder, *object, depth + 1)));
                let pair = Expression::Tuple(vec![Expression::Literal("int".to_owned()), element]);
                return Expression::ListOf(Box::new(pair));
            }
            _ => {}
        }
    }
    if (builder.text(function) == "typing.cast" || builder.text(function) == "t.cast")
        && let [class, _] = arguments.as_slice()
    {
        return Expression::Typed(type_text::python(builder.text(*class), builder.current()));
    }
    value(builder, function, depth + 1).call()
}
