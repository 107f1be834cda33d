//! Java.

use tree_sitter::Node;

use super::super::builder::{Builder, Definition, MAX_EXPRESSION_DEPTH};
use super::arity;
use super::nodes::{child_of_kind, children, comments_above, field_children, parts_and_errors};
use crate::expression::{CONSTRUCTOR, Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind, TypeParameter};

/// Types nested deeper than this are unknown.
const MAX_TYPE_DEPTH: u32 = 8;

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    parts_and_errors(root).into_iter().for_each(|child| visit(builder, child));
}

/// Walks a declaration, statement or expression.
fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    let all = |builder: &mut Builder<'_>, node: Node<'_>| {
        parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
    };
    builder.nested(|builder| match node.kind() {
        "package_declaration" => {
            let name = children(node).into_iter().next_back().map(|name| builder.text(name).to_owned());
            builder.outline.package = name;
        }
        "import_declaration" => import(builder, node),
        "class_declaration"
        | "record_declaration"
        | "enum_declaration"
        | "interface_declaration"
        | "annotation_type_declaration" => class(builder, node),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => method(builder, node),
        "field_declaration" | "constant_declaration" => fields(builder, node),
        "local_variable_declaration" => {
            let Some(declared) = node.child_by_field_name("type") else { return };
            type_references(builder, declared, ReferenceKind::Type);
            for declarator in field_children(node, "declarator") {
                let assigned = declarator.child_by_field_name("value");
                assigned.into_iter().for_each(|assigned| visit(builder, assigned));
                let held = declared_value(builder, declared, assigned);
                builder.variable(builder.field_text(declarator, "name"), held);
            }
        }
        "block"
        | "constructor_body"
        | "for_statement"
        | "switch_block_statement_group"
        | "switch_rule"
        | "try_statement"
        | "try_with_resources_statement"
        | "catch_clause"
        | "if_statement"
        | "while_statement" => {
            builder.push_scope();
            all(builder, node);
            builder.pop_scope();
        }
        "enhanced_for_statement" => {
            builder.push_scope();
            if let (Some(declared), Some(list)) =
                (node.child_by_field_name("type"), node.child_by_field_name("value"))
            {
                type_references(builder, declared, ReferenceKind::Type);
                visit(builder, list);
                let name = type_name(builder, declared, 0);
                let held = if name.last() == "var" {
                    Expression::Element(Box::new(value(builder, list, 0)))
                } else {
                    Expression::Typed(name)
                };
                builder.variable(builder.field_text(node, "name"), held);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body));
            builder.pop_scope();
        }
        "resource" => {
            let assigned = node.child_by_field_name("value");
            assigned.into_iter().for_each(|assigned| visit(builder, assigned));
            if let Some(declared) = node.child_by_field_name("type") {
                type_references(builder, declared, ReferenceKind::Type);
                let held = declared_value(builder, declared, assigned);
                builder.variable(builder.field_text(node, "name"), held);
            }
        }
        "catch_formal_parameter" => {
            if let Some(types) = child_of_kind(node, "catch_type") {
                type_references(builder, types, ReferenceKind::Type);
                let types = children(types).into_iter().map(|one| type_name(builder, one, 0)).collect();
                let held = Expression::Typed(TypeName::with("|", types, builder.current()));
                builder.variable(builder.field_text(node, "name"), held);
            }
        }
        "instanceof_expression" => {
            node.child_by_field_name("left").into_iter().for_each(|left| visit(builder, left));
            if let Some(right) = node.child_by_field_name("right") {
                type_references(builder, right, ReferenceKind::Type);
                if let Some(name) = node.child_by_field_name("name") {
                    let narrowed = Expression::Typed(type_name(builder, right, 0));
                    builder.variable(builder.text(name), narrowed);
                }
            }
            node.child_by_field_name("pattern").into_iter().for_each(|pattern| visit(builder, pattern));
        }
        "type_pattern" | "record_pattern_component" => {
            if let [declared, name] = children(node).as_slice() {
                type_references(builder, *declared, ReferenceKind::Type);
                let held = Expression::Typed(type_name(builder, *declared, 0));
                builder.variable(builder.text(*name), held);
            }
        }
        "lambda_expression" => {
            builder.push_scope();
            if let Some(parameters) = node.child_by_field_name("parameters") {
                let names = match parameters.kind() {
                    "identifier" => vec![parameters],
                    "inferred_parameters" => children(parameters),
                    _ => {
                        formal_parameters(builder, parameters);
                        Vec::new()
                    }
                };
                let callee = builder.closure_callee(node);
                let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
                for (index, name) in (0..count).zip(names) {
                    let given = callee.clone().map_or(Expression::Unknown, |callee| {
                        Expression::ClosureParameter(Box::new(callee), index, count)
                    });
                    builder.variable(builder.text(name), given);
                }
            }
            node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body));
            builder.pop_scope();
        }
        "method_invocation" => {
            let Some(name) = node.child_by_field_name("name") else { return };
            let object = node.child_by_field_name("object");
            object.into_iter().for_each(|object| visit(builder, object));
            let target = match object {
                Some(object) => value(builder, object, 0).member(builder.text(name)),
                None => Expression::Name(builder.text(name).to_owned()),
            };
            let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            for closure in arguments.into_iter().filter(|argument| argument.kind() == "lambda_expression") {
                builder.closure(closure, target.clone());
            }
            let before = builder.references.len();
            builder.reference(name, ReferenceKind::Call, object, target);
            builder.count_arguments(before, arity::arguments(builder, node));
            node.child_by_field_name("type_arguments")
                .into_iter()
                .for_each(|list| type_references(builder, list, ReferenceKind::Type));
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
        }
        "object_creation_expression" => {
            if let Some(created) = node.child_by_field_name("type") {
                type_references(builder, created, ReferenceKind::Call);
            }
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
            let body = child_of_kind(node, "class_body");
            if let (Some(created), Some(body)) = (node.child_by_field_name("type"), body) {
                let base = type_name(builder, created, 0);
                anonymous_class(builder, node, (created, base), body);
            }
        }
        "explicit_constructor_invocation" => {
            constructor_call(builder, node);
            for part in ["object", "type_arguments"] {
                node.child_by_field_name(part).into_iter().for_each(|part| visit(builder, part));
            }
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
        }
        "method_reference" => {
            let parts = children(node);
            if let [object, .., name] = parts.as_slice() {
                visit(builder, *object);
                if name.kind() == "identifier" {
                    let target = value(builder, *object, 0).member(builder.text(*name));
                    builder.reference(*name, ReferenceKind::Use, Some(*object), target);
                }
            }
        }
        "field_access" => {
            if let (Some(object), Some(name)) =
                (node.child_by_field_name("object"), node.child_by_field_name("field"))
            {
                visit(builder, object);
                // `Outer.this`
                if name.kind() != "this" {
                    let target = value(builder, object, 0).member(builder.text(name));
                    builder.reference(name, ReferenceKind::Use, Some(object), target);
                }
            }
        }
        "identifier" => {
            let target = builder.lookup(builder.text(node));
            builder.reference(node, ReferenceKind::Use, None, target);
        }
        "marker_annotation" | "annotation" => {
            if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
                let target = builder.type_name(builder.text(name));
                builder.type_reference(name, ReferenceKind::Use, target);
            }
            node.child_by_field_name("arguments").into_iter().for_each(|list| all(builder, list));
        }
        "element_value_pair" => {
            node.child_by_field_name("value").into_iter().for_each(|held| visit(builder, held));
        }
        "type_identifier" | "generic_type" | "scoped_type_identifier" | "array_type" => {
            type_references(builder, node, ReferenceKind::Type);
        }
        "labeled_statement" | "break_statement" | "continue_statement" => {
            children(node)
                .into_iter()
                .filter(|child| child.kind() != "identifier")
                .for_each(|child| visit(builder, child));
        }
        "line_comment" | "block_comment" => {}
        _ => all(builder, node),
    });
}

