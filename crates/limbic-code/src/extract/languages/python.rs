//! Python: statements and definitions. Expressions are in `python/expressions.rs`.

mod case_patterns;
mod expressions;
mod python_walker;

use tree_sitter::Node;

use super::super::builder::{Builder, Definition};
use super::nodes::{child_of_kind, children, field_children, parts_and_errors};
use super::type_text;
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind, TypeParameter};
use case_patterns::case_pattern;
use expressions::{bind_pattern, value, visit};
use python_walker::PythonWalker;

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    statement(builder, root);
}

impl PythonWalker for Builder<'_> {
    fn statement(&mut self, node: Node<'_>) {
        statement(self, node);
    }
}

/// Walks a statement or block.
fn statement(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.nested(|builder| match node.kind() {
        "class_definition" => class(builder, node, node),
        "function_definition" => function(builder, node, node, &[]),
        "decorated_definition" => decorated(builder, node),
        "import_statement" => import(builder, node),
        "import_from_statement" | "future_import_statement" => import_from(builder, node),
        "assignment" => assignment(builder, node),
        "for_statement" => {
            let right = node.child_by_field_name("right");
            let element = right.map_or(Expression::Unknown, |right| {
                visit(builder, right);
                Expression::Element(Box::new(value(builder, right, 0)))
            });
            if let Some(left) = node.child_by_field_name("left") {
                bind_pattern(builder, left, element);
            }
            for field in ["body", "alternative"] {
                node.child_by_field_name(field).into_iter().for_each(|child| statement(builder, child));
            }
        }
        "if_statement" | "elif_clause" | "while_statement" => conditional(builder, node),
        "assert_statement" => {
            for child in children(node) {
                visit(builder, child);
                if let Some((name, narrowed)) = instance_check(builder, child) {
                    builder.variable(name, narrowed);
                }
            }
        }
        "except_clause" | "except_group_clause" => except(builder, node),
        "return_statement" => {
            for child in children(node) {
                let result = value(builder, child, 0);
                builder.returned(result);
                visit(builder, child);
            }
        }
        "global_statement" | "nonlocal_statement" | "pass_statement" => {}
        "type_alias_statement" => type_alias(builder, node),
        "match_statement" => {
            let subject = node.child_by_field_name("subject");
            let subject = subject.map_or(Expression::Unknown, |subject| {
                visit(builder, subject);
                value(builder, subject, 0)
            });
            let body = node.child_by_field_name("body").map(children).unwrap_or_default();
            for clause in body {
                for part in children(clause) {
                    match part.kind() {
                        "case_pattern" => case_pattern(builder, part, &subject),
                        "block" => statement(builder, part),
                        _ => visit(builder, part),
                    }
                }
            }
        }
        "module"
        | "block"
        | "else_clause"
        | "finally_clause"
        | "try_statement"
        | "with_statement"
        | "with_clause"
        | "expression_statement"
        | "ERROR" => {
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
        }
        "with_item" => {
            if let Some(item) = node.child_by_field_name("value") {
                visit(builder, item);
            }
        }
        "comment" => {}
        _ => visit(builder, node),
    });
}

fn conditional(builder: &mut Builder<'_>, node: Node<'_>) {
    let condition = node.child_by_field_name("condition");
    let mut narrowed = None;
    if let Some(condition) = condition {
        visit(builder, condition);
        narrowed = instance_check(builder, condition);
    }
    if let Some(body) = node.child_by_field_name("consequence").or(node.child_by_field_name("body")) {
        let before = narrowed.as_ref().map(|(name, _)| (*name, builder.lookup(name)));
        if let Some((name, value)) = narrowed {
            builder.variable(name, value);
        }
        statement(builder, body);
        if let Some((name, value)) = before {
            builder.bind(name, value);
        }
    }
    for alternative in field_children(node, "alternative") {
        statement(builder, alternative);
    }
}

