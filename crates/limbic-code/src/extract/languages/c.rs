//! C.

use tree_sitter::Node;

use super::super::builder::{Builder, Definition, MAX_EXPRESSION_DEPTH};
use super::super::parse;
use super::grammars::grammar;
use super::nodes::{child_of_kind, children, comments_above, field_children, parts_and_errors};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind};
use crate::language::Language;

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    parts_and_errors(root).into_iter().for_each(|child| visit(builder, child));
}

/// Walks a declaration, statement or expression.
fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
    };
    builder.nested(|builder| match node.kind() {
        "preproc_include" => {
            let path = builder.field_text(node, "path").trim_matches(['"', '<', '>']);
            builder.import(node, path, Some("*"), "", true);
        }
        "preproc_function_def" => {
            if let Some(name) = node.child_by_field_name("name") {
                let body = node.child_by_field_name("value");
                if let (Some(index), Some(body)) =
                    (define(builder, SymbolKind::Function, name, node, body), body)
                {
                    macro_body(builder, node, body, index);
                }
            }
        }
        "preproc_def" => {
            // A guard around a header has no value.
            if let Some(name) =
                node.child_by_field_name("name").filter(|_| node.child_by_field_name("value").is_some())
            {
                define(builder, SymbolKind::Constant, name, node, None);
            }
        }
        "function_definition" => function(builder, node),
        "declaration" => declaration(builder, node),
        "type_definition" => type_definition(builder, node),
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            structure(builder, node, node, node.child_by_field_name("name"));
        }
        "compound_statement" | "for_statement" => {
            builder.push_scope();
            all(builder, node);
            builder.pop_scope();
        }
        "call_expression" => {
            if let Some(function) = node.child_by_field_name("function") {
                match function.kind() {
                    "identifier" => {
                        let target = builder.lookup(builder.text(function));
                        builder.reference(function, ReferenceKind::Call, None, target);
                    }
                    "field_expression" => field(builder, function, ReferenceKind::Call),
                    _ => visit(builder, function),
                }
            }
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
        }
        "field_expression" => field(builder, node, ReferenceKind::Use),
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        "type_identifier" => {
            let name = builder.type_name(builder.text(node));
            builder.type_reference(node, ReferenceKind::Type, name);
        }
        "labeled_statement" | "goto_statement" | "field_designator" | "comment" | "statement_identifier" => {
            children(node)
                .into_iter()
                .filter(|child| child.kind() != "statement_identifier")
                .for_each(|child| visit(builder, child));
        }
        _ => all(builder, node),
    });
}

fn field(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    if let (Some(object), Some(name)) =
        (node.child_by_field_name("argument"), node.child_by_field_name("field"))
    {
        visit(builder, object);
        let target = value(builder, object, 0).member(builder.text(name));
        builder.reference(name, kind, Some(object), target);
    }
}

fn define(
    builder: &mut Builder<'_>,
    kind: SymbolKind,
    name: Node<'_>,
    node: Node<'_>,
    body: Option<Node<'_>>,
) -> Option<u32> {
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let definition = Definition { kind, name, node, signature: (node.start_byte(), end), scope: None };
    let index = builder.define(&definition)?;
    let symbol = builder.symbol_mut(index);
    let length = symbol.signature.trim_end_matches([' ', ';', '{']).len();
    symbol.signature.truncate(length);
    let doc = comments_above(builder, node, |_| true);
    builder.document(index, &doc);
    Some(index)
}

/// Walks what a macro with parameters expands to, if it is an expression or statements.
fn macro_body(builder: &mut Builder<'_>, node: Node<'_>, body: Node<'_>, index: u32) {
    let Some(mut parser) = grammar(Language::C).and_then(|grammar| parse::parser(&grammar)) else { return };
    // A comment may end the line of the body.
    let tree = parse::parse_range(&mut parser, builder.text, body.range(), ("void f(){", "\n;}"));
    let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else { return };
    let function = tree.root_node().child(0);
    let Some(statements) = function.and_then(|function| function.child_by_field_name("body")) else { return };
    builder.until(body.end_byte(), |builder| {
        builder.within(index, |builder| {
            builder.push_scope();
            for parameter in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
                builder.bind(builder.text(parameter), Expression::Unknown);
            }
            visit(builder, statements);
            builder.pop_scope();
        });
    });
}

