//! Kotlin.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::arity;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Closures, Role, SymbolRule, Table, VariableRule, after, assigned, parts};
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};
use crate::language::Language;

const TABLE: Table = Table {
    role,
    receivers: &["this"],
    own_type: &[],
    base: "super",
    bodies: &["class_body", "enum_class_body", "function_body", "block"],
    type_fields: &[],
    label_fields: &[],
    constructor: "",
    typed_calls: &[],
    own_value,
    closures: Closures {
        kinds: &["lambda_literal"],
        parameters: |node| {
            let list = child_of_kind(node, "lambda_parameters");
            (list.map(children).unwrap_or_default(), list)
        },
        implicit: &["it"],
        receivers: &["apply", "run", "with"],
    },
    // `= value`; a block has a declared type.
    returned: |node| {
        let body = child_of_kind(node, "function_body")?;
        children(body).into_iter().next().filter(|value| value.kind() != "block")
    },
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    match kind {
        "package_header" => Role::Own(package),
        "import" => Role::Own(import),
        "class_declaration" => Role::Symbol(SymbolRule {
            keywords: &[
                ("interface", SymbolKind::Interface),
                ("annotation", SymbolKind::Interface),
                ("enum", SymbolKind::Enum),
            ],
            ..SymbolRule::of(SymbolKind::Class)
        }),
        "object_declaration" => Role::Symbol(SymbolRule::of(SymbolKind::Class)),
        "type_alias" => {
            Role::Symbol(SymbolRule { name: At::Field("type"), ..SymbolRule::of(SymbolKind::Type) })
        }
        "function_declaration" => {
            Role::Symbol(SymbolRule { owner: At::Find(receiver), ..SymbolRule::function(At::Find(result)) })
        }
        "secondary_constructor"
        | "anonymous_initializer"
        | "getter"
        | "setter"
        | "anonymous_function"
        | "catch_block"
        | "block" => Role::Scope,
        "object_literal" => Role::Own(object),
        "lambda_literal" => Role::Closure,
        "for_statement" => Role::Loop(At::Child(0), At::Nowhere, At::Find(|node| table::after(node, "in"))),
        "if_expression" => Role::Own(condition),
        "when_expression" => Role::Own(cases),
        "binary_expression" => Role::Own(operation),
        "property_declaration" => Role::Own(property),
        "parameter" | "class_parameter" => Role::Own(parameter),
        "variable_declaration" => Role::Variable(VariableRule {
            name: At::Kind("identifier"),
            declared: At::Child(1),
            value: At::Nowhere,
            constant: &[],
        }),
        "enum_entry" => Role::Variant(At::Kind("identifier")),
        "delegation_specifiers" => Role::Bases(ReferenceKind::Extends),
        "delegation_specifier" | "explicit_delegation" => Role::Parts,
        "constructor_invocation" => Role::Parts,
        "call_expression" => Role::Call(At::Find(called)),
        "navigation_expression" => Role::Member(At::Child(0), At::Last),
        "identifier" => Role::Name,
        "user_type" | "nullable_type" => Role::Type,
        "type_arguments" | "type_projection" => Role::Parts,
        "as_expression" => Role::Cast(At::Field("right")),
        // `value!!` is among the unary expressions.
        "parenthesized_expression" | "unary_expression" => Role::Through,
        "index_expression" => Role::Index(At::Child(0)),
        "value_argument" => Role::Own(argument),
        "annotation" => Role::Parts,
        "type_parameters"
        | "label"
        | "this_expression"
        | "super_expression"
        | "qualified_identifier"
        | "modifiers" => Role::Skip,
        _ => Role::Parts,
    }
}

fn package(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    builder.outline.package = children(node).into_iter().next().map(|name| builder.text(name).to_owned());
}

fn import(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let names = children(node);
    let Some(path) = names.first() else { return };
    let text = builder.text(*path);
    if builder.text(node).trim_end().ends_with(".*") {
        builder.import(node, text, Some("*"), "", false);
        return;
    }
    let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
    let local = names.get(1).map_or(name, |alias| builder.text(*alias));
    builder.import(node, module, Some(name), local, false);
    if let Some(last) = table::last_name(*path) {
        builder.import_reference(last);
    }
}