/// The variable and its type of `isinstance(name, Type)`, alone or the first of several conditions; locals only.
fn instance_check<'b>(builder: &Builder<'b>, node: Node<'_>) -> Option<(&'b str, Expression)> {
    match node.kind() {
        "boolean_operator" if node.child_by_field_name("operator")?.kind() == "and" => {
            instance_check(builder, node.child_by_field_name("left")?)
        }
        "parenthesized_expression" => instance_check(builder, children(node).into_iter().next()?),
        "call" if builder.field_text(node, "function") == "isinstance" && builder.is_local() => {
            let arguments = children(node.child_by_field_name("arguments")?);
            let [name, class] = arguments.as_slice() else { return None };
            if name.kind() != "identifier" {
                return None;
            }
            let text = builder.text(*class);
            let mut class = type_text::python(text.trim_matches(['(', ')']), builder.current());
            if text.starts_with('(') {
                let members = text.trim_matches(['(', ')']).split(',');
                let members = members.filter(|member| !member.trim().is_empty());
                let members = members.map(|member| type_text::python(member, builder.current()));
                class = TypeName::with("|", members.collect(), builder.current());
            }
            Some((builder.text(*name), Expression::Typed(class)))
        }
        _ => None,
    }
}

fn except(builder: &mut Builder<'_>, node: Node<'_>) {
    for child in children(node) {
        match child.kind() {
            "block" => statement(builder, child),
            "as_pattern" => {
                let parts = children(child);
                if let [class, alias] = parts.as_slice() {
                    visit(builder, *class);
                    let text = builder.text(*class);
                    let class = type_text::python(text, builder.current());
                    builder.variable(builder.text(*alias), Expression::Typed(class));
                }
            }
            _ => visit(builder, child),
        }
    }
}

fn decorated(builder: &mut Builder<'_>, node: Node<'_>) {
    let mut names = Vec::new();
    for child in children(node) {
        if child.kind() == "decorator" {
            for expression in children(child) {
                visit(builder, expression);
                let named = if expression.kind() == "call" {
                    expression.child_by_field_name("function").unwrap_or(expression)
                } else {
                    expression
                };
                names.push(builder.text(named));
            }
        }
    }
    match node.child_by_field_name("definition") {
        Some(definition) if definition.kind() == "class_definition" => class(builder, definition, node),
        Some(definition) => function(builder, definition, node, &names),
        None => {}
    }
}

fn class(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let body = node.child_by_field_name("body");
    let bases = node.child_by_field_name("superclasses").map(children).unwrap_or_default();
    let is_enum = bases.iter().any(|base| {
        matches!(
            builder.text(*base).rsplit('.').next(),
            Some("Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag")
        )
    });
    let definition = Definition {
        kind: if is_enum { SymbolKind::Enum } else { SymbolKind::Class },
        name,
        node: whole,
        signature: (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte())),
        scope: None,
    };
    let Some(class) = builder.define(&definition) else { return };
    trim_signature(builder, class);
    builder.bind(builder.text(name), Expression::Symbol(class));
    let parameters = type_parameters(builder, node.child_by_field_name("type_parameters"));
    let mut names = Vec::new();
    for base in bases {
        if base.kind() == "keyword_argument" {
            visit(builder, base);
            continue;
        }
        let text = builder.text(base);
        names.push(type_text::python(text, builder.current()));
        base_references(builder, base);
    }
    let symbol = builder.symbol_mut(class);
    symbol.bases = names;
    symbol.type_parameters = parameters;
    if let Some(body) = body {
        docstring(builder, class, body);
        builder.within(class, |builder| statement(builder, body));
    }
}

/// References in a base class: its own name extends, its arguments are types.
fn base_references(builder: &mut Builder<'_>, node: Node<'_>) {
    match node.kind() {
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Extends, None, target);
        }
        "attribute" => {
            if let (Some(object), Some(name)) =
                (node.child_by_field_name("object"), node.child_by_field_name("attribute"))
            {
                visit(builder, object);
                let target = value(builder, object, 0).member(builder.text(name));
                builder.reference(name, ReferenceKind::Extends, Some(object), target);
            }
        }
        "subscript" => {
            for (index, child) in children(node).into_iter().enumerate() {
                match index {
                    0 => base_references(builder, child),
                    _ => type_references(builder, child),
                }
            }
        }
        _ => visit(builder, node),
    }
}

/// The parameters of a class, function or alias, with references for their bounds.
fn type_parameters(builder: &mut Builder<'_>, list: Option<Node<'_>>) -> Vec<TypeParameter> {
    let list = list.map(children).unwrap_or_default();
    let mut parameters = Vec::new();
    for parameter in list.into_iter().filter(|parameter| parameter.kind() == "type") {
        let text = builder.text(parameter);
        let (name, bound) = text.split_once(':').unwrap_or((text, ""));
        let bound = Some(bound).filter(|bound| !bound.trim().is_empty());
        parameters.push(TypeParameter {
            name: name.trim().trim_start_matches('*').to_owned(),
            bounds: bound.map(|bound| type_text::python(bound, builder.current())).into_iter().collect(),
        });
        let constrained = child_of_kind(parameter, "constrained_type").map(children).unwrap_or_default();
        constrained.into_iter().skip(1).for_each(|bound| type_references(builder, bound));
    }
    parameters
}

