//! Scala.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::children;
use super::table::{self, At, Closures, Role, SymbolRule, Table, VariableRule};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["this"],
    own_type: &[],
    base: "super",
    bodies: &["template_body"],
    type_fields: &["type", "return_type"],
    label_fields: &["interpolator", "operator"],
    constructor: "",
    typed_calls: &["asInstanceOf"],
    own_value,
    closures: Closures {
        kinds: &["lambda_expression", "case_block"],
        parameters: |node| {
            let list = node.child_by_field_name("parameters");
            let several = list.filter(|list| list.kind() == "bindings").map(children);
            (several.unwrap_or_else(|| list.into_iter().collect()), list)
        },
        implicit: &[],
        receivers: &[],
    },
    returned: |node| node.child_by_field_name("body").map(table::last_part),
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let symbol = |kind| Role::Symbol(SymbolRule::of(kind));
    let variable = |name, value, constant| {
        Role::Variable(VariableRule { name, declared: At::Field("type"), value, constant })
    };
    match kind {
        "package_clause" => Role::Own(package),
        "import_declaration" => Role::Own(import),
        "class_definition" | "object_definition" => Role::Own(|builder, table, node| {
            type_definition(builder, table, node, SymbolKind::Class);
        }),
        "trait_definition" => Role::Own(|builder, table, node| {
            type_definition(builder, table, node, SymbolKind::Trait);
        }),
        "enum_definition" => symbol(SymbolKind::Enum),
        "type_definition" => symbol(SymbolKind::Type),
        "function_definition" | "function_declaration" => {
            Role::Symbol(SymbolRule::function(At::Field("return_type")))
        }
        "simple_enum_case" | "full_enum_case" => Role::Variant(At::Field("name")),
        "val_definition" | "var_definition" | "given_definition" => {
            variable(At::Field("pattern"), At::Field("value"), &[])
        }
        "val_declaration" | "var_declaration" => variable(At::Field("name"), At::Nowhere, &[]),
        "class_parameter" | "parameter" | "binding" => {
            variable(At::Field("name"), At::Field("default_value"), &[])
        }
        "extends_clause" => Role::Bases(ReferenceKind::Extends),
        "call_expression" => Role::Call(At::Field("function")),
        "field_expression" => Role::Member(At::Field("value"), At::Field("field")),
        "instance_expression" => Role::New(At::Child(0)),
        "template_body" => Role::Own(template_body),
        "identifier" => Role::Name,
        "type_identifier" | "generic_type" => Role::Type,
        "stable_type_identifier" | "stable_identifier" => Role::Path,
        "generic_function" | "parenthesized_expression" => Role::Through,
        "lambda_expression" => Role::Closure,
        "wildcard" => Role::Placeholder,
        "match_expression" => Role::Own(matched),
        "case_block" => Role::Own(case_block),
        "if_expression" => Role::Either(|node| table::branches(node, &["consequence", "alternative"])),
        "block" => Role::Own(block),
        "for_expression" | "catch_clause" => Role::Scope,
        "enumerator" => Role::Own(enumerator),
        "type_parameters" | "modifiers" | "operator_identifier" | "symbol_literal" => Role::Skip,
        _ => Role::Parts,
    }
}

/// A class, an object or a trait. The grammar takes its body for a block if nothing stands between its name and a brace
/// on the next line.
fn type_definition(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: SymbolKind) {
    let index = table::define(builder, table, node, &SymbolRule::of(kind));
    if let (Some(index), Some(body)) = (index, body_behind(node)) {
        builder.end_at(index, body);
        builder.within(index, |builder| table::parts(builder, table, body, &[]));
    }
}

