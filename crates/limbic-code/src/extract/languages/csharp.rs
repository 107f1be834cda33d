//! C#.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Role, SymbolRule, Table, VariableRule, assigned};
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["this"],
    own_type: &[],
    base: "base",
    bodies: &["block", "arrow_expression_clause", "constructor_initializer", "accessor_list"],
    type_fields: &["type", "returns"],
    label_fields: &[],
    constructor: "",
    typed_calls: &[],
    own_value: table::unknown,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let symbol = |kind| Role::Symbol(SymbolRule::of(kind));
    let function = |result| Role::Symbol(SymbolRule::function(result));
    let variable =
        |name, declared, value| Role::Variable(VariableRule { name, declared, value, constant: &["const"] });
    match kind {
        "using_directive" => Role::Own(using),
        "namespace_declaration" => symbol(SymbolKind::Module),
        "file_scoped_namespace_declaration" => Role::Own(package),
        "class_declaration" => symbol(SymbolKind::Class),
        "interface_declaration" => symbol(SymbolKind::Interface),
        "struct_declaration" => symbol(SymbolKind::Struct),
        "record_declaration" | "record_struct_declaration" => symbol(SymbolKind::Struct),
        "enum_declaration" => symbol(SymbolKind::Enum),
        "delegate_declaration" => symbol(SymbolKind::Type),
        "method_declaration" => function(At::Field("returns")),
        "local_function_statement" => function(At::Field("type")),
        "constructor_declaration" | "destructor_declaration" => function(At::Nowhere),
        "operator_declaration" => Role::Scope,
        "enum_member_declaration" => Role::Variant(At::Field("name")),
        "variable_declarator" => variable(At::Field("name"), At::Find(sibling_type), At::Find(assigned)),
        "property_declaration" => variable(At::Field("name"), At::Field("type"), At::Nowhere),
        "parameter" => variable(At::Field("name"), At::Field("type"), At::Nowhere),
        "foreach_statement" => variable(At::Field("left"), At::Field("type"), At::Nowhere),
        "declaration_pattern" | "catch_declaration" | "declaration_expression" => {
            variable(At::Field("name"), At::Field("type"), At::Nowhere)
        }
        "base_list" => Role::Bases(ReferenceKind::Extends),
        "invocation_expression" => Role::Call(At::Field("function")),
        "member_access_expression" => Role::Member(At::Field("expression"), At::Field("name")),
        "conditional_access_expression" => Role::Member(At::Field("condition"), At::Find(bound_name)),
        "object_creation_expression" => Role::New(At::Field("type")),
        "identifier" => Role::Name,
        "qualified_name" | "alias_qualified_name" => Role::Path,
        "generic_name" | "nullable_type" | "array_type" => Role::Type,
        "type_argument_list" | "type_of_expression" => Role::Parts,
        "attribute" => Role::Own(attribute),
        "argument" | "attribute_argument" => Role::Own(argument),
        "cast_expression" => Role::Cast(At::Field("type")),
        "as_expression" => Role::Cast(At::Field("right")),
        // `value!` is among the unary expressions.
        "parenthesized_expression" | "await_expression" | "postfix_unary_expression" => Role::Through,
        "block" | "lambda_expression" | "for_statement" | "catch_clause" | "using_statement"
        | "switch_section" => Role::Scope,
        "predefined_type"
        | "implicit_type"
        | "type_parameter_list"
        | "type_parameter_constraints_clause"
        | "modifier"
        | "labeled_statement"
        | "goto_statement"
        | "this"
        | "base"
        | "this_expression"
        | "base_expression"
        | "extern_alias_directive" => Role::Skip,
        _ => Role::Parts,
    }
}

/// The name behind `?.`; an index behind `?` has none.
fn bound_name(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, "member_binding_expression")?.child_by_field_name("name")
}

/// The type in front of a declarator.
fn sibling_type(node: Node<'_>) -> Option<Node<'_>> {
    node.parent()?.child_by_field_name("type")
}

fn using(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let alias = node.child_by_field_name("name");
    let path = children(node).into_iter().rfind(|child| Some(*child) != alias);
    let Some(path) = path.map(|path| builder.text(path)) else { return };
    match alias {
        Some(alias) => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
            builder.import(node, module, Some(name), builder.text(alias), false);
        }
        None => builder.import(node, path, Some("*"), "", false),
    }
}

fn package(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name");
    builder.outline.package = name.map(|name| builder.text(name).to_owned());
    table::parts(builder, table, node, &[name]);
}

fn attribute(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name");
    name.into_iter().for_each(|name| table::visit_type(builder, table, name, ReferenceKind::Use));
    table::parts(builder, table, node, &[name]);
}

/// An argument without its label.
fn argument(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let label = node.child_by_field_name("name");
    table::parts(builder, table, node, &[label]);
}