fn function(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>, decorators: &[&str]) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let body = node.child_by_field_name("body");
    let class = builder.current().filter(|index| builder.symbol(*index).kind.is_type());
    let definition = Definition {
        kind: if class.is_some() { SymbolKind::Method } else { SymbolKind::Function },
        name,
        node: whole,
        signature: (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte())),
        scope: None,
    };
    let Some(function) = builder.define(&definition) else { return };
    trim_signature(builder, function);
    let last = |decorator: &&str, name: &str| decorator.rsplit('.').next() == Some(name);
    let has = |name: &str| decorators.iter().any(|decorator| last(decorator, name));
    let is_static = has("staticmethod");
    let is_class = has("classmethod")
        || matches!(builder.text(name), "__new__" | "__init_subclass__" | "__class_getitem__");
    let parameters = type_parameters(builder, node.child_by_field_name("type_parameters"));
    let symbol = builder.symbol_mut(function);
    symbol.is_static = is_static || has("classmethod");
    symbol.is_property =
        ["property", "cached_property", "setter", "locked_cached_property"].into_iter().any(has);
    symbol.type_parameters = parameters;
    if class.is_none() {
        builder.bind(builder.text(name), Expression::Symbol(function));
    }
    if let Some(result) = node.child_by_field_name("return_type") {
        type_references(builder, result);
        let result = type_text::python(builder.text(result), Some(function));
        builder.symbol_mut(function).value_type = Some(result);
    }
    if let Some(body) = body {
        docstring(builder, function, body);
    }
    builder.push_scope();
    let first = class
        .filter(|_| !is_static)
        .map(|class| if is_class { Expression::Symbol(class) } else { Expression::Instance(class) });
    builder.within(function, |builder| {
        let list = node.child_by_field_name("parameters").map(children).unwrap_or_default();
        let mut first = first;
        for item in list {
            parameter(builder, item, first.take());
        }
        builder.returns.push(Some(function));
        if let Some(body) = body {
            statement(builder, body);
        }
        builder.returns.pop();
    });
    builder.pop_scope();
}

fn parameter(builder: &mut Builder<'_>, node: Node<'_>, receiver: Option<Expression>) {
    let default = node.child_by_field_name("value");
    if let Some(default) = default {
        visit(builder, default);
    }
    let annotation = node.child_by_field_name("type");
    if let Some(annotation) = annotation {
        type_references(builder, annotation);
    }
    let name = match node.kind() {
        "identifier" => Some(node),
        "list_splat_pattern" | "dictionary_splat_pattern" => child_of_kind(node, "identifier"),
        "typed_parameter" => children(node).into_iter().next(),
        _ => node.child_by_field_name("name"),
    };
    let Some(name) = name else { return };
    let is_splat = name.kind().contains("splat") || node.kind().contains("splat");
    let name =
        if name.kind().contains("splat") { child_of_kind(name, "identifier").unwrap_or(name) } else { name };
    let mut result = match annotation {
        Some(annotation) => {
            let mut annotated = type_text::python(builder.text(annotation), builder.current());
            if is_splat {
                annotated = TypeName::with("[]", vec![annotated], builder.current());
            }
            Expression::Typed(annotated)
        }
        None => default.map_or(Expression::Unknown, |default| value(builder, default, 0)),
    };
    if let Some(receiver) = receiver.filter(|_| annotation.is_none() && !is_splat) {
        // `self` is the instance itself, not a variable that holds it: the builder binds the name to it.
        builder.bind(builder.text(name), receiver);
        return;
    }
    if result == Expression::Literal("None".to_owned()) {
        result = Expression::Unknown;
    }
    builder.variable(builder.text(name), result);
}

fn docstring(builder: &mut Builder<'_>, symbol: u32, body: Node<'_>) {
    let Some(first) = children(body).into_iter().next() else { return };
    let Some(string) = Some(first).filter(|first| first.kind() == "expression_statement") else { return };
    if let Some(string) = child_of_kind(string, "string") {
        let text = builder.text(string).trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
        let text = text.trim_matches(['"', '\'']);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        builder.document(symbol, &lines.join("\n"));
    }
}

