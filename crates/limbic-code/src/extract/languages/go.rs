//! Go: declarations and statements. Signatures, values and types are in `go/`.

mod go_types;
mod go_walker;
mod operands;
mod signatures;

use tree_sitter::Node;

use super::super::builder::{Builder, Definition, number};
use super::nodes::{child_of_kind, children, comments_above, field_children, parts_and_errors};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind, TypeParameter};
use go_types::{type_name, type_references};
use go_walker::GoWalker;
use operands::{value, visit};
use signatures::signature;

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    for child in parts_and_errors(root) {
        statement(builder, child);
    }
}

impl GoWalker for Builder<'_> {
    fn statement(&mut self, node: Node<'_>) {
        statement(self, node);
    }
}

/// Walks a declaration or statement.
fn statement(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.nested(|builder| match node.kind() {
        "package_clause" => {
            let name = children(node).first().map(|name| builder.text(*name).to_owned());
            builder.outline.package = name;
        }
        "import_declaration" | "import_spec_list" => {
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
        }
        "import_spec" => import(builder, node),
        "function_declaration" => function(builder, node, None),
        "method_declaration" => method(builder, node),
        "type_declaration" => {
            for child in children(node) {
                type_declaration(builder, child, node);
            }
        }
        "const_declaration" | "var_declaration" | "var_spec_list" => {
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
        }
        "const_spec" | "var_spec" => variables(builder, node),
        "short_var_declaration" => {
            if let (Some(left), Some(right)) =
                (node.child_by_field_name("left"), node.child_by_field_name("right"))
            {
                visit(builder, right);
                bind(builder, &children(left), &children(right));
            }
        }
        "assignment_statement" => {
            node.child_by_field_name("right").into_iter().for_each(|right| visit(builder, right));
            node.child_by_field_name("left").into_iter().for_each(|left| visit(builder, left));
        }
        "block"
        | "if_statement"
        | "for_statement"
        | "expression_switch_statement"
        | "expression_case"
        | "default_case"
        | "select_statement"
        | "communication_case" => {
            builder.push_scope();
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
            builder.pop_scope();
        }
        "type_switch_statement" => type_switch(builder, node),
        "range_clause" => {
            if let Some(right) = node.child_by_field_name("right") {
                visit(builder, right);
                let list = value(builder, right, 0);
                let left = node.child_by_field_name("left").map(children).unwrap_or_default();
                for (index, name) in left.into_iter().enumerate() {
                    let held = match index {
                        0 => Expression::Unknown,
                        _ => Expression::Index(Box::new(list.clone())),
                    };
                    if name.kind() == "identifier" {
                        builder.variable(builder.text(name), held);
                    } else {
                        visit(builder, name);
                    }
                }
            }
        }
        "receive_statement" => {
            if let Some(right) = node.child_by_field_name("right") {
                visit(builder, right);
                let left = node.child_by_field_name("left").map(children).unwrap_or_default();
                bind(builder, &left, &[right]);
            }
        }
        "return_statement"
        | "expression_statement"
        | "statement_list"
        | "for_clause"
        | "labeled_statement"
        | "defer_statement"
        | "go_statement"
        | "ERROR"
        | "send_statement"
        | "inc_statement"
        | "dec_statement" => {
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
        }
        "comment" | "label_name" | "empty_statement" => {}
        _ => visit(builder, node),
    });
}

fn import(builder: &mut Builder<'_>, node: Node<'_>) {
    let path = builder.field_text(node, "path").trim_matches(['"', '`']);
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let default = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    let default = default.split_once(".v").map_or(default, |(name, _)| name);
    match node.child_by_field_name("name").map(|name| (name.kind(), builder.text(name))) {
        Some(("dot", _)) => builder.import(node, path, Some("*"), "", false),
        Some(("blank_identifier", _)) => builder.import(node, path, None, "", false),
        Some((_, alias)) => builder.import(node, path, None, alias, false),
        None => builder.import(node, path, None, default, false),
    }
}