/// The types that an object without a name extends and implements.
fn bases_of(node: Node<'_>) -> Vec<Node<'_>> {
    child_of_kind(node, "delegation_specifiers").map(children).unwrap_or_default()
}

/// `object : Base { ... }` as a value.
fn object(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let body = child_of_kind(node, "class_body");
    parts(builder, table, node, &[body]);
    if let Some(body) = body {
        table::anonymous_type(builder, table, node, &bases_of(node), body);
    }
}

/// The type that an extension function extends: it precedes the name.
fn receiver(node: Node<'_>) -> Option<Node<'_>> {
    let name = node.child_by_field_name("name")?;
    children(node).into_iter().find(|part| {
        part.end_byte() <= name.start_byte() && matches!(part.kind(), "user_type" | "nullable_type")
    })
}

/// What a call calls. A function behind its parentheses is a further argument.
fn called(node: Node<'_>) -> Option<Node<'_>> {
    let parts = children(node);
    let call = arity::called_with_function(Language::Kotlin, &parts);
    call.map_or_else(|| parts.first().copied(), |call| children(call).first().copied())
}

/// The type behind the parameters.
fn result(node: Node<'_>) -> Option<Node<'_>> {
    let parameters = child_of_kind(node, "function_value_parameters")?;
    children(node)
        .into_iter()
        .find(|part| part.start_byte() >= parameters.end_byte() && part.kind().ends_with("_type"))
}

/// A branch, an entry or an elvis operator has one of several values.
fn own_value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    let one = |node: Node<'_>| table::value(builder, table, table::last_part(node), depth);
    match node.kind() {
        "if_expression" => {
            let condition = node.child_by_field_name("condition");
            let branches = children(node).into_iter().filter(|part| Some(*part) != condition);
            Expression::Either(branches.take(3).map(one).collect())
        }
        "when_expression" => {
            let entries = children(node).into_iter().filter(|part| part.kind() == "when_entry");
            let values = entries.filter_map(|entry| children(entry).into_iter().next_back());
            Expression::Either(values.take(6).map(one).collect())
        }
        "object_literal" => match bases_of(node).first() {
            Some(base) => Expression::Typed(table::type_name(builder, *base)),
            None => Expression::Unknown,
        },
        "binary_expression" if operator(node) == "?:" => {
            Expression::Either(table::branches(node, &["left", "right"]).into_iter().map(one).collect())
        }
        _ => Expression::Unknown,
    }
}

fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}

/// Binds the names that a condition gives a type if it holds: `name is Type && ...`.
fn narrow(builder: &mut Builder<'_>, condition: Node<'_>, depth: u32) {
    if depth > 20 || !builder.is_local() {
        return;
    }
    match condition.kind() {
        "parenthesized_expression" => {
            children(condition).into_iter().for_each(|inner| narrow(builder, inner, depth + 1));
        }
        "binary_expression" if operator(condition) == "&&" => {
            children(condition).into_iter().for_each(|side| narrow(builder, side, depth + 1));
        }
        "is_expression" if !is_negated(condition) => bind_narrowed(builder, condition),
        _ => {}
    }
}

fn is_negated(test: Node<'_>) -> bool {
    let mut cursor = test.walk();
    test.children(&mut cursor).any(|child| child.kind() == "!is")
}

fn bind_narrowed(builder: &mut Builder<'_>, test: Node<'_>) {
    if let (Some(name), Some(class)) = (test.child_by_field_name("left"), test.child_by_field_name("right"))
        && name.kind() == "identifier"
    {
        let class = Expression::Typed(table::type_name(builder, class));
        builder.variable(builder.text(name), class);
    }
}

/// `if (name is Type) ...`, and `if (name !is Type) return`, behind which the name has the type.
fn condition(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let test = node.child_by_field_name("condition");
    test.into_iter().for_each(|test| table::visit(builder, table, test));
    let branches: Vec<Node<'_>> = children(node).into_iter().filter(|part| Some(*part) != test).collect();
    for (index, branch) in branches.iter().enumerate() {
        builder.push_scope();
        if let Some(test) = test.filter(|_| index == 0) {
            narrow(builder, test, 0);
        }
        table::visit(builder, table, *branch);
        builder.pop_scope();
    }
    let leaves = |branch: Node<'_>| {
        matches!(
            table::last_part(branch).kind(),
            "return_expression" | "throw_expression" | "jump_expression"
        )
    };
    if let (Some(test), [only]) = (test, branches.as_slice())
        && test.kind() == "is_expression"
        && is_negated(test)
        && leaves(*only)
        && builder.is_local()
    {
        bind_narrowed(builder, test);
    }
}

/// `when (name) { is Type -> ... }`.
fn cases(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let subject = child_of_kind(node, "when_subject");
    builder.push_scope();
    subject.into_iter().for_each(|subject| parts(builder, table, subject, &[]));
    let parts_of_subject = subject.map(children).unwrap_or_default();
    let mut name = None;
    if let (Some(last), Some(first)) = (parts_of_subject.last(), parts_of_subject.first()) {
        if first.kind() == "variable_declaration" {
            name = child_of_kind(*first, "identifier");
            let held = table::value(builder, table, *last, 0);
            table::bind_pattern(builder, table, *first, held);
        } else {
            name = Some(*last).filter(|name| name.kind() == "identifier");
        }
    }
    for part in children(node).into_iter().filter(|part| Some(*part) != subject) {
        builder.push_scope();
        let mut cursor = part.walk();
        let tests: Vec<Node<'_>> = part.children_by_field_name("condition", &mut cursor).collect();
        let tests: Vec<Node<'_>> = tests.into_iter().filter(Node::is_named).collect();
        match (name, tests.as_slice()) {
            (Some(name), [test]) if test.kind() == "type_test" && builder.text(*test).starts_with("is") => {
                if let Some(class) = children(*test).into_iter().next() {
                    let class = Expression::Typed(table::type_name(builder, class));
                    builder.variable(builder.text(name), class);
                }
            }
            (None, [test]) => narrow(builder, *test, 0),
            _ => {}
        }
        parts(builder, table, part, &[]);
        builder.pop_scope();
    }
    builder.pop_scope();
}

/// The right side of `name is Type && ...` is read with the type.
fn operation(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
        (Some(left), Some(right)) if operator(node) == "&&" => {
            table::visit(builder, table, left);
            builder.push_scope();
            narrow(builder, left, 0);
            table::visit(builder, table, right);
            builder.pop_scope();
        }
        _ => parts(builder, table, node, &[]),
    }
}

