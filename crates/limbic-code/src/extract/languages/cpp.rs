//! C++.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::field_children;
use super::table::{
    self, At, Role, SymbolRule, Table, VariableRule, define, parts, type_name, value, visit, visit_type,
};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["this"],
    own_type: &[],
    base: "",
    bodies: &["field_initializer_list", "default_method_clause", "delete_method_clause", "try_statement"],
    type_fields: &["type"],
    label_fields: &["label", "directive"],
    constructor: "",
    typed_calls: &[
        "static_cast",
        "dynamic_cast",
        "const_cast",
        "reinterpret_cast",
        "make_unique",
        "make_shared",
    ],
    own_value: table::unknown,
    closures: table::NO_CLOSURES,
    returned: |_| None,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let symbol = |kind| Role::Symbol(SymbolRule::of(kind));
    match kind {
        "preproc_include" => Role::Own(include),
        "preproc_function_def" => symbol(SymbolKind::Function),
        "preproc_def" => Role::Own(constant),
        "namespace_definition" => symbol(SymbolKind::Module),
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => Role::Own(class),
        "function_definition" => Role::Own(function),
        "declaration" | "field_declaration" => Role::Own(declaration),
        "alias_declaration" => symbol(SymbolKind::Type),
        "type_definition" => {
            Role::Symbol(SymbolRule { name: At::Find(declared_name), ..SymbolRule::of(SymbolKind::Type) })
        }
        "concept_definition" => symbol(SymbolKind::Interface),
        "enumerator" => Role::Variant(At::Field("name")),
        "parameter_declaration" | "optional_parameter_declaration" => Role::Variable(VariableRule {
            name: At::Find(declared_name),
            declared: At::Field("type"),
            value: At::Field("default_value"),
            constant: &[],
        }),
        "friend_declaration" => Role::Own(friend),
        "for_range_loop" => Role::Loop(
            At::Find(|node| binding(node.child_by_field_name("declarator")?).or_else(|| declared_name(node))),
            At::Field("type"),
            At::Field("right"),
        ),
        "base_class_clause" => Role::Bases(ReferenceKind::Extends),
        "call_expression" => Role::Call(At::Field("function")),
        "field_expression" => Role::Member(At::Field("argument"), At::Field("field")),
        "new_expression" | "compound_literal_expression" => Role::New(At::Field("type")),
        "cast_expression" => Role::Cast(At::Field("type")),
        "identifier" => Role::Name,
        "qualified_identifier" | "scoped_identifier" => Role::Path,
        "template_function" | "template_method" | "dependent_name" => Role::Through,
        "type_identifier" | "template_type" => Role::Type,
        "type_descriptor" | "template_argument_list" => Role::Parts,
        "parenthesized_expression" | "pointer_expression" => Role::Through,
        "subscript_expression" => Role::Index(At::Field("argument")),
        "conditional_expression" => {
            Role::Either(|node| table::branches(node, &["consequence", "alternative"]))
        }
        "if_statement" | "while_statement" | "switch_statement" | "compound_statement" | "for_statement"
        | "lambda_expression" | "catch_clause" => Role::Scope,
        "using_declaration"
        | "access_specifier"
        | "type_parameter_declaration"
        | "field_designator"
        | "optional_type_parameter_declaration"
        | "variadic_type_parameter_declaration"
        | "statement_identifier"
        | "goto_statement"
        | "primitive_type"
        | "placeholder_type_specifier"
        | "auto"
        | "this"
        | "type_qualifier"
        | "storage_class_specifier"
        | "virtual_specifier"
        | "preproc_call"
        | "namespace_identifier"
        | "attribute_declaration" => Role::Skip,
        "field_identifier" => Role::Name,
        _ if kind.ends_with("_declarator") => Role::Own(declarator),
        _ => Role::Parts,
    }
}

fn include(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let path = builder.field_text(node, "path").trim_matches(['"', '<', '>']);
    builder.import(node, path, Some("*"), "", true);
}

/// A macro with a value; a guard around a header has none.
fn constant(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if node.child_by_field_name("value").is_some() {
        define(builder, table, node, &SymbolRule::of(SymbolKind::Constant));
    }
}