fn define(
    builder: &mut Builder<'_>,
    kind: SymbolKind,
    node: Node<'_>,
    whole: Node<'_>,
    scope: Option<String>,
) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let body = node.child_by_field_name("body");
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let definition = Definition { kind, name, node: whole, signature: (whole.start_byte(), end), scope };
    let index = builder.define(&definition)?;
    let doc = comments_above(builder, whole, |_| true);
    builder.document(index, &doc);
    let list = node.child_by_field_name("type_parameters").map(children).unwrap_or_default();
    let mut parameters = Vec::new();
    for parameter in list {
        let bound = parameter.child_by_field_name("type");
        if let Some(bound) = bound {
            type_references(builder, bound);
        }
        for name in field_children(parameter, "name") {
            parameters.push(TypeParameter {
                name: builder.text(name).to_owned(),
                bounds: bound
                    .and_then(|bound| children(bound).into_iter().next())
                    .map(|bound| type_name(builder, bound, 0))
                    .into_iter()
                    .collect(),
            });
        }
    }
    builder.symbol_mut(index).type_parameters = parameters;
    Some(index)
}

fn method(builder: &mut Builder<'_>, node: Node<'_>) {
    let receiver = node.child_by_field_name("receiver").and_then(|list| children(list).into_iter().next());
    let Some(receiver) = receiver else { return };
    function(builder, node, Some(receiver));
}

fn function(builder: &mut Builder<'_>, node: Node<'_>, receiver: Option<Node<'_>>) {
    let owner = receiver.and_then(|receiver| receiver.child_by_field_name("type"));
    let owner = owner.map(|owner| type_name(builder, owner, 0));
    let kind = if owner.is_some() { SymbolKind::Method } else { SymbolKind::Function };
    let scope = owner.as_ref().map(|owner| owner.last().to_owned());
    let Some(index) = define(builder, kind, node, node, scope) else { return };
    builder.symbol_mut(index).owner.clone_from(&owner);
    builder.within(index, |builder| {
        builder.push_scope();
        if let (Some(receiver), Some(owner)) = (receiver, owner) {
            receiver
                .child_by_field_name("type")
                .into_iter()
                .for_each(|owner| type_references(builder, owner));
            for name in field_children(receiver, "name") {
                builder.variable(builder.text(name), Expression::Typed(owner.clone()));
            }
        }
        signature(builder, node, Some(index));
        builder.pop_scope();
    });
}

fn type_declaration(builder: &mut Builder<'_>, node: Node<'_>, declaration: Node<'_>) {
    let Some(target) = node.child_by_field_name("type") else { return };
    let whole = if children(declaration).len() == 1 { declaration } else { node };
    let kind = match target.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let Some(index) = define(builder, kind, node, whole, None) else { return };
    if kind != SymbolKind::Type {
        let symbol = builder.symbol_mut(index);
        let end = symbol.signature.find('{').unwrap_or(symbol.signature.len());
        symbol.signature.truncate(end);
        symbol.signature.truncate(symbol.signature.trim_end().len());
    }
    builder.bind(builder.field_text(node, "name"), Expression::Symbol(index));
    builder.within(index, |builder| match target.kind() {
        "struct_type" => {
            let fields = child_of_kind(target, "field_declaration_list").map(children).unwrap_or_default();
            for field in fields.into_iter().filter(|field| field.kind() == "field_declaration") {
                struct_field(builder, field, index);
            }
        }
        "interface_type" => {
            for element in children(target) {
                if element.kind() == "method_elem" {
                    interface_method(builder, element);
                } else {
                    let bases: Vec<TypeName> =
                        children(element).into_iter().map(|base| type_name(builder, base, 0)).collect();
                    builder.symbol_mut(index).bases.extend(bases);
                    go_types::references(builder, element, ReferenceKind::Extends);
                }
            }
        }
        _ => {
            type_references(builder, target);
            let name = type_name(builder, target, 0);
            let symbol = builder.symbol_mut(index);
            if node.kind() == "type_alias" {
                symbol.value_type = Some(name);
            } else {
                // A type of its own, with the elements and the result of the type that it is made of.
                symbol.bases = vec![name];
            }
        }
    });
}