/// The signature without the colon at its end.
fn trim_signature(builder: &mut Builder<'_>, symbol: u32) {
    let signature = &mut builder.symbol_mut(symbol).signature;
    let length = signature.trim_end().trim_end_matches(':').trim_end().len();
    signature.truncate(length);
}

fn assignment(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(left) = node.child_by_field_name("left") else { return };
    let annotation = node.child_by_field_name("type");
    let right = node.child_by_field_name("right");
    if let Some(annotation) = annotation {
        type_references(builder, annotation);
    }
    let mut assigned = right.map_or(Expression::Unknown, |right| {
        // a = b = c
        let last = if right.kind() == "assignment" { innermost(right) } else { right };
        value(builder, last, 0)
    });
    match right {
        Some(right) if right.kind() == "assignment" => assignment(builder, right),
        Some(right) => visit(builder, right),
        None => {}
    }
    if let Some(annotation) = annotation {
        let declared = type_text::python(builder.text(annotation), builder.current());
        // `x: ClassVar = Foo()` and `x: Final = Foo()` declare no type.
        let is_bare =
            matches!(declared.last(), "ClassVar" | "Final" | "Any") && declared.arguments.is_empty();
        if !is_bare {
            assigned = Expression::Typed(declared);
        }
    }
    if left.kind() == "identifier" && builder.current().is_none() && !builder.is_local() {
        let name = builder.text(left);
        let is_constant =
            name.len() > 1 && name.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric());
        if is_constant && !builder.outline.symbols.iter().any(|symbol| symbol.name == name) {
            let definition = Definition {
                kind: SymbolKind::Constant,
                name: left,
                node,
                signature: (node.start_byte(), node.end_byte()),
                scope: None,
            };
            if let Some(constant) = builder.define(&definition) {
                builder.symbol_mut(constant).values.push(assigned);
                return;
            }
        }
    }
    bind_pattern(builder, left, assigned);
}

fn innermost(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(right) = node.child_by_field_name("right").filter(|_| node.kind() == "assignment") {
        node = right;
    }
    node
}

/// `type Name[T] = ...`.
fn type_alias(builder: &mut Builder<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let generic = child_of_kind(left, "generic_type");
    let Some(name) = child_of_kind(generic.unwrap_or(left), "identifier") else { return };
    let signature = (node.start_byte(), node.end_byte());
    let definition = Definition { kind: SymbolKind::Type, name, node, signature, scope: None };
    let Some(index) = builder.define(&definition) else { return };
    builder.bind(builder.text(name), Expression::Symbol(index));
    let list = generic.and_then(|generic| child_of_kind(generic, "type_parameter"));
    builder.within(index, |builder| {
        let parameters = type_parameters(builder, list);
        builder.symbol_mut(index).type_parameters = parameters;
        type_references(builder, right);
        let alias = type_text::python(builder.text(right), Some(index));
        builder.symbol_mut(index).value_type = Some(alias);
    });
}

fn import(builder: &mut Builder<'_>, node: Node<'_>) {
    for item in field_children(node, "name") {
        let (path, alias) = aliased(item);
        let module = builder.text(path);
        let local = alias.map_or(module.split('.').next().unwrap_or_default(), |alias| builder.text(alias));
        builder.import(item, module, None, local, true);
    }
}

fn import_from(builder: &mut Builder<'_>, node: Node<'_>) {
    let module = match node.kind() {
        "future_import_statement" => "__future__",
        _ => builder.field_text(node, "module_name"),
    };
    for item in field_children(node, "name") {
        let (path, alias) = aliased(item);
        let name = builder.text(path);
        builder.import(item, module, Some(name), alias.map_or(name, |alias| builder.text(alias)), true);
        builder.import_reference(path);
    }
    if let Some(wildcard) = child_of_kind(node, "wildcard_import") {
        builder.import(wildcard, module, Some("*"), "", true);
    }
}

fn aliased(item: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    let path = item.child_by_field_name("name").unwrap_or(item);
    (path, item.child_by_field_name("alias"))
}

/// References in an annotation.
fn type_references(builder: &mut Builder<'_>, node: Node<'_>) {
    expressions::references(builder, node, ReferenceKind::Type);
}