fn class(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name");
    if node.child_by_field_name("body").is_none() {
        // A use of a type, or its announcement.
        name.into_iter().for_each(|name| visit_type(builder, table, name, ReferenceKind::Type));
        return;
    }
    let kind = match node.kind() {
        "class_specifier" => SymbolKind::Class,
        "enum_specifier" => SymbolKind::Enum,
        _ => SymbolKind::Struct,
    };
    define(builder, table, node, &SymbolRule::of(kind));
}

/// The name within a declarator.
fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..20 {
        let inner = at.child_by_field_name("declarator").or_else(|| {
            let wraps = at.kind().ends_with("_declarator");
            wraps.then(|| super::nodes::children(at).into_iter().next_back()).flatten()
        });
        match inner {
            Some(inner) => at = inner,
            None => break,
        }
    }
    let is_name = at.kind().ends_with("identifier")
        || matches!(at.kind(), "destructor_name" | "operator_name" | "operator_cast" | "template_function");
    is_name.then_some(at)
}

/// The names in brackets within a declarator: `auto& [key, value]`.
fn binding(declarator: Node<'_>) -> Option<Node<'_>> {
    let is_binding = |node: &Node<'_>| node.kind() == "structured_binding_declarator";
    if is_binding(&declarator) {
        return Some(declarator);
    }
    super::nodes::children(declarator).into_iter().find(is_binding)
}

/// The parts of a declarator but the name.
fn declarator(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    for part in super::nodes::children(node) {
        let is_name = part.kind().ends_with("identifier")
            || matches!(
                part.kind(),
                "destructor_name" | "operator_name" | "operator_cast" | "template_function"
            );
        if !is_name {
            visit(builder, table, part);
        }
    }
}

/// The part of a declarator that has the parameters of a function.
fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator");
    for _ in 0..20 {
        let declarator = at?;
        if declarator.kind() == "function_declarator" {
            // `int (*handler)(int)` declares a variable.
            let inner = declarator.child_by_field_name("declarator")?;
            return (inner.kind() != "parenthesized_declarator").then_some(declarator);
        }
        at = declarator.child_by_field_name("declarator").or_else(|| {
            super::nodes::children(declarator).into_iter().find(|child| child.kind().ends_with("declarator"))
        });
    }
    None
}

fn function(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let rule = SymbolRule { name: At::Find(declared_name), ..SymbolRule::function(At::Field("type")) };
    define(builder, table, node, &rule);
}

/// A function of a type's friends may be defined with the type.
fn friend(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    super::nodes::child_of_kind(node, "function_definition")
        .into_iter()
        .for_each(|definition| visit(builder, table, definition));
}

fn declaration(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if function_declarator(node).is_some() {
        // A prototype: the definition is elsewhere, unless the method is pure.
        if node.child_by_field_name("default_value").is_some() {
            function(builder, table, node);
        } else {
            builder.push_scope();
            parts(builder, table, node, &[declared_name(node)]);
            builder.pop_scope();
        }
        return;
    }
    let declared = node.child_by_field_name("type");
    if let Some(declared) = declared {
        visit_type(builder, table, declared, ReferenceKind::Type);
        if declared.kind().ends_with("_specifier") {
            visit(builder, table, declared);
        }
    }
    let class =
        builder.current().filter(|index| !builder.is_local() && builder.symbol(*index).kind.is_type());
    for declarator in field_children(node, "declarator") {
        // In a condition, the value is a part of the declaration.
        let assigned = declarator.child_by_field_name("value").or_else(|| node.child_by_field_name("value"));
        let is_auto = declared.is_none_or(|declared| declared.kind() == "placeholder_type_specifier");
        let held = match (declared, assigned) {
            (Some(declared), _) if !is_auto => Expression::Typed(type_name(builder, declared)),
            (_, Some(assigned)) => value(builder, table, assigned, 0),
            _ => Expression::Unknown,
        };
        assigned.into_iter().for_each(|assigned| visit(builder, table, assigned));
        let inner = declarator.child_by_field_name("declarator");
        if let Some(several) = inner.and_then(binding) {
            table::bind_pattern(builder, table, several, held);
            continue;
        }
        let name = match declarator.kind().ends_with("identifier") {
            true => Some(declarator),
            false => declared_name(declarator).or_else(|| {
                super::nodes::children(declarator)
                    .into_iter()
                    .find(|child| child.kind().ends_with("identifier"))
            }),
        };
        let Some(name) = name.map(|name| builder.text(name)) else { continue };
        match class {
            Some(class) => builder.field(class, name, held),
            None => {
                builder.variable(name, held);
            }
        }
    }
}
