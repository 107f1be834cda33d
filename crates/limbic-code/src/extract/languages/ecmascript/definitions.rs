//! Functions, classes, interfaces, enums, namespaces and constants.

use tree_sitter::Node;

use super::super::super::builder::{Builder, Definition};
use super::super::nodes::{child_of_kind, children, comments_above, field_children, parts_and_errors};
use super::ecmascript_walker::EcmascriptWalker;
use super::patterns::bind_pattern;
use super::type_names::{self, type_name, type_references};
use super::values::{unparenthesized, value};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind, TypeParameter};

/// Properties of an object that become fields.
const MAX_PROPERTIES: usize = 200;

/// Adds a symbol with its documentation and type parameters.
pub fn define(
    builder: &mut Builder<'_>,
    kind: SymbolKind,
    name: Node<'_>,
    node: Node<'_>,
    whole: Node<'_>,
) -> Option<u32> {
    let whole = match whole.parent() {
        Some(parent) if parent.kind() == "export_statement" => parent,
        _ => whole,
    };
    let body = node.child_by_field_name("body");
    let start = decorators_end(whole).unwrap_or(whole.start_byte());
    let definition = Definition {
        kind,
        name,
        node: whole,
        signature: (start, body.map_or(node.end_byte(), |body| body.start_byte())),
        scope: None,
    };
    // `[Symbol.iterator]` is called iterator.
    let text = builder.text(name).trim_matches(['"', '\'', '`', '[', ']']);
    let text =
        if name.kind() == "computed_property_name" { text.rsplit('.').next().unwrap_or(text) } else { text };
    let index = builder.define_named(&definition, text)?;
    let symbol = builder.symbol_mut(index);
    let length = symbol.signature.trim_end_matches([' ', ';', '{']).trim_end_matches("=>").trim_end().len();
    symbol.signature.truncate(length);
    let doc = comments_above(builder, whole, |text| text.starts_with("/**") || text.starts_with("//"));
    builder.document(index, &doc);
    let parameters = type_parameters(builder, node);
    builder.symbol_mut(index).type_parameters = parameters;
    if let Some(list) = node.child_by_field_name("type_parameters") {
        builder.within(index, |builder| type_references(builder, list));
    }
    Some(index)
}

/// Where the decorators in front of a definition end.
fn decorators_end(node: Node<'_>) -> Option<usize> {
    let last = children(node).into_iter().take_while(|child| child.kind() == "decorator").last()?;
    Some(last.end_byte())
}

fn type_parameters(builder: &Builder<'_>, node: Node<'_>) -> Vec<TypeParameter> {
    let list = node.child_by_field_name("type_parameters").map(children).unwrap_or_default();
    list.into_iter()
        .filter(|parameter| parameter.kind() == "type_parameter")
        .map(|parameter| TypeParameter {
            name: builder.field_text(parameter, "name").to_owned(),
            bounds: parameter
                .child_by_field_name("constraint")
                .and_then(|constraint| children(constraint).into_iter().next())
                .map(|bound| type_name(builder, bound, 0))
                .into_iter()
                .collect(),
        })
        .collect()
}

/// A function with a name: a declaration, or an expression that a name is given to.
pub fn function(
    builder: &mut Builder<'_>,
    node: Node<'_>,
    whole: Node<'_>,
    name: Option<Node<'_>>,
) -> Option<u32> {
    let Some(name) = name else {
        anonymous(builder, node, None);
        return None;
    };
    let class = builder
        .current()
        .filter(|index| builder.symbol(*index).kind != SymbolKind::Module && !builder.is_local());
    let class = class
        .filter(|index| !matches!(builder.symbol(*index).kind, SymbolKind::Function | SymbolKind::Method));
    let is_member = node.kind().contains("method") || whole.kind() == "public_field_definition";
    let kind = if is_member || class.is_some() { SymbolKind::Method } else { SymbolKind::Function };
    let hoisted = builder.hoisted.remove(&name.start_byte());
    let index = hoisted.or_else(|| define(builder, kind, name, node, whole))?;
    // A variable holds a function from its assignment on, a declared function is visible in all of its block.
    let is_value = matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function");
    if kind == SymbolKind::Function && (hoisted.is_none() || is_value) {
        builder.bind(builder.text(name), Expression::Symbol(index));
    }
    let mut cursor = node.walk();
    let tokens: Vec<&str> = node.children(&mut cursor).map(|child| child.kind()).collect();
    let symbol = builder.symbol_mut(index);
    symbol.is_property = tokens.iter().any(|token| matches!(*token, "get" | "set"));
    symbol.is_static = tokens.contains(&"static");
    builder.within(index, |builder| {
        builder.push_scope();
        match class {
            Some(class) if node.kind() != "arrow_function" => {
                builder.bind("this", Expression::Instance(class))
            }
            Some(class) if whole.kind() == "public_field_definition" => {
                builder.bind("this", Expression::Instance(class));
            }
            _ if node.kind() != "arrow_function" => builder.bind("this", Expression::Unknown),
            _ => {}
        }
        body(builder, node, Some(index), None);
        builder.pop_scope();
    });
    Some(index)
}

