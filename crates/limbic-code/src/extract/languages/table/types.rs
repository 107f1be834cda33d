//! References in types by a table.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use super::places::last_name;
use super::rules::{Role, Table};
use super::table_walker::TableWalker;
use super::values::type_name;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

/// Walks a type; its outermost name gets the kind.
pub fn visit_type(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
    builder.nested(|builder| match (table.role)(node.kind()) {
        // A name, or a name with arguments.
        Role::Name | Role::Type => {
            let inner = children(node);
            match inner.as_slice() {
                [] if table.own_type.contains(&builder.text(node)) => {}
                [] => {
                    let name = builder.type_name(builder.text(node));
                    builder.type_reference(node, kind, name);
                }
                [first, rest @ ..] => {
                    visit_type(builder, table, *first, kind);
                    rest.iter().for_each(|part| visit_type(builder, table, *part, ReferenceKind::Type));
                }
            }
        }
        Role::Path | Role::Member(..) => path(builder, table, node, kind),
        Role::Skip => {}
        // The arguments of a base's constructor.
        Role::Call(_) | Role::MethodCall(..) | Role::New(_) | Role::Own(_) => builder.visit(table, node),
        _ => {
            for (index, part) in children(node).into_iter().enumerate() {
                visit_base(builder, table, part, if index == 0 { kind } else { ReferenceKind::Type });
            }
        }
    });
}

/// Walks a base or a part of a type; the arguments of a constructor are values.
pub fn visit_base(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
    if matches!(node.kind(), "arguments" | "argument_list" | "value_arguments") {
        builder.visit(table, node);
    } else {
        visit_type(builder, table, node, kind);
    }
}

/// Adds a reference for the last name of a path. Other nodes in it are walked.
pub fn path(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
    let name = type_name(builder, node);
    let Some(last) = last_name(node) else { return };
    if name.path.len() < 2 {
        builder.type_reference(last, kind, name);
        return;
    }
    let first = builder.lookup(&name.path[0]);
    let target = match first {
        // A local name is the start of the path.
        Expression::Variable(_) | Expression::Symbol(_) | Expression::Instance(_) => {
            name.path[1..].iter().fold(first, |object, part| object.member(part))
        }
        _ => Expression::Type(name.clone()),
    };
    for arguments in type_arguments(node) {
        visit_type(builder, table, arguments, ReferenceKind::Type);
    }
    builder.reference(last, kind, None, target);
}

/// Type arguments within a path.
fn type_arguments(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut at = Some(node);
    for _ in 0..20 {
        let Some(node) = at else { break };
        found.extend(children(node).into_iter().filter(|child| {
            child.kind().contains("type_argument") || child.kind().contains("template_argument")
        }));
        at = node.child_by_field_name("name");
    }
    found
}
