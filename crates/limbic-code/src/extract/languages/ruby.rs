//! Ruby.

use tree_sitter::Node;

use super::super::builder::{Builder, Definition};
use super::nodes::{children, comments_above};
use super::table::{self, At, Closures, Role, SymbolRule, Table, parts, type_name, value, visit, visit_type};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["self"],
    own_type: &[],
    base: "super",
    bodies: &["body_statement"],
    type_fields: &[],
    label_fields: &[],
    constructor: "new",
    typed_calls: &[],
    own_value: held,
    closures: Closures {
        kinds: &["block", "do_block"],
        parameters: |node| {
            let list = node.child_by_field_name("parameters");
            (list.map(children).unwrap_or_default(), list)
        },
        implicit: &["_1"],
        receivers: &[],
    },
    returned: |node| node.child_by_field_name("body").map(table::last_part),
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let symbol = |kind| Role::Symbol(SymbolRule::of(kind));
    match kind {
        "module" => symbol(SymbolKind::Trait),
        "class" => symbol(SymbolKind::Class),
        "method" | "singleton_method" => symbol(SymbolKind::Function),
        "superclass" => Role::Bases(ReferenceKind::Extends),
        "assignment" | "operator_assignment" => Role::Own(assignment),
        "call" => Role::Own(call),
        "identifier" => Role::Own(bare_name),
        "constant" => Role::Type,
        "scope_resolution" => Role::Path,
        "method_parameters" | "block_parameters" | "lambda_parameters" => Role::Own(parameters),
        "parenthesized_statements" => Role::Through,
        "block" | "do_block" => Role::Closure,
        "lambda" => Role::Scope,
        "array" => Role::List,
        "return" => Role::Own(returned),
        "instance_variable" => Role::Own(|_, _, _| {}),
        "exception_variable" => Role::Own(parameters),
        "alias" => Role::Own(alias),
        "undef" | "self" | "super" | "simple_symbol" | "hash_key_symbol" => Role::Skip,
        "pair" => Role::Parts,
        _ => Role::Parts,
    }
}

/// `require`, `include` and the like have a meaning of their own; other calls are references.
fn call(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let name = node.child_by_field_name("method");
    let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
    let receiver = node.child_by_field_name("receiver");
    let class =
        builder.current().filter(|index| !builder.is_local() && builder.symbol(*index).kind.is_type());
    match (receiver, name.map(|name| builder.text(name)), class) {
        (None, Some("require" | "require_relative" | "load" | "autoload"), _) => {
            if let Some(path) = arguments.last().filter(|path| path.kind() == "string") {
                let path = builder.text(*path).trim_matches(['"', '\'']);
                let path = if path.ends_with(".rb") { path.to_owned() } else { format!("{path}.rb") };
                builder.import(node, &path, Some("*"), "", false);
            }
        }
        (None, Some("include" | "extend" | "prepend"), Some(class)) => {
            for argument in arguments {
                let base = type_name(builder, argument);
                visit_type(builder, table, argument, ReferenceKind::Implements);
                // Looked up around the type.
                let scope = builder.symbol(class).parent;
                let base = crate::expression::TypeName { scope, ..base };
                builder.symbol_mut(class).bases.push(base);
            }
        }
        (None, Some("attr_reader" | "attr_writer" | "attr_accessor"), Some(class)) => {
            for argument in arguments {
                // The attribute has the value of its instance variable.
                let name = builder.text(argument).trim_start_matches(':');
                builder.field(class, name, Expression::Instance(class).member(format!("@{name}")));
            }
        }
        (None, Some("alias_method"), Some(_)) => {
            if let [name, other] = arguments.as_slice() {
                alias_of(builder, node, *name, *other);
            }
        }
        (None, Some("define_method"), Some(_))
            if node.child_by_field_name("block").is_some()
                && arguments.first().is_some_and(|name| method_name(builder, *name).is_some()) =>
        {
            dynamic_method(builder, table, node, &arguments);
        }
        _ => {
            if let (Some(receiver), Some(name)) = (receiver, name) {
                table::note_closures(builder, table, node, &|builder| {
                    value(builder, table, receiver, 0).member(builder.text(name))
                });
            }
            let (receiver_place, name_place) = (At::Field("receiver"), At::Field("method"));
            if matches!(name.map(|name| name.kind()), Some("identifier" | "constant")) {
                table::method_call(builder, table, node, receiver_place, name_place);
                parts(builder, table, node, &[receiver, name]);
            } else {
                parts(builder, table, node, &[name]);
            }
        }
    }
}