/// A function without a name; `first` is what its first parameter gets from the call that it is an argument of.
pub fn anonymous(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Expression>) {
    builder.push_scope();
    if node.kind() != "arrow_function" {
        builder.bind("this", Expression::Unknown);
    }
    if let Some(name) = node.child_by_field_name("name") {
        builder.variable(builder.text(name), Expression::Unknown);
    }
    body(builder, node, None, first);
    builder.pop_scope();
}

/// Parameters, result and body of a function.
fn body(builder: &mut Builder<'_>, node: Node<'_>, symbol: Option<u32>, first: Option<Expression>) {
    let mut first = first;
    if let Some(single) = node.child_by_field_name("parameter") {
        builder.variable(builder.text(single), first.take().unwrap_or_default());
    }
    for item in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
        parameter(builder, item, first.take());
    }
    if let Some(result) = node.child_by_field_name("return_type") {
        type_references(builder, result);
        let result = type_name(builder, result, 0);
        if let Some(symbol) = symbol {
            builder.symbol_mut(symbol).value_type = Some(result);
        }
    }
    builder.returns.push(symbol);
    if let Some(body) = node.child_by_field_name("body") {
        if body.kind() == "statement_block" {
            builder.statements(parts_and_errors(body), false);
        } else {
            builder.visit(body);
            let result = value(builder, body, 0);
            builder.returned(result);
        }
    }
    builder.returns.pop();
}

fn parameter(builder: &mut Builder<'_>, node: Node<'_>, given: Option<Expression>) {
    if matches!(
        node.kind(),
        "identifier" | "object_pattern" | "array_pattern" | "assignment_pattern" | "rest_pattern"
    ) {
        // JavaScript has no node for a parameter.
        bind_pattern(builder, node, given.unwrap_or_default());
        return;
    }
    for decorator in field_children(node, "decorator") {
        builder.visit(decorator);
    }
    let declared = node.child_by_field_name("type").map(|declared| {
        type_references(builder, declared);
        Expression::Typed(type_name(builder, declared, 0))
    });
    let default = node.child_by_field_name("value").map(|default| {
        builder.visit(default);
        value(builder, default, 0)
    });
    let held = declared.or(default).or(given).unwrap_or_default();
    let Some(pattern) = node.child_by_field_name("pattern") else { return };
    // `constructor(private name: Type)` declares a field.
    let is_field = child_of_kind(node, "accessibility_modifier").is_some()
        || builder.text(node).starts_with("readonly ");
    if is_field && let Some(class) = builder.enclosing(|symbol| symbol.kind == SymbolKind::Class) {
        builder.field(class, builder.text(pattern), held.clone());
    }
    bind_pattern(builder, pattern, held);
}

pub fn class(
    builder: &mut Builder<'_>,
    node: Node<'_>,
    whole: Node<'_>,
    name: Option<Node<'_>>,
) -> Option<u32> {
    let name = name?;
    let hoisted = builder.hoisted.remove(&name.start_byte());
    let index = hoisted.or_else(|| define(builder, SymbolKind::Class, name, node, whole))?;
    builder.bind(builder.text(name), Expression::Symbol(index));
    for decorator in field_children(node, "decorator") {
        builder.visit(decorator);
    }
    let mut bases = Vec::new();
    for heritage in children(node).into_iter().filter(|child| child.kind() == "class_heritage") {
        for clause in children(heritage) {
            match clause.kind() {
                "extends_clause" => {
                    if let Some(base) = clause.child_by_field_name("value") {
                        bases.push(base_class(builder, base, clause));
                    }
                }
                "implements_clause" => {
                    for base in children(clause) {
                        bases.push(type_name(builder, base, 0));
                        type_names::references(builder, base, ReferenceKind::Implements);
                    }
                }
                // JavaScript has the base class itself here.
                _ => bases.push(base_class(builder, clause, clause)),
            }
        }
    }
    builder.symbol_mut(index).bases = bases;
    if let Some(body) = node.child_by_field_name("body") {
        builder.within(index, |builder| members(builder, body, index));
    }
    Some(index)
}

