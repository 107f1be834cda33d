//! Bash and its relatives.

use tree_sitter::Node;

use super::super::builder::{Builder, Definition};
use super::nodes::{children, comments_above};
use super::table::{self, At, Role, SymbolRule, Table, VariableRule, parts, visit};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &[],
    own_type: &[],
    base: "",
    bodies: &[],
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
        "function_definition" => Role::Own(function),
        "command" => Role::Own(command),
        "variable_assignment" => Role::Variable(VariableRule {
            name: At::Field("name"),
            declared: At::Nowhere,
            value: At::Nowhere,
            constant: &["readonly"],
        }),
        "word" | "variable_name" | "special_variable_name" | "string_content" => Role::Skip,
        _ => Role::Parts,
    }
}

/// A function, or a test of Bats, whose name is in quotes.
fn function(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("name");
    let test = name.and_then(|name| builder.text(name).strip_prefix("@test "));
    let (Some(name), Some(test)) = (name, test) else {
        table::define(builder, table, node, &SymbolRule::of(SymbolKind::Function));
        return;
    };
    let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
    let signature = (node.start_byte(), end);
    let definition = Definition { kind: SymbolKind::Function, name, node, signature, scope: None };
    let Some(index) = builder.define_named(&definition, test.trim_matches(['"', '\''])) else { return };
    let doc = comments_above(builder, node, |_| true);
    builder.document(index, &doc);
    builder.within(index, |builder| {
        builder.push_scope();
        parts(builder, table, node, &[Some(name)]);
        builder.pop_scope();
    });
}

fn command(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return parts(builder, table, node, &[]) };
    let text = builder.text(name);
    if matches!(text, "source" | ".") {
        let path = children(node).into_iter().find(|part| *part != name);
        if let Some(path) = path.map(|path| builder.text(path).trim_matches(['"', '\''])) {
            // `"$DIR/lib.sh"`: the expansion is unknown, the rest is literal.
            let path = match path.rfind(['$', '}', ')']) {
                Some(at) => path[at..].split_once('/').map_or("", |(_, rest)| rest),
                None => path,
            };
            if !path.is_empty() {
                builder.import(node, path, Some("*"), "", true);
            }
        }
        return;
    }
    let word = children(name).into_iter().next().filter(|word| word.kind() == "word");
    if let Some(word) = word {
        builder.reference(word, ReferenceKind::Call, None, Expression::Name(text.to_owned()));
    } else {
        visit(builder, table, name);
    }
    parts(builder, table, node, &[Some(name)]);
}