/// The text of a name, a symbol or a string that names a method; `None` for an expression.
fn method_name<'b>(builder: &Builder<'b>, node: Node<'_>) -> Option<&'b str> {
    let text = builder.text(node);
    match node.kind() {
        "identifier" | "constant" | "setter" | "operator" => Some(text),
        "simple_symbol" => Some(text.trim_start_matches(':')),
        "string" if children(node).iter().all(|part| part.kind() == "string_content") => {
            Some(text.trim_matches(['"', '\'']))
        }
        _ => None,
    }
}

/// `alias name other`.
fn alias(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    if let (Some(name), Some(other)) = (node.child_by_field_name("name"), node.child_by_field_name("alias")) {
        alias_of(builder, node, name, other);
    }
}

/// Adds the method `name` that does what `other` does.
fn alias_of(builder: &mut Builder<'_>, node: Node<'_>, name: Node<'_>, other: Node<'_>) {
    let (Some(text), Some(other_text)) = (method_name(builder, name), method_name(builder, other)) else {
        return;
    };
    let class = builder.current().filter(|index| builder.symbol(*index).kind.is_type());
    let same = match class {
        Some(class) => Expression::Instance(class).member(other_text),
        None => builder.lookup(other_text),
    };
    let signature = (node.start_byte(), node.end_byte());
    if let Some(index) = method(builder, node, (name, text), signature) {
        builder.symbol_mut(index).values.push(same.clone().call());
    }
    if other.kind() == "identifier" {
        builder.reference(other, ReferenceKind::Use, None, same);
    }
}