fn base_class(builder: &mut Builder<'_>, base: Node<'_>, clause: Node<'_>) -> TypeName {
    let path: Vec<String> = builder.text(base).split('.').map(|part| part.trim().to_owned()).collect();
    let arguments = clause.child_by_field_name("type_arguments").map(children).unwrap_or_default();
    let arguments: Vec<TypeName> =
        arguments.into_iter().map(|argument| type_name(builder, argument, 0)).collect();
    match base.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(base));
            builder.reference(base, ReferenceKind::Extends, None, target);
        }
        "member_expression" => {
            if let (Some(object), Some(name)) =
                (base.child_by_field_name("object"), base.child_by_field_name("property"))
            {
                builder.visit(object);
                let target = value(builder, base, 0);
                builder.reference(name, ReferenceKind::Extends, Some(object), target);
            }
        }
        _ => builder.visit(base),
    }
    if clause != base {
        clause
            .child_by_field_name("type_arguments")
            .into_iter()
            .for_each(|list| type_references(builder, list));
    }
    let is_path = matches!(base.kind(), "identifier" | "member_expression");
    TypeName { path: if is_path { path } else { Vec::new() }, arguments, scope: builder.current() }
}

/// Members of a class, interface or object type.
fn members(builder: &mut Builder<'_>, body: Node<'_>, index: u32) {
    builder.nested(|builder| {
        // The scopes around a class are those of its members; `this` is not.
        for member in children(body) {
            match member.kind() {
                "method_definition" | "method_signature" | "abstract_method_signature" => {
                    method(builder, member, index);
                }
                "public_field_definition" | "field_definition" => field(builder, member, index),
                "property_signature" => {
                    if let Some(declared) = member.child_by_field_name("type") {
                        type_references(builder, declared);
                        let declared = type_name(builder, declared, 0);
                        builder.field(index, builder.field_text(member, "name"), Expression::Typed(declared));
                    }
                }
                "call_signature" | "construct_signature" => {
                    let result =
                        member.child_by_field_name("return_type").or(member.child_by_field_name("type"));
                    type_references(builder, member);
                    if let Some(result) = result {
                        let result = type_name(builder, result, 0);
                        let result = TypeName::with("fn", vec![result], builder.current());
                        let name = if member.kind() == "call_signature" { "()" } else { "new" };
                        builder.field(index, name, Expression::Typed(result));
                    }
                }
                "class_static_block" => {
                    member.child_by_field_name("body").into_iter().for_each(|body| builder.statement(body));
                }
                "decorator" => builder.visit(member),
                _ => type_references(builder, member),
            }
        }
    });
}

fn method(builder: &mut Builder<'_>, node: Node<'_>, class: u32) {
    let Some(name) = node.child_by_field_name("name") else { return };
    if name.kind() == "computed_property_name" {
        builder.visit(name);
    }
    let index = define(builder, SymbolKind::Method, name, node, node);
    let Some(index) = index else { return };
    let mut cursor = node.walk();
    let tokens: Vec<&str> = node.children(&mut cursor).map(|child| child.kind()).collect();
    let symbol = builder.symbol_mut(index);
    symbol.is_property = tokens.iter().any(|token| matches!(*token, "get" | "set"));
    symbol.is_static = tokens.contains(&"static");
    let is_static = symbol.is_static;
    builder.within(index, |builder| {
        builder.push_scope();
        builder.bind("this", if is_static { Expression::Symbol(class) } else { Expression::Instance(class) });
        body(builder, node, Some(index), None);
        builder.pop_scope();
    });
}

/// Whether a value is a function.
fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

fn field(builder: &mut Builder<'_>, node: Node<'_>, class: u32) {
    for decorator in field_children(node, "decorator") {
        builder.visit(decorator);
    }
    let Some(name) = node.child_by_field_name("name").or(node.child_by_field_name("property")) else {
        return;
    };
    let assigned = node.child_by_field_name("value");
    let declared = node.child_by_field_name("type").map(|declared| {
        type_references(builder, declared);
        Expression::Typed(type_name(builder, declared, 0))
    });
    match assigned.map(unparenthesized) {
        Some(assigned) if is_function(assigned) => {
            let index = define(builder, SymbolKind::Method, name, assigned, node);
            let Some(index) = index else { return };
            builder.within(index, |builder| {
                builder.push_scope();
                builder.bind("this", Expression::Instance(class));
                body(builder, assigned, Some(index), None);
                builder.pop_scope();
            });
        }
        Some(assigned) => {
            builder.push_scope();
            builder.bind("this", Expression::Instance(class));
            builder.visit(assigned);
            let held = value(builder, assigned, 0);
            builder.pop_scope();
            builder.field(class, builder.text(name), declared.unwrap_or(held));
        }
        None => builder.field(class, builder.text(name), declared.unwrap_or_default()),
    }
}