/// `this(...)` and `super(...)`: a call of a constructor of the class or of its base, or of a base without one.
fn constructor_call(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(called) = node.child_by_field_name("constructor") else { return };
    let Some(class) = builder.enclosing(|symbol| symbol.kind.is_type()) else { return };
    let target = if called.kind() == "this" {
        Expression::Instance(class).member(CONSTRUCTOR)
    } else {
        let Some(base) = superclass(node) else { return };
        let base = Box::new(Expression::Type(type_name(builder, base, 0)));
        Expression::Implicit(Box::new(Expression::Super(class)), CONSTRUCTOR.to_owned(), base)
    };
    let before = builder.references.len();
    builder.reference(called, ReferenceKind::Call, None, target);
    builder.count_arguments(before, arity::arguments(builder, node));
}

/// The type that the class around a node extends.
fn superclass(node: Node<'_>) -> Option<Node<'_>> {
    let mut class = node.parent()?;
    while class.kind() != "class_declaration" {
        class = class.parent()?;
    }
    children(class.child_by_field_name("superclass")?).into_iter().next()
}

fn import(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(path) = children(node).into_iter().find(|child| child.kind() != "asterisk") else { return };
    let text = builder.text(path);
    if child_of_kind(node, "asterisk").is_some() {
        builder.import(node, text, Some("*"), "", false);
        return;
    }
    let (module, name) = text.rsplit_once('.').unwrap_or(("", text));
    builder.import(node, module, Some(name), name, false);
    let last = path.child_by_field_name("name").unwrap_or(path);
    builder.import_reference(last);
}

fn define(builder: &mut Builder<'_>, kind: SymbolKind, node: Node<'_>) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let body = node.child_by_field_name("body");
    let modifiers = child_of_kind(node, "modifiers");
    let annotations = modifiers.map(children).unwrap_or_default();
    let start = annotations.last().map_or(node.start_byte(), |last| last.end_byte());
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let definition = Definition { kind, name, node, signature: (start, end), scope: None };
    let index = builder.define(&definition)?;
    let doc = comments_above(builder, node, |text| text.starts_with("/**") || text.starts_with("//"));
    builder.document(index, &doc);
    let is_static = modifiers
        .is_some_and(|modifiers| builder.text(modifiers).split_whitespace().any(|word| word == "static"));
    let list = node.child_by_field_name("type_parameters").map(children).unwrap_or_default();
    let parameters = list.into_iter().filter_map(|parameter| {
        let name = child_of_kind(parameter, "type_identifier")?;
        let bounds = child_of_kind(parameter, "type_bound").map(children).unwrap_or_default();
        let bounds = bounds.into_iter().map(|bound| type_name(builder, bound, 0)).collect();
        Some(TypeParameter { name: builder.text(name).to_owned(), bounds })
    });
    let parameters = parameters.collect();
    let symbol = builder.symbol_mut(index);
    symbol.is_static = is_static;
    symbol.type_parameters = parameters;
    builder.within(index, |builder| {
        for annotation in annotations {
            visit(builder, annotation);
        }
    });
    Some(index)
}