/// The name within a declarator, and whether it declares a function.
fn declared_name(declarator: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let mut node = declarator;
    let mut function = None;
    for _ in 0..20 {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return (Some(node), function),
            "function_declarator" => {
                // `int (*handler)(int)` declares a variable, and `int (handle)(int)` a function.
                let inner = node.child_by_field_name("declarator");
                let is_name = |inner: Node<'_>| {
                    inner.kind() != "parenthesized_declarator"
                        || children(inner).iter().all(|part| part.kind() == "identifier")
                };
                if inner.is_some_and(is_name) {
                    function = Some(node);
                }
            }
            _ => {}
        }
        let next = node.child_by_field_name("declarator").or_else(|| {
            children(node).into_iter().find(|child| {
                child.kind().ends_with("declarator")
                    || matches!(child.kind(), "identifier" | "field_identifier" | "type_identifier")
            })
        });
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    (None, None)
}

/// Adds references for the parameters' types of a function or of a pointer to one.
fn parameter_types(builder: &mut Builder<'_>, declarator: Node<'_>) {
    let mut at = Some(declarator);
    for _ in 0..20 {
        let Some(node) = at else { return };
        for parameter in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            parameter.child_by_field_name("type").into_iter().for_each(|declared| visit(builder, declared));
        }
        let inner = || children(node).into_iter().find(|child| child.kind().ends_with("declarator"));
        at = node.child_by_field_name("declarator").or_else(inner);
    }
}

/// The type that a declaration names.
fn declared_type(builder: &Builder<'_>, node: Node<'_>) -> TypeName {
    let Some(declared) = node.child_by_field_name("type") else { return TypeName::default() };
    let name = match declared.kind() {
        "struct_specifier" | "union_specifier" | "enum_specifier" => declared.child_by_field_name("name"),
        "type_identifier" | "primitive_type" => Some(declared),
        _ => None,
    };
    match name {
        Some(name) => TypeName::simple(builder.text(name), builder.current()),
        None => TypeName { scope: builder.current(), ..TypeName::default() },
    }
}

fn function(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(declarator) = node.child_by_field_name("declarator") else { return };
    let (Some(name), Some(function)) = declared_name(declarator) else {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
        return;
    };
    let body = node.child_by_field_name("body");
    let Some(index) = define(builder, SymbolKind::Function, name, node, body) else { return };
    if let Some(result) = node.child_by_field_name("type") {
        visit(builder, result);
    }
    let result = declared_type(builder, node);
    builder.symbol_mut(index).value_type = Some(result);
    builder.within(index, |builder| {
        builder.push_scope();
        for parameter in function.child_by_field_name("parameters").map(children).unwrap_or_default() {
            if let Some(declared) = parameter.child_by_field_name("type") {
                visit(builder, declared);
            }
            let held = Expression::Typed(declared_type(builder, parameter));
            let declarator = parameter.child_by_field_name("declarator");
            declarator.into_iter().for_each(|declarator| parameter_types(builder, declarator));
            // Before C23, the types of parameters may stand behind the list of their names.
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                _ => declarator.and_then(|declarator| declared_name(declarator).0),
            };
            if let Some(name) = name {
                builder.variable(builder.text(name), held);
            }
        }
        body.into_iter().for_each(|body| visit(builder, body));
        builder.pop_scope();
    });
}

fn declaration(builder: &mut Builder<'_>, node: Node<'_>) {
    if let Some(declared) = node.child_by_field_name("type") {
        visit(builder, declared);
    }
    let name_of_type = declared_type(builder, node);
    for declarator in field_children(node, "declarator") {
        if let Some(assigned) = declarator.child_by_field_name("value") {
            visit(builder, assigned);
        }
        parameter_types(builder, declarator);
        let (Some(name), function) = declared_name(declarator) else { continue };
        // A prototype: the definition is elsewhere.
        if function.is_some() {
            continue;
        }
        builder.variable(builder.text(name), Expression::Typed(name_of_type.clone()));
    }
}