pub fn interface(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let Some(index) = define(builder, SymbolKind::Interface, name, node, whole) else { return };
    let mut bases = Vec::new();
    if let Some(clause) = child_of_kind(node, "extends_type_clause") {
        builder.within(index, |builder| {
            for base in children(clause) {
                bases.push(type_name(builder, base, 0));
                type_names::references(builder, base, ReferenceKind::Extends);
            }
        });
    }
    builder.symbol_mut(index).bases = bases;
    if let Some(body) = node.child_by_field_name("body") {
        builder.within(index, |builder| members(builder, body, index));
    }
}

pub fn type_alias(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let Some(index) = define(builder, SymbolKind::Type, name, node, whole) else { return };
    let Some(target) = node.child_by_field_name("value") else { return };
    builder.within(index, |builder| {
        if target.kind() == "object_type" {
            members(builder, target, index);
        } else {
            type_references(builder, target);
            let target = type_name(builder, target, 0);
            builder.symbol_mut(index).value_type = Some(target);
        }
    });
}

pub fn enumeration(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let Some(index) = define(builder, SymbolKind::Enum, name, node, whole) else { return };
    let own = TypeName::simple(builder.text(name), builder.current());
    for member in node.child_by_field_name("body").map(children).unwrap_or_default() {
        let name = member.child_by_field_name("name").unwrap_or(member);
        builder.field(index, builder.text(name), Expression::Typed(own.clone()));
        member.child_by_field_name("value").into_iter().for_each(|held| builder.visit(held));
    }
}

pub fn namespace(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else {
        parts_and_errors(node).into_iter().for_each(|child| builder.statement(child));
        return;
    };
    let body = node.child_by_field_name("body").map(children).unwrap_or_default();
    if name.kind() == "string" {
        // `declare module "x"`: the types of something outside.
        builder.statements(body, true);
        return;
    }
    let Some(index) = define(builder, SymbolKind::Module, name, node, whole) else { return };
    builder.within(index, |builder| builder.statements(body, true));
}

/// A constant at the top of a file or namespace.
pub fn constant(
    builder: &mut Builder<'_>,
    name: Node<'_>,
    whole: Node<'_>,
    assigned: Option<Node<'_>>,
    declared: Option<TypeName>,
) {
    let Some(index) = define(builder, SymbolKind::Constant, name, whole, whole) else { return };
    let is_declared = declared.is_some();
    builder.symbol_mut(index).value_type = declared;
    let Some(assigned) = assigned else { return };
    let inner = unparenthesized(assigned);
    if inner.kind() == "object" && !is_declared {
        builder.within(index, |builder| {
            // `{ ... } satisfies Type`.
            let types = children(assigned).into_iter().skip(1);
            types.filter(|_| assigned != inner).for_each(|asserted| type_references(builder, asserted));
            object(builder, inner, index);
        });
        builder.symbol_mut(index).values.push(Expression::Instance(index));
        return;
    }
    builder.within(index, |builder| builder.visit(assigned));
    let held = value(builder, assigned, 0);
    builder.symbol_mut(index).values.push(held);
}

/// The properties of an object as members of the constant that holds it.
pub fn object(builder: &mut Builder<'_>, node: Node<'_>, index: u32) {
    builder.nested(|builder| {
        for (position, property) in children(node).into_iter().enumerate() {
            if position >= MAX_PROPERTIES {
                builder.visit(property);
                continue;
            }
            match property.kind() {
                "method_definition" => method(builder, property, index),
                "pair" => {
                    let (Some(key), Some(held)) =
                        (property.child_by_field_name("key"), property.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    let inner = unparenthesized(held);
                    if is_function(inner) {
                        function(builder, inner, property, Some(key));
                    } else {
                        builder.visit(held);
                        let held = value(builder, held, 0);
                        builder.field(index, builder.text(key).trim_matches(['"', '\'']), held);
                    }
                }
                "shorthand_property_identifier" => {
                    let held = builder.lookup(builder.text(property));
                    builder.reference(property, ReferenceKind::Use, None, held.clone());
                    builder.field(index, builder.text(property), held);
                }
                _ => builder.visit(property),
            }
        }
    });
}