fn struct_field(builder: &mut Builder<'_>, field: Node<'_>, index: u32) {
    let Some(declared) = field.child_by_field_name("type") else { return };
    let names = field_children(field, "name");
    let name = type_name(builder, declared, 0);
    if names.is_empty() {
        go_types::references(builder, declared, ReferenceKind::Extends);
        builder.field(index, name.last(), Expression::Typed(name.clone()));
        builder.symbol_mut(index).bases.push(name);
        return;
    }
    type_references(builder, declared);
    for field in names {
        builder.field(index, builder.text(field), Expression::Typed(name.clone()));
    }
}

fn interface_method(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(index) = define(builder, SymbolKind::Method, node, node, None) else { return };
    builder.within(index, |builder| {
        builder.push_scope();
        signature(builder, node, Some(index));
        builder.pop_scope();
    });
}

/// `var` and `const`.
fn variables(builder: &mut Builder<'_>, node: Node<'_>) {
    let declared = node.child_by_field_name("type");
    let values = node.child_by_field_name("value").map(children).unwrap_or_default();
    let names: Vec<Node<'_>> = field_children(node, "name");
    values.iter().for_each(|held| visit(builder, *held));
    if let Some(declared) = declared {
        type_references(builder, declared);
    }
    let name_of_type = declared.map(|declared| type_name(builder, declared, 0));
    if node.kind() == "const_spec" && !builder.is_local() {
        let names = names.iter().enumerate().filter(|(_, name)| builder.text(**name) != "_");
        for (position, name) in names.collect::<Vec<_>>() {
            let definition = Definition {
                kind: SymbolKind::Constant,
                name: *name,
                node,
                signature: (node.start_byte(), node.end_byte()),
                scope: None,
            };
            if let Some(index) = builder.define(&definition) {
                let held = values.get(position).map(|held| value(builder, *held, 0));
                let symbol = builder.symbol_mut(index);
                symbol.value_type.clone_from(&name_of_type);
                symbol.values.extend(held);
            }
        }
        return;
    }
    match name_of_type {
        Some(name_of_type) => {
            for name in names {
                builder.variable(builder.text(name), Expression::Typed(name_of_type.clone()));
            }
        }
        None => bind(builder, &names, &values),
    }
}

/// Binds names to values; one value with several results gives each name one.
fn bind(builder: &mut Builder<'_>, names: &[Node<'_>], values: &[Node<'_>]) {
    for (index, name) in names.iter().enumerate() {
        if name.kind() != "identifier" {
            visit(builder, *name);
            continue;
        }
        let held = match values {
            [single] if names.len() > 1 => several(builder, *single, index),
            _ => values.get(index).map_or(Expression::Unknown, |held| value(builder, *held, 0)),
        };
        builder.variable(builder.text(*name), held);
    }
}

/// One of the values of an expression that has several.
fn several(builder: &Builder<'_>, node: Node<'_>, index: usize) -> Expression {
    let held = value(builder, node, 0);
    match node.kind() {
        "call_expression" => Expression::Item(Box::new(held), number(index)),
        // `v, ok := m[k]`, `v, ok := x.(T)`, `v, ok := <-c`
        _ if index == 0 => held,
        _ => Expression::Literal("bool".to_owned()),
    }
}

fn type_switch(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.push_scope();
    node.child_by_field_name("initializer").into_iter().for_each(|first| statement(builder, first));
    let subject = node.child_by_field_name("value");
    let held = subject.map_or(Expression::Unknown, |subject| {
        visit(builder, subject);
        value(builder, subject, 0)
    });
    let alias = node.child_by_field_name("alias").and_then(|list| children(list).into_iter().next());
    for case in
        children(node).into_iter().filter(|child| matches!(child.kind(), "type_case" | "default_case"))
    {
        builder.push_scope();
        let types = field_children(case, "type");
        types.iter().for_each(|case| type_references(builder, *case));
        if let Some(alias) = alias {
            let narrowed = match types.as_slice() {
                [only] => Expression::Typed(type_name(builder, *only, 0)),
                _ => held.clone(),
            };
            builder.variable(builder.text(alias), narrowed);
        }
        for child in children(case).into_iter().filter(|child| !types.contains(child)) {
            statement(builder, child);
        }
        builder.pop_scope();
    }
    builder.pop_scope();
}
