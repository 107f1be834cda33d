//! Scala.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::children;
use super::table::{self, At, Role, SymbolRule, Table, VariableRule};
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
    typed_calls: &[],
    own_value: table::unknown,
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
        "class_definition" | "object_definition" => symbol(SymbolKind::Class),
        "trait_definition" => symbol(SymbolKind::Trait),
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
        "identifier" => Role::Name,
        "type_identifier" | "generic_type" => Role::Type,
        "stable_type_identifier" | "stable_identifier" => Role::Path,
        "generic_function" | "parenthesized_expression" => Role::Through,
        "lambda_expression" => Role::Own(lambda),
        "block" | "case_clause" | "for_expression" | "catch_clause" => Role::Scope,
        "enumerator" => Role::Parts,
        "type_parameters" | "modifiers" | "operator_identifier" | "wildcard" | "symbol_literal" => Role::Skip,
        _ => Role::Parts,
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

/// A parameter of a lambda may be a bare name.
fn lambda(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    builder.push_scope();
    let parameters = node.child_by_field_name("parameters");
    let bare = parameters.filter(|parameters| parameters.kind() == "identifier");
    if let Some(bare) = bare {
        builder.variable(builder.text(bare), crate::expression::Expression::Unknown);
    }
    table::parts(builder, table, node, &[bare]);
    builder.pop_scope();
}
