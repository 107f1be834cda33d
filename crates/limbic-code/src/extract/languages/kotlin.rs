//! Kotlin.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::arity;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Role, SymbolRule, Table, VariableRule, after, assigned, parts};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};
use crate::language::Language;

const TABLE: Table = Table {
    role,
    receivers: &["this"],
    own_type: &[],
    base: "super",
    bodies: &["class_body", "enum_class_body", "function_body", "block"],
    type_fields: &[],
    label_fields: &[],
    constructor: "",
    typed_calls: &[],
    own_value: table::unknown,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    match kind {
        "package_header" => Role::Own(package),
        "import" => Role::Own(import),
        "class_declaration" => Role::Symbol(SymbolRule {
            keywords: &[
                ("interface", SymbolKind::Interface),
                ("annotation", SymbolKind::Interface),
                ("enum", SymbolKind::Enum),
            ],
            ..SymbolRule::of(SymbolKind::Class)
        }),
        "object_declaration" => Role::Symbol(SymbolRule::of(SymbolKind::Class)),
        "type_alias" => {
            Role::Symbol(SymbolRule { name: At::Field("type"), ..SymbolRule::of(SymbolKind::Type) })
        }
        "function_declaration" => {
            Role::Symbol(SymbolRule { owner: At::Find(receiver), ..SymbolRule::function(At::Find(result)) })
        }
        "secondary_constructor"
        | "anonymous_initializer"
        | "getter"
        | "setter"
        | "lambda_literal"
        | "anonymous_function"
        | "for_statement"
        | "catch_block"
        | "block" => Role::Scope,
        "property_declaration" => Role::Own(property),
        "parameter" | "class_parameter" => Role::Own(parameter),
        "variable_declaration" => Role::Variable(VariableRule {
            name: At::Kind("identifier"),
            declared: At::Child(1),
            value: At::Nowhere,
            constant: &[],
        }),
        "enum_entry" => Role::Variant(At::Kind("identifier")),
        "delegation_specifiers" => Role::Bases(ReferenceKind::Extends),
        "delegation_specifier" | "explicit_delegation" => Role::Parts,
        "constructor_invocation" => Role::Parts,
        "call_expression" => Role::Call(At::Find(called)),
        "navigation_expression" => Role::Member(At::Child(0), At::Last),
        "identifier" => Role::Name,
        "user_type" | "nullable_type" => Role::Type,
        "type_arguments" | "type_projection" => Role::Parts,
        "as_expression" => Role::Cast(At::Field("right")),
        // `value!!` is among the unary expressions.
        "parenthesized_expression" | "index_expression" | "unary_expression" => Role::Through,
        "value_argument" => Role::Own(argument),
        "annotation" => Role::Parts,
        "type_parameters"
        | "label"
        | "this_expression"
        | "super_expression"
        | "qualified_identifier"
        | "modifiers" => Role::Skip,
        _ => Role::Parts,
    }
}

fn package(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    builder.outline.package = children(node).into_iter().next().map(|name| builder.text(name).to_owned());
}

fn import(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let names = children(node);
    let Some(path) = names.first() else { return };
    let text = builder.text(*path);
    if builder.text(node).trim_end().ends_with(".*") {
        builder.import(node, text, Some("*"), "", false);
        return;
    }
    let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
    let local = names.get(1).map_or(name, |alias| builder.text(*alias));
    builder.import(node, module, Some(name), local, false);
    if let Some(last) = table::last_name(*path) {
        builder.import_reference(last);
    }
}

/// The type that an extension function extends: it precedes the name.
fn receiver(node: Node<'_>) -> Option<Node<'_>> {
    let name = node.child_by_field_name("name")?;
    children(node).into_iter().find(|part| {
        part.end_byte() <= name.start_byte() && matches!(part.kind(), "user_type" | "nullable_type")
    })
}

/// What a call calls. A function behind its parentheses is a further argument.
fn called(node: Node<'_>) -> Option<Node<'_>> {
    let parts = children(node);
    let call = arity::called_with_function(Language::Kotlin, &parts);
    call.map_or_else(|| parts.first().copied(), |call| children(call).first().copied())
}

/// The type behind the parameters.
fn result(node: Node<'_>) -> Option<Node<'_>> {
    let parameters = child_of_kind(node, "function_value_parameters")?;
    children(node)
        .into_iter()
        .find(|part| part.start_byte() >= parameters.end_byte() && part.kind().ends_with("_type"))
}

fn property(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if child_of_kind(node, "variable_declaration").is_none() {
        return parts(builder, table, node, &[]);
    }
    let rule = VariableRule {
        name: At::Find(|node| child_of_kind(child_of_kind(node, "variable_declaration")?, "identifier")),
        declared: At::Find(|node| children(child_of_kind(node, "variable_declaration")?).into_iter().nth(1)),
        value: At::Find(assigned),
        constant: &["const"],
    };
    table::declare(builder, table, node, &rule);
}

/// A parameter; one with `val` or `var` is a field as well.
fn parameter(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "identifier") else { return };
    let declared = after(node, ":");
    if let Some(declared) = declared {
        table::visit_type(builder, table, declared, ReferenceKind::Type);
    }
    let held = declared
        .map_or(Expression::Unknown, |declared| Expression::Typed(table::type_name(builder, declared)));
    if let Some(default) = assigned(node) {
        table::visit(builder, table, default);
    }
    let text = builder.text(name);
    let class =
        builder.current().filter(|index| !builder.is_local() && builder.symbol(*index).kind.is_type());
    match class {
        Some(class) => builder.field(class, text, held),
        None => {
            builder.variable(text, held);
        }
    }
}

/// An argument without its label.
fn argument(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let label = assigned(node).and_then(|_| children(node).into_iter().next());
    parts(builder, table, node, &[label]);
}