fn class(builder: &mut Builder<'_>, node: Node<'_>) {
    let kind = match node.kind() {
        "enum_declaration" => SymbolKind::Enum,
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "record_declaration" => SymbolKind::Struct,
        _ => SymbolKind::Class,
    };
    let Some(index) = define(builder, kind, node) else { return };
    builder.bind(builder.field_text(node, "name"), Expression::Symbol(index));
    let mut bases = Vec::new();
    for clause in children(node) {
        let relation = match clause.kind() {
            "superclass" | "extends_interfaces" => ReferenceKind::Extends,
            "super_interfaces" => ReferenceKind::Implements,
            _ => continue,
        };
        let list = child_of_kind(clause, "type_list").unwrap_or(clause);
        for base in children(list) {
            bases.push(type_name(builder, base, 0));
            type_references(builder, base, relation);
        }
    }
    builder.symbol_mut(index).bases = bases;
    builder.within(index, |builder| {
        // The fields of a record are its parameters.
        for parameter in node.child_by_field_name("parameters").map(children).unwrap_or_default() {
            if let Some(declared) = parameter.child_by_field_name("type") {
                type_references(builder, declared, ReferenceKind::Type);
                let held = Expression::Typed(type_name(builder, declared, 0));
                builder.field(index, builder.field_text(parameter, "name"), held);
            }
        }
        let own = TypeName::simple(builder.field_text(node, "name"), builder.current());
        for member in node.child_by_field_name("body").map(children).unwrap_or_default() {
            match member.kind() {
                "enum_constant" => {
                    builder.field(index, builder.field_text(member, "name"), Expression::Typed(own.clone()));
                    let arguments = member.child_by_field_name("arguments");
                    arguments.into_iter().for_each(|list| visit(builder, list));
                    let name = member.child_by_field_name("name");
                    if let (Some(name), Some(body)) = (name, member.child_by_field_name("body")) {
                        builder.push_scope();
                        anonymous_class(builder, member, (name, own.clone()), body);
                        builder.pop_scope();
                    }
                }
                _ => visit(builder, member),
            }
        }
    });
}

