//! References in expressions.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::{children, parts_and_errors};
use super::definitions::{anonymous, class};
use super::ecmascript_walker::EcmascriptWalker;
use super::patterns::bind_pattern;
use super::type_names::type_references;
use super::values::value;
use super::{common_js, modules};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

/// Methods that call their argument with each element.
const ELEMENT_CALLS: [&str; 12] = [
    "map",
    "forEach",
    "filter",
    "find",
    "some",
    "every",
    "flatMap",
    "findIndex",
    "findLast",
    "sort",
    "each",
    "partition",
];

/// Walks an expression and adds its references.
pub fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
    };
    builder.nested(|builder| match node.kind() {
        "identifier" | "shorthand_property_identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        "member_expression" => member(builder, node, ReferenceKind::Use),
        "call_expression" | "new_expression" => call(builder, node),
        "arrow_function" | "function_expression" | "generator_function" => anonymous(builder, node, None),
        "class" => {
            let name = node.child_by_field_name("name");
            if class(builder, node, node, name).is_none() {
                all(builder, node);
            }
        }
        "method_definition" => anonymous(builder, node, None),
        "pair" => {
            if let Some(key) =
                node.child_by_field_name("key").filter(|key| key.kind() == "computed_property_name")
            {
                visit(builder, key);
            }
            node.child_by_field_name("value").into_iter().for_each(|held| visit(builder, held));
        }
        "assignment_expression" => assignment(builder, node),
        "as_expression" | "satisfies_expression" => {
            for (index, child) in children(node).into_iter().enumerate() {
                if index == 0 { visit(builder, child) } else { type_references(builder, child) }
            }
        }
        "type_arguments" | "type_annotation" => type_references(builder, node),
        "jsx_opening_element" | "jsx_self_closing_element" => {
            if let Some(name) = node.child_by_field_name("name") {
                let is_component = builder.text(name).starts_with(char::is_uppercase);
                match name.kind() {
                    "identifier" if is_component => {
                        let target = builder.lookup(builder.text(name));
                        builder.reference(name, ReferenceKind::Call, None, target);
                    }
                    "member_expression" => member(builder, name, ReferenceKind::Call),
                    _ => {}
                }
            }
            children(node)
                .into_iter()
                .filter(|child| Some(*child) != node.child_by_field_name("name"))
                .for_each(|child| visit(builder, child));
        }
        "jsx_closing_element" | "property_identifier" | "comment" | "string_fragment" => {}
        "statement_block"
        | "function_declaration"
        | "class_declaration"
        | "lexical_declaration"
        | "variable_declaration"
        | "return_statement"
        | "if_statement"
        | "expression_statement" => {
            builder.statement(node);
        }
        _ => all(builder, node),
    });
}

fn member(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    let (Some(object), Some(name)) =
        (node.child_by_field_name("object"), node.child_by_field_name("property"))
    else {
        return;
    };
    visit(builder, object);
    let target = value(builder, object, 0).member(builder.text(name));
    builder.reference(name, kind, Some(object), target);
}

fn call(builder: &mut Builder<'_>, node: Node<'_>) {
    let function = node.child_by_field_name("function").or(node.child_by_field_name("constructor"));
    let mut given = None;
    if let Some(function) = function {
        match function.kind() {
            "import" => modules::in_expression(builder, node),
            "identifier" => {
                let target = builder.lookup(builder.text(function));
                builder.reference(function, ReferenceKind::Call, None, target);
                modules::in_expression(builder, node);
            }
            "member_expression" => {
                member(builder, function, ReferenceKind::Call);
                given = given_element(builder, function);
            }
            "non_null_expression" | "instantiation_expression" => match children(function).first() {
                Some(inner) if inner.kind() == "member_expression" => {
                    member(builder, *inner, ReferenceKind::Call)
                }
                Some(inner) if inner.kind() == "identifier" => {
                    let target = builder.lookup(builder.text(*inner));
                    builder.reference(*inner, ReferenceKind::Call, None, target);
                }
                _ => visit(builder, function),
            },
            _ => visit(builder, function),
        }
    }
    node.child_by_field_name("type_arguments").into_iter().for_each(|list| type_references(builder, list));
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    if arguments.kind() != "arguments" {
        visit(builder, arguments);
        return;
    }
    for (index, argument) in children(arguments).into_iter().enumerate() {
        let is_function = matches!(argument.kind(), "arrow_function" | "function_expression");
        if is_function && index == 0 {
            anonymous(builder, argument, given.take());
        } else {
            visit(builder, argument);
        }
    }
}

/// The value that a callback of `list.map(...)` gets.
fn given_element(builder: &Builder<'_>, function: Node<'_>) -> Option<Expression> {
    let name = builder.field_text(function, "property");
    let object = || Some(value(builder, function.child_by_field_name("object")?, 0));
    match name {
        _ if ELEMENT_CALLS.contains(&name) => Some(Expression::Element(Box::new(object()?))),
        "then" => Some(Expression::Inner(Box::new(object()?))),
        _ => None,
    }
}

fn assignment(builder: &mut Builder<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    if common_js::assignment(builder, node, left, right) {
        return;
    }
    visit(builder, right);
    match left.kind() {
        "member_expression" => {
            if let Some(object) = left.child_by_field_name("object") {
                if let Expression::Instance(class) = value(builder, object, 0)
                    && builder.symbol(class).kind == SymbolKind::Class
                    && !matches!(right.kind(), "null" | "undefined")
                {
                    let held = value(builder, right, 0);
                    builder.field(class, builder.field_text(left, "property"), held);
                }
                member(builder, left, ReferenceKind::Use);
            }
        }
        "object_pattern" | "array_pattern" => {
            let held = value(builder, right, 0);
            bind_pattern(builder, left, held);
        }
        "identifier" => {
            // An assigned variable keeps its declared type, if it has one.
            let name = builder.text(left);
            let held = value(builder, right, 0);
            match builder.lookup(name) {
                Expression::Variable(index) => {
                    let variable = &mut builder.outline.variables[index as usize];
                    if variable.value == Expression::Unknown && held != Expression::Variable(index) {
                        variable.value = held;
                    }
                }
                Expression::Name(_) => {
                    builder.reference(left, ReferenceKind::Use, None, Expression::Name(name.to_owned()))
                }
                _ => {}
            }
        }
        _ => visit(builder, left),
    }
}
