//! Swift.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Closures, Role, SymbolRule, Table, VariableRule, define, parts};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["self"],
    own_type: &["Self"],
    base: "super",
    bodies: &["class_body", "enum_class_body", "protocol_body", "function_body"],
    type_fields: &[],
    label_fields: &["external_name"],
    constructor: "",
    typed_calls: &[],
    own_value,
    closures: Closures {
        kinds: &["lambda_literal"],
        parameters: |node| {
            let list = node.child_by_field_name("type");
            let several = list.and_then(|list| child_of_kind(list, "lambda_function_type_parameters"));
            (several.map(children).unwrap_or_default(), list)
        },
        implicit: &["$0", "$1", "$2"],
        receivers: &[],
    },
    returned: |_| None,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let function = SymbolRule { owner: At::Find(extended), ..SymbolRule::function(At::Find(result)) };
    match kind {
        "import_declaration" => Role::Own(import),
        "class_declaration" => Role::Own(class),
        "protocol_declaration" => Role::Symbol(SymbolRule::of(SymbolKind::Interface)),
        "typealias_declaration" => Role::Symbol(SymbolRule::of(SymbolKind::Type)),
        "function_declaration" | "protocol_function_declaration" => Role::Symbol(function),
        "init_declaration" => Role::Symbol(SymbolRule { name: At::Nowhere, fixed_name: "init", ..function }),
        "deinit_declaration" => {
            Role::Symbol(SymbolRule { name: At::Nowhere, fixed_name: "deinit", ..function })
        }
        "subscript_declaration" | "statements" | "computed_property" => Role::Scope,
        "lambda_literal" => Role::Closure,
        "if_statement" | "guard_statement" | "while_statement" => Role::Own(condition),
        "for_statement" => Role::Loop(At::Field("item"), At::Nowhere, At::Field("collection")),
        "switch_entry" => Role::Own(case),
        "nil_coalescing_expression" => Role::Either(|node| table::branches(node, &["value", "if_nil"])),
        "ternary_expression" => Role::Either(|node| table::branches(node, &["if_true", "if_false"])),
        "array_literal" => Role::List,
        "enum_entry" => Role::Variant(At::Field("name")),
        "property_declaration" | "protocol_property_declaration" => Role::Own(property),
        "parameter" => Role::Own(parameter),
        "lambda_parameter" => Role::Own(parameter),
        "inheritance_specifier" => Role::Bases(ReferenceKind::Extends),
        "call_expression" => Role::Call(At::Child(0)),
        "navigation_expression" => Role::Member(At::Field("target"), At::Find(suffix)),
        "as_expression" => Role::Cast(At::Field("type")),
        "simple_identifier" => Role::Name,
        "user_type" | "type_identifier" | "optional_type" | "array_type" => Role::Type,
        "type_arguments" | "type_annotation" | "dictionary_type" | "tuple_type" => Role::Parts,
        // `value!` is among them.
        "postfix_expression" => Role::Through,
        "try_expression" | "await_expression" | "prefix_expression" | "tuple_expression" => {
            Role::Own(through)
        }
        "pattern"
        | "value_argument_label"
        | "type_parameters"
        | "type_constraints"
        | "modifiers"
        | "self_expression"
        | "super_expression"
        | "value_binding_pattern"
        | "attribute"
        | "try_operator" => Role::Skip,
        _ => Role::Parts,
    }
}

/// A prefix such as `.name` names a member of a type that the context decides.
fn through(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if !builder.text(node).starts_with('.') {
        parts(builder, table, node, &[]);
    }
}

/// A `try` or `await` expression has the value of its last part.
fn own_value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    let parts = children(node);
    if node.kind() == "tuple_expression"
        && parts.len() > 1
        && child_of_kind(node, "value_argument_label").is_none()
    {
        let items = parts.into_iter().take(8).map(|item| table::value(builder, table, item, depth));
        return Expression::Tuple(items.collect());
    }
    match parts.into_iter().next_back() {
        Some(last) if matches!(node.kind(), "try_expression" | "await_expression" | "tuple_expression") => {
            table::value(builder, table, last, depth)
        }
        _ => Expression::Unknown,
    }
}

