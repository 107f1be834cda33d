//! A walk that a table of node kinds describes, for languages that need few rules of their own.
//!
//! A language gives each kind of node a [`Role`] and says with [`At`] where the parts of the node are. Nodes that no
//! role describes have a function of their own.

mod anonymous_types;
mod closures;
mod definitions;
mod parts;
mod doc_types;
mod loops;
mod destructuring;
mod places;
mod rules;
mod table_walker;
mod type_text;
mod types;
mod values;

use tree_sitter::Node;

use super::super::builder::Builder;
use super::arity;
use super::nodes::{child_of_kind, children};
use crate::facts::ReferenceKind;
pub use anonymous_types::anonymous_type;
use closures::closure;
pub use closures::note_closures;
pub use definitions::{declare, define};
pub use destructuring::bind_pattern;
pub use doc_types::{doc_type, is_documented};
use loops::iterate;
pub use parts::parts;
pub use places::{At, after, assigned, last_name};
pub use rules::{Closures, NO_CLOSURES, Role, SymbolRule, Table, VariableRule, unknown};
use table_walker::TableWalker;
pub use types::visit_type;
use types::{path, visit_base};
use values::object_value;
pub use values::{branches, last_part, type_name, value};

/// Collects the facts of a file.
pub fn walk(builder: &mut Builder<'_>, table: &Table, root: Node<'_>) {
    parts(builder, table, root, &[]);
}

impl TableWalker for Builder<'_> {
    fn visit(&mut self, table: &Table, node: Node<'_>) {
        visit(self, table, node);
    }
}

/// Walks a declaration, statement or expression.
pub fn visit(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    builder.nested(|builder| match (table.role)(node.kind()) {
        Role::Symbol(rule) => {
            define(builder, table, node, &rule);
        }
        Role::Variable(rule) => declare(builder, table, node, &rule),
        Role::Variant(name) => definitions::variant(builder, table, node, name),
        Role::Call(callee) => call(builder, table, node, callee),
        Role::MethodCall(receiver, name) => {
            if let (Some(receiver), Some(name)) = (receiver.of(node), name.of(node)) {
                note_closures(builder, table, node, &|builder| {
                    value(builder, table, receiver, 0).member(builder.text(name))
                });
            }
            method_call(builder, table, node, receiver, name);
            parts(builder, table, node, &[receiver.of(node), name.of(node)]);
        }
        Role::Member(object, name) => member(builder, table, node, (object, name), ReferenceKind::Use),
        Role::New(class) => {
            let class = class.of(node);
            if let Some(class) = class {
                visit_type(builder, table, class, ReferenceKind::Call);
            }
            parts(builder, table, node, &[class]);
        }
        Role::Cast(class) => {
            let class = class.of(node);
            class.into_iter().for_each(|class| visit_type(builder, table, class, ReferenceKind::Type));
            parts(builder, table, node, &[class]);
        }
        Role::Name => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        Role::Path => path(builder, table, node, ReferenceKind::Use),
        Role::Type => visit_type(builder, table, node, ReferenceKind::Type),
        Role::Bases(kind) => {
            children(node).into_iter().for_each(|base| visit_base(builder, table, base, kind));
        }
        Role::Scope => {
            builder.push_scope();
            parts(builder, table, node, &[]);
            builder.pop_scope();
        }
        Role::Skip | Role::Placeholder => {}
        Role::Loop(pattern, declared, list) => iterate(builder, table, node, (pattern, declared, list)),
        Role::Closure => closure(builder, table, node),
        Role::Through | Role::Parts | Role::Index(_) | Role::Inner(_) | Role::Either(_) | Role::List => {
            parts(builder, table, node, &[])
        }
        Role::Own(walk) => walk(builder, table, node),
    });
}

fn call(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, callee: At) {
    let Some(called) = callee.of(node) else { return parts(builder, table, node, &[]) };
    let before = builder.references.len();
    reference_to(builder, table, called, ReferenceKind::Call);
    // What another call returns is called without a name.
    if !matches!((table.role)(called.kind()), Role::Call(_)) {
        builder.count_arguments(before, arity::arguments(builder, node));
    }
    let inner = arity::called_with_function(builder.language, &children(node));
    note_closures(builder, table, node, &|builder| {
        // `with(object) { ... }` has its argument as receiver.
        let argument = inner.filter(|_| builder.text(called) == "with").and_then(only_argument);
        match argument {
            Some(argument) => value(builder, table, argument, 0).member("with"),
            None => value(builder, table, called, 0),
        }
    });
    inner.into_iter().for_each(|inner| parts(builder, table, inner, &[Some(called)]));
    parts(builder, table, node, &[Some(called), inner]);
}

/// The argument of a call that has one.
fn only_argument(call: Node<'_>) -> Option<Node<'_>> {
    let [argument] = children(child_of_kind(call, "value_arguments")?).try_into().ok()?;
    children(argument).into_iter().next_back()
}

/// Adds a reference to the name in a node; other nodes are walked.
fn reference_to(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
    match (table.role)(node.kind()) {
        Role::Name => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, kind, None, target);
        }
        Role::Path => path(builder, table, node, kind),
        Role::Type => visit_type(builder, table, node, kind),
        Role::Member(object, name) => member(builder, table, node, (object, name), kind),
        // `name<T>`.
        Role::Through => {
            let inner = children(node).into_iter().next();
            builder.nested(|builder| {
                inner.into_iter().for_each(|inner| reference_to(builder, table, inner, kind));
            });
            parts(builder, table, node, &[inner]);
        }
        _ => visit(builder, table, node),
    }
}

/// `object.name`, with the places of both.
pub fn member(
    builder: &mut Builder<'_>,
    table: &Table,
    node: Node<'_>,
    (object, name): (At, At),
    kind: ReferenceKind,
) {
    let (Some(object), Some(name)) = (object.of(node), name.of(node)) else {
        return parts(builder, table, node, &[]);
    };
    visit(builder, table, object);
    let name = last_name(name).unwrap_or(name);
    let target = object_value(builder, table, node, object, 0).member(builder.text(name));
    builder.reference(name, kind, Some(object), target);
}

/// A call of a method: walks the receiver and adds the reference. The rest is left to the caller.
pub fn method_call(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, receiver: At, name: At) {
    let Some(name) = name.of(node) else { return };
    match receiver.of(node) {
        Some(receiver) => {
            visit(builder, table, receiver);
            let text = builder.text(name);
            let object = value(builder, table, receiver, 0);
            // A constructor without a definition is its type.
            if text == table.constructor && !text.is_empty() {
                builder.reference(name, ReferenceKind::Call, Some(receiver), object);
                return;
            }
            builder.reference(name, ReferenceKind::Call, Some(receiver), object.member(text));
        }
        None => {
            let target = builder.lookup(builder.text(name));
            builder.reference(name, ReferenceKind::Call, None, target);
        }
    }
}
