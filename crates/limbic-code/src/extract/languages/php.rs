//! PHP.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Role, SymbolRule, Table, VariableRule, parts, value, visit};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["$this"],
    own_type: &["self", "static"],
    base: "parent",
    bodies: &["compound_statement"],
    type_fields: &["type", "return_type"],
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
    let variable =
        |name, declared, value| Role::Variable(VariableRule { name, declared, value, constant: &[] });
    match kind {
        "namespace_definition" => Role::Own(namespace),
        "namespace_use_declaration" => Role::Own(uses),
        "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => Role::Own(include),
        "class_declaration" => symbol(SymbolKind::Class),
        "interface_declaration" => symbol(SymbolKind::Interface),
        "trait_declaration" => symbol(SymbolKind::Trait),
        "enum_declaration" => symbol(SymbolKind::Enum),
        "function_definition" | "method_declaration" => {
            Role::Symbol(SymbolRule::function(At::Field("return_type")))
        }
        "enum_case" => Role::Variant(At::Field("name")),
        "const_element" => Role::Variable(VariableRule {
            name: At::Child(0),
            declared: At::Nowhere,
            value: At::Child(1),
            constant: &["*"],
        }),
        "property_element" => variable(At::Child(0), At::Find(property_type), At::Find(table::assigned)),
        "simple_parameter" | "property_promotion_parameter" | "variadic_parameter" => Role::Own(parameter),
        "assignment_expression" => Role::Own(assignment),
        "foreach_statement" => Role::Parts,
        "base_clause" => Role::Bases(ReferenceKind::Extends),
        "class_interface_clause" => Role::Bases(ReferenceKind::Implements),
        "use_declaration" => Role::Own(used_traits),
        "function_call_expression" => Role::Call(At::Field("function")),
        "member_call_expression" | "nullsafe_member_call_expression" => {
            Role::MethodCall(At::Field("object"), At::Field("name"))
        }
        "scoped_call_expression" => Role::MethodCall(At::Field("scope"), At::Field("name")),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            Role::Member(At::Field("object"), At::Field("name"))
        }
        "class_constant_access_expression" => Role::Member(At::Child(0), At::Child(1)),
        "scoped_property_access_expression" => Role::Member(At::Field("scope"), At::Field("name")),
        "object_creation_expression" => Role::New(At::Child(0)),
        "variable_name" | "name" => Role::Name,
        "qualified_name" => Role::Path,
        "named_type" | "optional_type" | "union_type" => Role::Type,
        "argument" => Role::Own(argument),
        "parenthesized_expression" => Role::Through,
        "anonymous_function" | "arrow_function" | "anonymous_function_creation_expression" => Role::Scope,
        "primitive_type"
        | "relative_scope"
        | "php_tag"
        | "text"
        | "text_interpolation"
        | "goto_statement"
        | "named_label_statement"
        | "namespace_name" => Role::Skip,
        _ => Role::Parts,
    }
}

/// A namespace with a body is a module, one without the package of the file.
fn namespace(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if node.child_by_field_name("body").is_some() {
        table::define(builder, table, node, &SymbolRule::of(SymbolKind::Module));
    } else {
        builder.outline.package = Some(builder.field_text(node, "name").to_owned());
    }
}

fn uses(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let group = child_of_kind(node, "namespace_use_group");
    let prefix = group.and_then(|_| child_of_kind(node, "namespace_name")).map(|prefix| builder.text(prefix));
    for clause in children(group.unwrap_or(node)) {
        if clause.kind() != "namespace_use_clause" {
            continue;
        }
        let alias = clause.child_by_field_name("alias");
        let Some(path) = children(clause).into_iter().next() else { continue };
        let (module, name) = builder.text(path).rsplit_once('\\').unwrap_or(("", builder.text(path)));
        let module = [prefix.unwrap_or_default(), module].join("\\");
        let local = alias.map_or(name, |alias| builder.text(alias));
        builder.import(clause, module.trim_matches('\\'), Some(name), local, false);
        if let Some(last) = table::last_name(path) {
            builder.import_reference(last);
        }
    }
}

fn include(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    match children(node).into_iter().next().filter(|path| path.kind().contains("string")) {
        Some(path) => {
            let path = builder.text(path).trim_matches(['"', '\'']);
            builder.import(node, path, Some("*"), "", true);
        }
        None => parts(builder, table, node, &[]),
    }
}

/// The type of a property precedes all its elements.
fn property_type(node: Node<'_>) -> Option<Node<'_>> {
    node.parent()?.child_by_field_name("type")
}

/// A parameter; one with a visibility is a field as well.
fn parameter(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let declared = node.child_by_field_name("type");
    let name = builder.field_text(node, "name");
    let held = declared
        .map_or(Expression::Unknown, |declared| Expression::Typed(table::type_name(builder, declared)));
    parts(builder, table, node, &[node.child_by_field_name("name")]);
    builder.variable(name, held.clone());
    if node.kind() == "property_promotion_parameter"
        && let Some(class) = builder.enclosing(|symbol| symbol.kind.is_type())
    {
        builder.field(class, name.trim_start_matches('$'), held);
    }
}

/// The first `$name = value` declares a variable.
fn assignment(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    right.into_iter().for_each(|right| visit(builder, table, right));
    match left {
        Some(left) if left.kind() == "variable_name" => {
            let held = right.map_or(Expression::Unknown, |right| value(builder, table, right, 0));
            builder.variable(builder.text(left), held);
        }
        Some(left) => visit(builder, table, left),
        None => {}
    }
}

/// `use Trait;` in a class.
fn used_traits(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(class) = builder.current() else { return };
    let outside = builder.symbol(class).parent;
    for name in children(node).into_iter().filter(|name| name.kind().ends_with("name")) {
        let base = table::type_name(builder, name);
        builder.symbol_mut(class).bases.push(crate::expression::TypeName { scope: outside, ..base });
        table::visit_type(builder, table, name, ReferenceKind::Extends);
    }
}

/// An argument without its label.
fn argument(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    parts(builder, table, node, &[node.child_by_field_name("name")]);
}
