//! Lua.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Role, SymbolRule, Table, define, parts, value, visit};
use crate::expression::Expression;
use crate::facts::SymbolKind;

const TABLE: Table = Table {
    role,
    receivers: &["self"],
    own_type: &[],
    base: "",
    bodies: &["block"],
    type_fields: &[],
    label_fields: &[],
    constructor: "",
    typed_calls: &[],
    own_value: table::unknown,
    closures: table::NO_CLOSURES,
    returned: |_| None,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    match kind {
        "function_declaration" => Role::Symbol(SymbolRule::of(SymbolKind::Function)),
        "assignment_statement" => Role::Own(assignment),
        "function_definition" => Role::Scope,
        "parameters" => Role::Own(names),
        "for_numeric_clause" | "for_generic_clause" => Role::Own(names),
        "function_call" => Role::Call(At::Field("name")),
        "dot_index_expression" => Role::Member(At::Field("table"), At::Field("field")),
        "method_index_expression" => Role::Member(At::Field("table"), At::Field("method")),
        "identifier" => Role::Name,
        "parenthesized_expression" => Role::Through,
        "block" | "for_statement" | "while_statement" | "repeat_statement" => Role::Scope,
        "field" => Role::Own(table_field),
        "goto_statement" | "label_statement" => Role::Skip,
        _ => Role::Parts,
    }
}

/// `name = value` and `local name = value`, pairwise.
fn assignment(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let list = |kind| child_of_kind(node, kind).map(children).unwrap_or_default();
    let (places, held) = (list("variable_list"), list("expression_list"));
    let is_declaration = node.parent().is_some_and(|parent| parent.kind() == "variable_declaration");
    for (index, place) in places.iter().enumerate() {
        let assigned = held.get(index).copied();
        match assigned.map(|assigned| assigned.kind()) {
            Some("function_definition") => {
                let rule = SymbolRule {
                    name: At::Find(|node| children(child_of_kind(node, "variable_list")?).into_iter().next()),
                    ..SymbolRule::of(SymbolKind::Function)
                };
                if places.len() == 1 {
                    define(builder, table, node, &rule);
                    return;
                }
            }
            Some("function_call") if place.kind() == "identifier" => {
                if let Some(path) = assigned.and_then(|call| required(builder, call)) {
                    builder.import(node, &path, None, builder.text(*place), false);
                    continue;
                }
            }
            _ => {}
        }
        assigned.into_iter().for_each(|assigned| visit(builder, table, assigned));
        match place.kind() {
            "identifier" if is_declaration => {
                let held =
                    assigned.map_or(Expression::Unknown, |assigned| value(builder, table, assigned, 0));
                builder.variable(builder.text(*place), held);
            }
            _ => visit(builder, table, *place),
        }
    }
    held.iter().skip(places.len()).for_each(|rest| visit(builder, table, *rest));
}

/// The file that `require("a.b")` loads: `a/b.lua`.
fn required(builder: &Builder<'_>, call: Node<'_>) -> Option<String> {
    if builder.field_text(call, "name") != "require" {
        return None;
    }
    let argument = children(call.child_by_field_name("arguments")?).into_iter().next()?;
    let path = builder.text(argument).trim_matches(['"', '\'', '[', ']']);
    (!path.is_empty()).then(|| format!("{}.lua", path.replace('.', "/")))
}

/// Parameters and the variables of loops.
fn names(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    for part in children(node) {
        match part.kind() {
            "identifier" => {
                builder.variable(builder.text(part), Expression::Unknown);
            }
            "variable_list" => names(builder, table, part),
            _ => visit(builder, table, part),
        }
    }
}

/// A field of a table: its name refers to nothing.
fn table_field(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    parts(builder, table, node, &[name]);
}