fn structure(builder: &mut Builder<'_>, node: Node<'_>, whole: Node<'_>, name: Option<Node<'_>>) {
    let body = node.child_by_field_name("body");
    let (Some(name), Some(body)) = (name, body) else {
        // A use of a type, or one without a name.
        if let Some(name) = name {
            let target = builder.type_name(builder.text(name));
            builder.type_reference(name, ReferenceKind::Type, target);
        }
        body.into_iter().for_each(|body| members(builder, body, None));
        return;
    };
    let kind = if node.kind() == "enum_specifier" { SymbolKind::Enum } else { SymbolKind::Struct };
    let Some(index) = define(builder, kind, name, whole, Some(body)) else { return };
    builder.within(index, |builder| members(builder, body, Some(index)));
}

fn members(builder: &mut Builder<'_>, body: Node<'_>, index: Option<u32>) {
    for member in children(body) {
        match member.kind() {
            "field_declaration" => {
                member.child_by_field_name("type").into_iter().for_each(|declared| visit(builder, declared));
                let held = Expression::Typed(declared_type(builder, member));
                for declarator in field_children(member, "declarator") {
                    parameter_types(builder, declarator);
                    if let (Some(index), (Some(name), _)) = (index, declared_name(declarator)) {
                        builder.field(index, builder.text(name), held.clone());
                    }
                }
            }
            "enumerator" => {
                member.child_by_field_name("value").into_iter().for_each(|held| visit(builder, held));
            }
            _ => visit(builder, member),
        }
    }
}

fn type_definition(builder: &mut Builder<'_>, node: Node<'_>) {
    let declared = node.child_by_field_name("type");
    let declarators = field_children(node, "declarator");
    declarators.iter().for_each(|declarator| parameter_types(builder, *declarator));
    // `typedef struct { ... } Name, *Pointer;`
    let names = declarators.into_iter().filter_map(|declarator| declared_name(declarator).0);
    let names: Vec<Node<'_>> = names.collect();
    let Some((name, others)) = names.split_first() else { return };
    let specifier = declared.filter(|declared| {
        declared.kind().ends_with("_specifier") && declared.child_by_field_name("body").is_some()
    });
    match specifier {
        // `typedef struct { ... } Name;`
        Some(specifier) if specifier.child_by_field_name("name").is_none() => {
            structure(builder, specifier, node, Some(*name));
            let own = TypeName::simple(builder.text(*name), builder.current());
            others.iter().for_each(|name| alias(builder, node, *name, own.clone()));
        }
        Some(specifier) => {
            structure(builder, specifier, specifier, specifier.child_by_field_name("name"));
            let own = declared_type(builder, node);
            names.iter().for_each(|name| alias(builder, node, *name, own.clone()));
        }
        None => {
            declared.into_iter().for_each(|declared| visit(builder, declared));
            let own = declared_type(builder, node);
            names.iter().for_each(|name| alias(builder, node, *name, own.clone()));
        }
    }
}

fn alias(builder: &mut Builder<'_>, node: Node<'_>, name: Node<'_>, target: TypeName) {
    // `typedef struct Name Name;`
    if target.last() == builder.text(name) {
        return;
    }
    if let Some(index) = define(builder, SymbolKind::Type, name, node, None) {
        builder.symbol_mut(index).value_type = Some(target);
    }
}

/// Returns what an expression evaluates to, as far as its text determines it.
fn value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" => builder.lookup(builder.text(node)),
        "field_expression" => match (field("argument"), field("field")) {
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
            _ => Expression::Unknown,
        },
        "call_expression" => field("function").map_or(Expression::Unknown, |function| inner(function).call()),
        "pointer_expression" | "subscript_expression" => field("argument").map_or(Expression::Unknown, inner),
        "parenthesized_expression" => children(node).into_iter().next().map_or(Expression::Unknown, inner),
        "cast_expression" | "compound_literal_expression" => match field("type") {
            Some(to) => Expression::Typed(declared_type(builder, to)),
            None => Expression::Unknown,
        },
        "string_literal" => Expression::Literal("str".to_owned()),
        "type_descriptor" => child_of_kind(node, "type_identifier")
            .map_or(Expression::Unknown, |name| Expression::Type(builder.type_name(builder.text(name)))),
        _ => Expression::Unknown,
    }
}
