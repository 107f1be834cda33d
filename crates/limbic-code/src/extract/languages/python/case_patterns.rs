//! Python: the patterns of `case`.

use tree_sitter::Node;

use super::super::super::builder::{Builder, number};
use super::super::nodes::{child_of_kind, children};
use super::super::type_text;
use super::expressions::visit;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Binds the names of a pattern to the parts of the subject, and adds references for its classes and constants.
pub fn case_pattern(builder: &mut Builder<'_>, node: Node<'_>, subject: &Expression) {
    builder.nested(|builder| match node.kind() {
        "class_pattern" => class_pattern(builder, node),
        "dotted_name" if children(node).len() > 1 => dotted_name(builder, node),
        "dotted_name" | "identifier" => {
            builder.variable(builder.text(node), subject.clone());
        }
        "as_pattern" => {
            let parts = children(node);
            if let [pattern, alias] = parts.as_slice() {
                case_pattern(builder, *pattern, subject);
                let first = children(*pattern).into_iter().next().unwrap_or(*pattern);
                let class = class_of(builder, first).unwrap_or_else(|| subject.clone());
                builder.variable(builder.text(*alias), class);
            }
        }
        "dict_pattern" => {
            let mut cursor = node.walk();
            let keys: Vec<Node<'_>> = node.children_by_field_name("key", &mut cursor).collect();
            for part in children(node) {
                match part.kind() {
                    "dotted_name" if keys.contains(&part) => dotted_name(builder, part),
                    _ if keys.contains(&part) => visit(builder, part),
                    _ => case_pattern(builder, part, &Expression::Unknown),
                }
            }
        }
        "list_pattern" | "tuple_pattern" => {
            let mut is_known = *subject != Expression::Unknown;
            for (index, part) in children(node).into_iter().enumerate() {
                is_known &= child_of_kind(part, "splat_pattern").is_none();
                let item = if is_known {
                    Expression::Item(Box::new(subject.clone()), number(index))
                } else {
                    Expression::Unknown
                };
                case_pattern(builder, part, &item);
            }
        }
        "splat_pattern" => {
            children(node).into_iter().for_each(|name| case_pattern(builder, name, &Expression::Unknown));
        }
        "string" | "concatenated_string" => visit(builder, node),
        _ => children(node).into_iter().for_each(|child| case_pattern(builder, child, subject)),
    });
}

/// An instance of the class of a pattern.
fn class_of(builder: &Builder<'_>, pattern: Node<'_>) -> Option<Expression> {
    let class = child_of_kind(pattern, "dotted_name").filter(|_| pattern.kind() == "class_pattern")?;
    Some(Expression::Typed(type_text::python(builder.text(class), builder.current())))
}

/// `Class(pattern, attribute=pattern)`.
fn class_pattern(builder: &mut Builder<'_>, node: Node<'_>) {
    let held = class_of(builder, node).unwrap_or_default();
    for (index, part) in children(node).into_iter().enumerate() {
        if index == 0 {
            dotted_name(builder, part);
            continue;
        }
        let Some(attribute) = child_of_kind(part, "keyword_pattern").map(children) else {
            case_pattern(builder, part, &Expression::Unknown);
            continue;
        };
        if let Some((label, patterns)) = attribute.split_first() {
            let value = held.clone().member(builder.text(*label));
            patterns.iter().for_each(|pattern| case_pattern(builder, *pattern, &value));
        }
    }
}

/// References for the names of a path that binds none: `Color.RED`.
fn dotted_name(builder: &mut Builder<'_>, node: Node<'_>) {
    let mut object: Option<(Node<'_>, Expression)> = None;
    for name in children(node) {
        let text = builder.text(name);
        let (before, target) = match object {
            None => (None, builder.lookup(text)),
            Some((before, target)) => (Some(before), target.member(text)),
        };
        builder.reference(name, ReferenceKind::Use, before, target.clone());
        object = Some((name, target));
    }
}