fn import(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    if let Some(name) = child_of_kind(node, "identifier") {
        builder.import(node, builder.text(name), Some("*"), "", false);
    }
}

/// Whether a declaration extends a type that is defined elsewhere.
fn is_extension(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "extension")
}

/// The type that the extension around a definition extends.
fn extended(node: Node<'_>) -> Option<Node<'_>> {
    let around = node.parent()?.parent()?;
    if around.kind() == "class_declaration" && is_extension(around) {
        return around.child_by_field_name("name");
    }
    None
}

fn class(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if !is_extension(node) {
        let keywords = &[("struct", SymbolKind::Struct), ("enum", SymbolKind::Enum)];
        define(builder, table, node, &SymbolRule { keywords, ..SymbolRule::of(SymbolKind::Class) });
        return;
    }
    let name = node.child_by_field_name("name");
    if let Some(name) = name {
        table::visit_type(builder, table, name, ReferenceKind::Type);
        let of = table::type_name(builder, name);
        for list in children(node).into_iter().filter(|part| part.kind() == "inheritance_specifier") {
            let base = table::type_name(builder, list);
            builder.implementation(of.clone(), base, Vec::new());
        }
    }
    parts(builder, table, node, &[name]);
}

/// The type of the result, after `->`.
fn result(node: Node<'_>) -> Option<Node<'_>> {
    table::after(node, "->")
}

/// The name behind the point.
fn suffix(node: Node<'_>) -> Option<Node<'_>> {
    let suffix = node.child_by_field_name("suffix")?;
    suffix.child_by_field_name("suffix").filter(|name| name.kind() == "simple_identifier")
}

/// `if let name = value`, `guard let name = value else { ... }`, behind which the name is bound.
fn condition(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let is_guard = node.kind() == "guard_statement";
    if !is_guard {
        builder.push_scope();
    }
    let mut is_open = !is_guard;
    let mut name = None;
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        loop {
            found.push((cursor.field_name().unwrap_or_default() == "bound_identifier", cursor.node()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    for (is_name, part) in found {
        match part.kind() {
            "," => name = None,
            _ if is_name => name = Some(part),
            // What follows is read without the names.
            "else" if is_open => {
                builder.pop_scope();
                is_open = false;
            }
            _ if !part.is_named() || part.is_extra() || part.kind() == "value_binding_pattern" => {}
            "type_annotation" | "statements" => table::visit(builder, table, part),
            _ => {
                table::visit(builder, table, part);
                if let Some(name) = name.take() {
                    let held = table::value(builder, table, part, 0);
                    builder.variable(builder.text(name), held);
                }
            }
        }
    }
    if is_open {
        builder.pop_scope();
    }
}

/// `case let name as Type:` binds the name.
fn case(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    builder.push_scope();
    for part in children(node) {
        match child_of_kind(part, "pattern").filter(|_| part.kind() == "switch_pattern") {
            Some(pattern) if builder.text(pattern).starts_with("let ") => {
                table::bind_pattern(builder, table, pattern, Expression::Unknown);
            }
            _ => table::visit(builder, table, part),
        }
    }
    builder.pop_scope();
}

fn property(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let pattern = node.child_by_field_name("name");
    if let Some(pattern) = pattern
        .filter(|pattern| builder.is_local() && pattern.child_by_field_name("bound_identifier").is_none())
    {
        parts(builder, table, node, &[Some(pattern)]);
        let held = node.child_by_field_name("value");
        let held = held.map_or(Expression::Unknown, |held| table::value(builder, table, held, 0));
        return table::bind_pattern(builder, table, pattern, held);
    }
    let rule = VariableRule {
        name: At::Find(|node| node.child_by_field_name("name")?.child_by_field_name("bound_identifier")),
        declared: At::Kind("type_annotation"),
        value: At::Field("value"),
        constant: &[],
    };
    table::declare(builder, table, node, &rule);
}

fn parameter(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let declared = table::after(node, ":");
    if let Some(declared) = declared {
        table::visit_type(builder, table, declared, ReferenceKind::Type);
    }
    let held = declared
        .map_or(Expression::Unknown, |declared| Expression::Typed(table::type_name(builder, declared)));
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "simple_identifier");
    if let Some(name) = name {
        builder.variable(builder.text(name), held);
    }
}
