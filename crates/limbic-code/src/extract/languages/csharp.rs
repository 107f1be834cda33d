//! C#.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Closures, Role, SymbolRule, Table, VariableRule, assigned, branches};
use crate::expression::Expression;
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
    own_value,
    closures: Closures {
        kinds: &["lambda_expression", "declaration_expression"],
        parameters: |node| {
            let list = node.child_by_field_name("parameters");
            let several = list.filter(|list| list.kind() == "parameter_list").map(children);
            (several.unwrap_or_else(|| list.into_iter().collect()), list)
        },
        implicit: &[],
        receivers: &[],
    },
    returned: |_| None,
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
        "foreach_statement" => Role::Loop(At::Field("left"), At::Field("type"), At::Field("right")),
        "declaration_pattern" | "recursive_pattern" | "catch_declaration" => {
            variable(At::Field("name"), At::Field("type"), At::Nowhere)
        }
        "declaration_expression" => Role::Own(declaration),
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
        "parenthesized_expression" | "postfix_unary_expression" => Role::Through,
        "await_expression" => Role::Inner(At::Child(0)),
        "element_access_expression" => Role::Index(At::Field("expression")),
        "conditional_expression" => Role::Either(|node| branches(node, &["consequence", "alternative"])),
        "binary_expression" => Role::Either(alternatives),
        "assignment_expression" | "tuple_expression" => Role::Own(|builder, table, node| {
            table::parts(builder, table, node, &[]);
        }),
        "array_creation_expression" => Role::Cast(At::Field("type")),
        "lambda_expression" => Role::Closure,
        "block" | "for_statement" | "catch_clause" | "using_statement" | "switch_section" => Role::Scope,
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

/// The values of `value ?? other`.
fn alternatives(node: Node<'_>) -> Vec<Node<'_>> {
    let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
    if operator == Some("??") { branches(node, &["left", "right"]) } else { Vec::new() }
}

/// A tuple has the values of its items, an assignment the one that is assigned.
fn own_value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    match node.kind() {
        "tuple_expression" => {
            let items = children(node).into_iter().filter_map(|item| children(item).into_iter().next_back());
            Expression::Tuple(items.take(8).map(|item| table::value(builder, table, item, depth)).collect())
        }
        "assignment_expression" => node
            .child_by_field_name("right")
            .map_or(Expression::Unknown, |right| table::value(builder, table, right, depth)),
        _ => Expression::Unknown,
    }
}

/// `out var name`: the method that is called gives the value.
fn declaration(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let given = match builder.closure_callee(node) {
        Some(callee) => Expression::ClosureParameter(Box::new(callee), 0, 1),
        None => Expression::Unknown,
    };
    table::bind_pattern(builder, table, node, given);
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