/// The call behind `by`, with its name.
fn delegate(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let call = children(child_of_kind(node, "property_delegate")?).into_iter().next()?;
    Some((children(call).into_iter().next()?, call))
}

/// The last value of the function behind `by lazy`.
fn delegated(node: Node<'_>) -> Option<Node<'_>> {
    let lambda = child_of_kind(child_of_kind(delegate(node)?.1, "annotated_lambda")?, "lambda_literal")?;
    children(lambda).into_iter().next_back()
}

fn property(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if let Some(pattern) = child_of_kind(node, "multi_variable_declaration").filter(|_| builder.is_local()) {
        let held = assigned(node);
        parts(builder, table, node, &[Some(pattern)]);
        let held = held.map_or(Expression::Unknown, |held| table::value(builder, table, held, 0));
        return table::bind_pattern(builder, table, pattern, held);
    }
    if child_of_kind(node, "variable_declaration").is_none() {
        return parts(builder, table, node, &[]);
    }
    let is_lazy = delegate(node).is_some_and(|(name, _)| builder.text(name) == "lazy");
    let rule = VariableRule {
        name: At::Find(|node| child_of_kind(child_of_kind(node, "variable_declaration")?, "identifier")),
        declared: At::Find(|node| children(child_of_kind(node, "variable_declaration")?).into_iter().nth(1)),
        value: if is_lazy { At::Find(delegated) } else { At::Find(assigned) },
        constant: &["const"],
    };
    table::declare(builder, table, node, &rule);
}

/// A parameter; one with `val` or `var` is a field as well.
fn parameter(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(name) = child_of_kind(node, "identifier") else { return };
    let declared = after(node, ":");
    if let Some(declared) = declared {
        table::visit_type(builder, table, declared, ReferenceKind::Type);
    }
    let held = declared
        .map_or(Expression::Unknown, |declared| Expression::Typed(table::type_name(builder, declared)));
    if let Some(default) = assigned(node) {
        table::visit(builder, table, default);
    }
    let text = builder.text(name);
    let class =
        builder.current().filter(|index| !builder.is_local() && builder.symbol(*index).kind.is_type());
    match class {
        Some(class) => builder.field(class, text, held),
        None => {
            builder.variable(text, held);
        }
    }
}

/// An argument without its label.
fn argument(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let label = assigned(node).and_then(|_| children(node).into_iter().next());
    parts(builder, table, node, &[label]);
}