/// Adds a method that a call defines.
fn method(
    builder: &mut Builder<'_>,
    node: Node<'_>,
    (name, text): (Node<'_>, &str),
    signature: (usize, usize),
) -> Option<u32> {
    let is_member = builder.current().is_some_and(|index| builder.symbol(index).kind.is_type());
    let kind = if is_member { SymbolKind::Method } else { SymbolKind::Function };
    let index = builder.define_named(&Definition { kind, name, node, signature, scope: None }, text)?;
    let doc = comments_above(builder, node, |_| true);
    builder.document(index, &doc);
    Some(index)
}

/// `define_method(:name) { ... }`.
fn dynamic_method(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, arguments: &[Node<'_>]) {
    let Some(block) = node.child_by_field_name("block") else { return };
    let Some(name) = arguments.first().copied() else { return };
    let Some(text) = method_name(builder, name) else { return };
    // In a method, too, it defines one of the type.
    let class = builder.enclosing(|symbol| symbol.kind.is_type());
    let Some(index) = method(builder, node, (name, text), (node.start_byte(), block.start_byte())) else {
        return;
    };
    builder.within(index, |builder| {
        builder.push_scope();
        if let Some(class) = class {
            builder.bind("self", Expression::Instance(class));
        }
        builder.returns.push(Some(index));
        parts(builder, table, block, &[]);
        builder.returns.pop();
        builder.pop_scope();
    });
}

/// A name without arguments: a local variable, or a call.
fn bare_name(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let target = builder.lookup(builder.text(node));
    builder.reference(node, ReferenceKind::Call, None, target);
}

fn returned(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    parts(builder, table, node, &[]);
    if let Some([only]) = children(node).first().map(|list| children(*list)).as_deref() {
        let result = value(builder, table, *only, 0);
        builder.returned(result);
    }
}

fn assignment(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (Some(left), right) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return parts(builder, table, node, &[]);
    };
    if let Some(right) = right.filter(|_| left.kind() == "constant" && !builder.is_local())
        && let Some(kind) = created_type(builder, right)
    {
        return named_type(builder, table, (node, left, right), kind);
    }
    right.into_iter().for_each(|right| visit(builder, table, right));
    let held = right.map_or(Expression::Unknown, |right| value(builder, table, right, 0));
    match left.kind() {
        "identifier" => {
            builder.variable(builder.text(left), held);
        }
        "constant" if !builder.is_local() => {
            let definition = Definition {
                kind: SymbolKind::Constant,
                name: left,
                node,
                signature: (node.start_byte(), node.end_byte()),
                scope: None,
            };
            if let Some(index) = builder.define(&definition) {
                builder.symbol_mut(index).values.push(held);
                let doc = comments_above(builder, node, |_| true);
                builder.document(index, &doc);
            }
        }
        "instance_variable" | "class_variable" => {
            if let Some(class) = builder.enclosing(|symbol| symbol.kind.is_type()) {
                builder.field(class, builder.text(left), held);
            }
        }
        "left_assignment_list" => {
            for name in children(left).into_iter().filter(|name| name.kind() == "identifier") {
                builder.variable(builder.text(name), Expression::Unknown);
            }
        }
        _ => visit(builder, table, left),
    }
}

/// The kind of type that a call creates: `Struct.new`, `Class.new`.
fn created_type(builder: &Builder<'_>, call: Node<'_>) -> Option<SymbolKind> {
    let receiver = builder.field_text(call, "receiver").trim_start_matches("::");
    match (call.kind(), receiver, builder.field_text(call, "method")) {
        ("call", "Struct", "new") | ("call", "Data", "define") => Some(SymbolKind::Struct),
        ("call", "Class", "new") => Some(SymbolKind::Class),
        ("call", "Module", "new") => Some(SymbolKind::Trait),
        _ => None,
    }
}

/// `Name = Struct.new(:field) do ... end`: the methods in the block are those of `Name`.
fn named_type(
    builder: &mut Builder<'_>,
    table: &Table,
    (node, name, call): (Node<'_>, Node<'_>, Node<'_>),
    kind: SymbolKind,
) {
    let block = call.child_by_field_name("block");
    let signature = (node.start_byte(), block.map_or(node.end_byte(), |block| block.start_byte()));
    let Some(index) = builder.define(&Definition { kind, name, node, signature, scope: None }) else {
        return;
    };
    let doc = comments_above(builder, node, |_| true);
    builder.document(index, &doc);
    for argument in call.child_by_field_name("arguments").map(children).unwrap_or_default() {
        match argument.kind() {
            "simple_symbol" => {
                builder.field(index, builder.text(argument).trim_start_matches(':'), Expression::Unknown);
            }
            "constant" | "scope_resolution" if kind == SymbolKind::Class => {
                let base = type_name(builder, argument);
                visit_type(builder, table, argument, ReferenceKind::Extends);
                builder.symbol_mut(index).bases.push(base);
            }
            _ => visit(builder, table, argument),
        }
    }
    let body = block.and_then(|block| block.child_by_field_name("body"));
    builder.within(index, |builder| body.into_iter().for_each(|body| parts(builder, table, body, &[])));
}

fn held(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    let name = builder.field_text(node, "method");
    match (node.kind(), node.child_by_field_name("receiver")) {
        ("instance_variable" | "class_variable", _) => {
            let class = builder.enclosing(|symbol| symbol.kind.is_type());
            class.map_or(Expression::Unknown, |class| Expression::Instance(class).member(builder.text(node)))
        }
        // `@name = value` and `@name ||= value` as values.
        ("assignment" | "operator_assignment", _) => node
            .child_by_field_name("left")
            .map_or(Expression::Unknown, |left| value(builder, table, left, depth)),
        ("identifier", _) => match builder.lookup(builder.text(node)) {
            // The constructor of the type itself.
            Expression::Name(name) if name == table.constructor => match builder.lookup("self") {
                class @ Expression::Symbol(_) => class.call(),
                _ => Expression::Unknown,
            },
            name @ Expression::Name(_) => name.call(),
            known => known,
        },
        ("call", Some(receiver)) => {
            let receiver = value(builder, table, receiver, depth);
            if name == table.constructor { receiver.call() } else { receiver.member(name).call() }
        }
        ("call", None) if !name.is_empty() => builder.lookup(name).call(),
        _ => Expression::Unknown,
    }
}

/// Parameters are variables; their defaults are walked.
fn parameters(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    for parameter in children(node) {
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            _ => parameter.child_by_field_name("name"),
        };
        if let Some(name) = name {
            builder.variable(builder.text(name), Expression::Unknown);
        }
        parameter.child_by_field_name("value").into_iter().for_each(|default| visit(builder, table, default));
    }
}