/// The block behind a type without a body.
fn body_behind(node: Node<'_>) -> Option<Node<'_>> {
    if node.child_by_field_name("body").is_some() {
        return None;
    }
    let line = node.end_position().row + 1;
    node.next_sibling().filter(|next| next.kind() == "block" && next.start_position().row == line)
}

fn block(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let is_type = |kind: &str| matches!(kind, "class_definition" | "object_definition" | "trait_definition");
    let owner = node.prev_sibling().filter(|previous| is_type(previous.kind()));
    if owner.and_then(body_behind) == Some(node) {
        return;
    }
    builder.push_scope();
    table::parts(builder, table, node, &[]);
    builder.pop_scope();
}

/// The body of a type; one behind `new Base` is that of a type without a name.
fn template_body(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    match node.parent().filter(|parent| parent.kind() == "instance_expression") {
        Some(created) => {
            let base = children(created).into_iter().next();
            table::anonymous_type(builder, table, created, base.as_slice(), node);
        }
        None => table::parts(builder, table, node, &[]),
    }
}

fn package(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name");
    builder.outline.package = name.map(|name| builder.text(name).to_owned());
    table::parts(builder, table, node, &[name]);
}

fn import(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let mut cursor = node.walk();
    let path: Vec<Node<'_>> =
        node.children_by_field_name("path", &mut cursor).filter(Node::is_named).collect();
    let names: Vec<&str> = path.iter().map(|part| builder.text(*part)).collect();
    let selectors = children(node).into_iter().find(|part| !path.contains(part));
    match selectors {
        None => {
            let Some((name, module)) = names.split_last() else { return };
            builder.import(node, &module.join("."), Some(name), name, false);
            path.last().into_iter().for_each(|last| builder.import_reference(*last));
        }
        Some(selectors) if selectors.kind() == "namespace_selectors" => {
            for selector in children(selectors) {
                let name = selector.child_by_field_name("name").unwrap_or(selector);
                let local = selector.child_by_field_name("alias").unwrap_or(name);
                if selector.kind() == "namespace_wildcard" {
                    builder.import(node, &names.join("."), Some("*"), "", false);
                    continue;
                }
                let (name_text, local) = (builder.text(name), builder.text(local));
                builder.import(node, &names.join("."), Some(name_text), local, false);
                builder.import_reference(name);
            }
        }
        Some(_) => builder.import(node, &names.join("."), Some("*"), "", false),
    }
}

/// A `match` has one of several values.
fn own_value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    let Some(cases) = node.child_by_field_name("body").filter(|_| node.kind() == "match_expression") else {
        return Expression::Unknown;
    };
    let values = children(cases).into_iter().filter_map(|case| case.child_by_field_name("body"));
    let one = |body: Node<'_>| match children(body).as_slice() {
        [only] if body.kind() == "block" => table::value(builder, table, *only, depth),
        _ => table::value(builder, table, body, depth),
    };
    Expression::Either(values.take(6).map(one).collect())
}

/// The cases of a `match` take its value apart.
fn matched(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (subject, body) = (node.child_by_field_name("value"), node.child_by_field_name("body"));
    subject.into_iter().for_each(|subject| table::visit(builder, table, subject));
    let held =
        subject.map_or(Expression::Unknown, |subject| table::value(builder, table, subject, 0).bounded());
    body.into_iter().for_each(|body| cases(builder, table, body, &held));
}

/// A function of cases: `map { case (key, value) => ... }`.
fn case_block(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let held = match builder.closure_callee(node) {
        Some(callee) => Expression::ClosureParameter(Box::new(callee), 0, 1),
        None => Expression::Unknown,
    };
    cases(builder, table, node, &held);
}

fn cases(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, held: &Expression) {
    for case in children(node) {
        builder.push_scope();
        let pattern = case.child_by_field_name("pattern").filter(|pattern| {
            matches!(pattern.kind(), "identifier" | "typed_pattern" | "tuple_pattern")
                && !builder.text(*pattern).starts_with(char::is_uppercase)
        });
        if let Some(pattern) = pattern {
            table::bind_pattern(builder, table, pattern, held.clone());
        }
        table::parts(builder, table, case, &[pattern]);
        builder.pop_scope();
    }
}

/// `name <- list` and `name = value` of a `for`.
fn enumerator(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let parts = children(node);
    let [pattern, list, ..] = parts.as_slice() else { return table::parts(builder, table, node, &[]) };
    table::parts(builder, table, node, &[Some(*pattern)]);
    let held = table::value(builder, table, *list, 0);
    let mut cursor = node.walk();
    let takes_apart = node.children(&mut cursor).any(|part| part.kind() == "<-");
    let held = if takes_apart { Expression::Element(Box::new(held)) } else { held };
    table::bind_pattern(builder, table, *pattern, held);
}