/// A class without a name, which extends `base`: it is called `new Base`, which equals no declared name.
fn anonymous_class(
    builder: &mut Builder<'_>,
    node: Node<'_>,
    (name, base): (Node<'_>, TypeName),
    body: Node<'_>,
) {
    let signature = (node.start_byte(), body.start_byte());
    let definition = Definition { kind: SymbolKind::Class, name, node, signature, scope: None };
    // Its members are visible in it alone.
    builder.push_scope();
    let index = builder.define_named(&definition, &format!("new {}", base.last()));
    let members = |builder: &mut Builder<'_>| {
        parts_and_errors(body).into_iter().for_each(|member| visit(builder, member))
    };
    match index {
        Some(index) => {
            builder.symbol_mut(index).bases.push(base);
            builder.within(index, members);
        }
        None => members(builder),
    }
    builder.pop_scope();
}

fn method(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(index) = define(builder, SymbolKind::Method, node) else { return };
    let class = builder.enclosing(|symbol| symbol.kind.is_type());
    builder.symbol_mut(index).parameters = arity::parameters(builder, node);
    builder.within(index, |builder| {
        if let Some(result) = node.child_by_field_name("type") {
            type_references(builder, result, ReferenceKind::Type);
            let result = type_name(builder, result, 0);
            builder.symbol_mut(index).value_type = Some(result);
        }
        builder.push_scope();
        if let Some(class) = class {
            builder.bind("this", Expression::Instance(class));
        }
        node.child_by_field_name("parameters").into_iter().for_each(|list| formal_parameters(builder, list));
        node.child_by_field_name("body").into_iter().for_each(|body| visit(builder, body));
        builder.pop_scope();
    });
}

fn formal_parameters(builder: &mut Builder<'_>, list: Node<'_>) {
    for parameter in children(list) {
        let declared = parameter.child_by_field_name("type").or_else(|| {
            children(parameter)
                .into_iter()
                .find(|child| !matches!(child.kind(), "modifiers" | "variable_declarator"))
        });
        let Some(declared) = declared else { continue };
        type_references(builder, declared, ReferenceKind::Type);
        let mut name_of_type = type_name(builder, declared, 0);
        let name = match child_of_kind(parameter, "variable_declarator") {
            Some(declarator) => {
                name_of_type = TypeName::with("[]", vec![name_of_type], builder.current());
                builder.field_text(declarator, "name")
            }
            None => builder.field_text(parameter, "name"),
        };
        if !name.is_empty() {
            builder.variable(name, Expression::Typed(name_of_type));
        }
    }
}

fn fields(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(declared) = node.child_by_field_name("type") else { return };
    type_references(builder, declared, ReferenceKind::Type);
    let class = builder.current();
    let modifiers = child_of_kind(node, "modifiers").map_or("", |modifiers| builder.text(modifiers));
    let is_constant = node.kind() == "constant_declaration"
        || ["static", "final"].iter().all(|word| modifiers.split_whitespace().any(|other| other == *word));
    for declarator in field_children(node, "declarator") {
        let Some(name) = declarator.child_by_field_name("name") else { continue };
        let assigned = declarator.child_by_field_name("value");
        builder.push_scope();
        if let Some(class) = class {
            builder.bind("this", Expression::Instance(class));
        }
        assigned.into_iter().for_each(|assigned| visit(builder, assigned));
        builder.pop_scope();
        let held = declared_value(builder, declared, assigned);
        if is_constant {
            let definition = Definition {
                kind: SymbolKind::Constant,
                name,
                node,
                signature: (node.start_byte(), node.end_byte()),
                scope: None,
            };
            if let Some(index) = builder.define(&definition) {
                builder.symbol_mut(index).values.push(held);
            }
        } else if let Some(class) = class {
            builder.field(class, builder.text(name), held);
        }
    }
}

fn declared_value(builder: &Builder<'_>, declared: Node<'_>, assigned: Option<Node<'_>>) -> Expression {
    let name = type_name(builder, declared, 0);
    match assigned {
        Some(assigned) if name.last() == "var" => value(builder, assigned, 0),
        _ => Expression::Typed(name),
    }
}

fn type_name(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> TypeName {
    let scope = builder.current();
    let unknown = || TypeName { scope, ..TypeName::default() };
    if depth > MAX_TYPE_DEPTH {
        return unknown();
    }
    let inner = |node: Node<'_>| type_name(builder, node, depth + 1);
    match node.kind() {
        "type_identifier" | "identifier" => TypeName::simple(builder.text(node), scope),
        "scoped_type_identifier" | "scoped_identifier" => {
            let path = builder.text(node).split('.').map(|part| part.trim().to_owned()).collect();
            TypeName { path, arguments: Vec::new(), scope }
        }
        "generic_type" => {
            let mut parts = children(node).into_iter();
            let mut name = parts.next().map_or_else(unknown, inner);
            let arguments = child_of_kind(node, "type_arguments").map(children).unwrap_or_default();
            name.arguments = arguments.into_iter().map(inner).collect();
            name
        }
        "array_type" => {
            TypeName::with("[]", node.child_by_field_name("element").map(inner).into_iter().collect(), scope)
        }
        "wildcard" | "annotated_type" => children(node).into_iter().next_back().map_or_else(unknown, inner),
        "integral_type" | "floating_point_type" | "boolean_type" | "void_type" => {
            TypeName::simple(builder.text(node), scope)
        }
        _ => unknown(),
    }
}

/// Adds references for the names in a type; the outermost one has the given kind.
fn type_references(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    builder.nested(|builder| match node.kind() {
        "type_identifier" => {
            let name = builder.type_name(builder.text(node));
            if name.last() != "var" {
                builder.type_reference(node, kind, name);
            }
        }
        "scoped_type_identifier" => {
            let name = type_name(builder, node, 0);
            if let Some(last) = children(node).into_iter().next_back() {
                builder.type_reference(last, kind, name);
            }
        }
        "generic_type" => {
            for (index, child) in children(node).into_iter().enumerate() {
                type_references(builder, child, if index == 0 { kind } else { ReferenceKind::Type });
            }
        }
        _ => {
            children(node).into_iter().for_each(|child| type_references(builder, child, ReferenceKind::Type))
        }
    });
}

/// Returns what an expression evaluates to, as far as its text determines it.
fn value(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> Expression {
    if depth > MAX_EXPRESSION_DEPTH {
        return Expression::Unknown;
    }
    let inner = |node: Node<'_>| value(builder, node, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    let literal = |name: &str| Expression::Literal(name.to_owned());
    match node.kind() {
        "identifier" => builder.lookup(builder.text(node)),
        "this" => match builder.lookup("this") {
            Expression::Name(_) => Expression::Unknown,
            known => known,
        },
        "super" => {
            builder.enclosing(|symbol| symbol.kind.is_type()).map_or(Expression::Unknown, Expression::Super)
        }
        "field_access" => match (field("object"), field("field")) {
            (Some(object), Some(name)) if name.kind() == "this" => {
                Expression::Typed(type_name(builder, object, 0))
            }
            (Some(object), Some(name)) => inner(object).member(builder.text(name)),
            _ => Expression::Unknown,
        },
        "method_invocation" => match (field("object"), field("name")) {
            (Some(object), Some(name)) => inner(object).member(builder.text(name)).call(),
            (None, Some(name)) => Expression::Name(builder.text(name).to_owned()).call(),
            _ => Expression::Unknown,
        },
        "object_creation_expression" => match field("type") {
            Some(created) => Expression::Typed(type_name(builder, created, 0)),
            None => Expression::Unknown,
        },
        "cast_expression" => match field("type") {
            Some(to) => Expression::Typed(type_name(builder, to, 0)),
            None => Expression::Unknown,
        },
        "parenthesized_expression" => children(node).into_iter().next().map_or(Expression::Unknown, inner),
        "array_access" => {
            field("array").map_or(Expression::Unknown, |list| Expression::Index(Box::new(inner(list))))
        }
        "ternary_expression" => {
            let branches = [field("consequence"), field("alternative")];
            Expression::Either(branches.into_iter().flatten().map(inner).collect())
        }
        "assignment_expression" => field("right").map_or(Expression::Unknown, inner),
        "type_identifier" | "generic_type" | "scoped_type_identifier" => {
            Expression::Type(type_name(builder, node, 0))
        }
        "string_literal" => literal("String"),
        "decimal_integer_literal" => literal("int"),
        "true" | "false" => literal("boolean"),
        "null_literal" => literal("null"),
        _ => Expression::Unknown,
    }
}
