//! PHP.

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{child_of_kind, children};
use super::table::{self, At, Role, SymbolRule, Table, VariableRule, parts, value, visit};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind};

const TABLE: Table = Table {
    role,
    receivers: &["$this"],
    own_type: &["self", "static"],
    base: "parent",
    bodies: &["compound_statement"],
    type_fields: &["type", "return_type"],
    label_fields: &[],
    constructor: "",
    typed_calls: &[],
    own_value,
    closures: table::NO_CLOSURES,
    returned: |_| None,
};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    table::walk(builder, &TABLE, root);
}

fn role(kind: &str) -> Role {
    let symbol = |kind| Role::Symbol(SymbolRule::of(kind));
    match kind {
        "namespace_definition" => Role::Own(namespace),
        "namespace_use_declaration" => Role::Own(uses),
        "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => Role::Own(include),
        "class_declaration" => symbol(SymbolKind::Class),
        "interface_declaration" => symbol(SymbolKind::Interface),
        "trait_declaration" => symbol(SymbolKind::Trait),
        "enum_declaration" => symbol(SymbolKind::Enum),
        "function_definition" | "method_declaration" => Role::Own(function),
        "enum_case" => Role::Variant(At::Field("name")),
        "const_element" => Role::Variable(VariableRule {
            name: At::Child(0),
            declared: At::Nowhere,
            value: At::Child(1),
            constant: &["*"],
        }),
        "property_element" => Role::Own(property),
        "simple_parameter" | "property_promotion_parameter" | "variadic_parameter" => Role::Own(parameter),
        "assignment_expression" => Role::Own(assignment),
        "foreach_statement" => Role::Own(foreach),
        "if_statement" => Role::Own(condition),
        "binary_expression" => Role::Own(operation),
        "conditional_expression" => Role::Either(|node| table::branches(node, &["body", "alternative"])),
        "return_statement" => Role::Own(returned),
        "subscript_expression" => Role::Index(At::Child(0)),
        "array_creation_expression" => Role::List,
        "clone_expression" => Role::Through,
        "array_element_initializer" => Role::Own(|builder, table, node| parts(builder, table, node, &[])),
        "base_clause" => Role::Bases(ReferenceKind::Extends),
        "class_interface_clause" => Role::Bases(ReferenceKind::Implements),
        "use_declaration" => Role::Own(used_traits),
        "function_call_expression" => Role::Call(At::Field("function")),
        "member_call_expression" | "nullsafe_member_call_expression" => {
            Role::MethodCall(At::Field("object"), At::Field("name"))
        }
        "scoped_call_expression" => Role::MethodCall(At::Field("scope"), At::Field("name")),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            Role::Member(At::Field("object"), At::Field("name"))
        }
        "class_constant_access_expression" => Role::Member(At::Child(0), At::Child(1)),
        "scoped_property_access_expression" => Role::Member(At::Field("scope"), At::Field("name")),
        "object_creation_expression" => Role::New(At::Child(0)),
        "variable_name" | "name" => Role::Name,
        "qualified_name" => Role::Path,
        "named_type" | "optional_type" | "union_type" => Role::Type,
        "argument" => Role::Own(argument),
        "parenthesized_expression" => Role::Through,
        "anonymous_function" | "arrow_function" | "anonymous_function_creation_expression" => {
            Role::Own(anonymous)
        }
        "primitive_type"
        | "relative_scope"
        | "php_tag"
        | "text"
        | "text_interpolation"
        | "goto_statement"
        | "named_label_statement"
        | "namespace_name" => Role::Skip,
        _ => Role::Parts,
    }
}

/// A namespace with a body is a module, one without the package of the file.
fn namespace(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    if node.child_by_field_name("body").is_some() {
        table::define(builder, table, node, &SymbolRule::of(SymbolKind::Module));
    } else {
        builder.outline.package = Some(builder.field_text(node, "name").to_owned());
    }
}

fn uses(builder: &mut Builder<'_>, _: &Table, node: Node<'_>) {
    let group = child_of_kind(node, "namespace_use_group");
    let prefix = group.and_then(|_| child_of_kind(node, "namespace_name")).map(|prefix| builder.text(prefix));
    for clause in children(group.unwrap_or(node)) {
        if clause.kind() != "namespace_use_clause" {
            continue;
        }
        let alias = clause.child_by_field_name("alias");
        let Some(path) = children(clause).into_iter().next() else { continue };
        let (module, name) = builder.text(path).rsplit_once('\\').unwrap_or(("", builder.text(path)));
        let module = [prefix.unwrap_or_default(), module].join("\\");
        let local = alias.map_or(name, |alias| builder.text(alias));
        builder.import(clause, module.trim_matches('\\'), Some(name), local, false);
        if let Some(last) = table::last_name(path) {
            builder.import_reference(last);
        }
    }
}

fn include(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    match children(node).into_iter().next().filter(|path| path.kind().contains("string")) {
        Some(path) => {
            let path = builder.text(path).trim_matches(['"', '\'']);
            builder.import(node, path, Some("*"), "", true);
        }
        None => parts(builder, table, node, &[]),
    }
}

/// A type that says no more than that it contains something.
fn is_vague(name: &TypeName) -> bool {
    name.arguments.is_empty()
        && matches!(
            name.last(),
            "" | "array"
                | "iterable"
                | "object"
                | "mixed"
                | "Collection"
                | "ArrayCollection"
                | "Traversable"
                | "Iterator"
                | "Generator"
                | "IteratorAggregate"
        )
}

/// A function; its documentation may say more of its result than the declared type.
fn function(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(index) = table::define(builder, table, node, &SymbolRule::function(At::Field("return_type")))
    else {
        return;
    };
    if builder.symbol(index).value_type.as_ref().is_none_or(is_vague)
        && let Some(mut documented) = table::doc_type(builder, node, "@return", "")
    {
        rescope(&mut documented, Some(index));
        builder.symbol_mut(index).value_type = Some(documented);
    }
}

fn rescope(name: &mut TypeName, scope: Option<u32>) {
    name.scope = scope;
    name.arguments.iter_mut().for_each(|argument| rescope(argument, scope));
}

/// A property; its documentation may say more than the declared type.
fn property(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let rule = VariableRule {
        name: At::Child(0),
        declared: At::Find(property_type),
        value: At::Find(table::assigned),
        constant: &[],
    };
    let declared = property_type(node).map(|declared| table::type_name(builder, declared));
    let documented = node.parent().and_then(|whole| table::doc_type(builder, whole, "@var", ""));
    match (documented, builder.current()) {
        (Some(documented), Some(class)) if declared.as_ref().is_none_or(is_vague) => {
            let name = node.child(0).map_or("", |name| builder.text(name));
            builder.field(class, name.trim_start_matches('$'), Expression::Typed(documented));
            parts(builder, table, node, &[node.child(0)]);
        }
        _ => table::declare(builder, table, node, &rule),
    }
}

/// `foreach (list as $value)`, `foreach (list as $key => $value)`.
fn foreach(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (Some(list), Some(mut pattern)) = (children(node).into_iter().next(), table::after(node, "as"))
    else {
        return parts(builder, table, node, &[]);
    };
    visit(builder, table, list);
    let element = match table::doc_type(builder, node, "@var", builder.text(pattern)) {
        Some(documented) => Expression::Typed(documented),
        None => Expression::Element(Box::new(value(builder, table, list, 0))),
    };
    let whole = pattern;
    if let ("pair", [key, value]) = (pattern.kind(), children(pattern).as_slice()) {
        table::bind_pattern(builder, table, *key, Expression::Unknown);
        pattern = *value;
    }
    if let ("by_ref", Some(inner)) = (pattern.kind(), children(pattern).into_iter().next()) {
        pattern = inner;
    }
    table::bind_pattern(builder, table, pattern, element);
    parts(builder, table, node, &[Some(list), Some(whole)]);
}

fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}

/// Binds the names that a condition gives a type if it holds: `$name instanceof Type && ...`.
fn narrow(builder: &mut Builder<'_>, condition: Node<'_>, depth: u32) {
    if depth > 20 || !builder.is_local() {
        return;
    }
    match (condition.kind(), operator(condition)) {
        ("parenthesized_expression", _) | ("binary_expression", "&&" | "and") => {
            children(condition).into_iter().for_each(|inner| narrow(builder, inner, depth + 1));
        }
        ("binary_expression", "instanceof") => {
            if let (Some(name), Some(class)) =
                (condition.child_by_field_name("left"), condition.child_by_field_name("right"))
                && name.kind() == "variable_name"
                && matches!(class.kind(), "name" | "qualified_name")
            {
                let class = Expression::Typed(table::type_name(builder, class));
                builder.variable(builder.text(name), class);
            }
        }
        _ => {}
    }
}

/// `if ($name instanceof Type) { ... }`, and `if (!$name instanceof Type) { return; }`, behind which it has the type.
fn condition(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (test, body) = (node.child_by_field_name("condition"), node.child_by_field_name("body"));
    test.into_iter().for_each(|test| visit(builder, table, test));
    match test.zip(body) {
        Some((test, body)) => {
            visit_narrowed(builder, table, test, body);
        }
        None => body.into_iter().for_each(|body| visit(builder, table, body)),
    }
    parts(builder, table, node, &[test, body]);
    let leaves = body.is_some_and(|body| {
        let last = if body.kind() == "compound_statement" {
            children(body).into_iter().next_back()
        } else {
            Some(body)
        };
        last.is_some_and(|last| {
            matches!(last.kind(), "return_statement" | "continue_statement" | "break_statement")
                || builder.text(last).starts_with("throw ")
        })
    });
    let negated = test
        .and_then(|test| children(test).into_iter().next())
        .filter(|test| test.kind() == "unary_op_expression" && builder.text(*test).starts_with('!'));
    if let Some(negated) = negated.filter(|_| leaves && node.child_by_field_name("alternative").is_none()) {
        children(negated).into_iter().for_each(|test| narrow(builder, test, 0));
    }
}

/// Visits what is read only if a condition is true: variables have the types that it names. Variables live in the whole
/// function, so that others which are assigned there are known behind it.
fn visit_narrowed(builder: &mut Builder<'_>, table: &Table, condition: Node<'_>, node: Node<'_>) {
    builder.push_scope();
    narrow(builder, condition, 0);
    let narrowed = builder.bound_names();
    if narrowed.is_empty() {
        builder.pop_scope();
        visit(builder, table, node);
    } else {
        visit(builder, table, node);
        builder.merge_scope(&narrowed);
    }
}

/// The right side of `$name instanceof Type && ...` is read with the type.
fn operation(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
        (Some(left), Some(right)) if matches!(operator(node), "&&" | "and") => {
            visit(builder, table, left);
            visit_narrowed(builder, table, left, right);
        }
        _ => parts(builder, table, node, &[]),
    }
}

/// An assignment has the value that is assigned, `??` one of two.
fn own_value(builder: &Builder<'_>, table: &Table, node: Node<'_>, depth: u32) -> Expression {
    let one = |node: Node<'_>| value(builder, table, node, depth);
    match node.kind() {
        "assignment_expression" => node.child_by_field_name("right").map_or(Expression::Unknown, one),
        // `key => value`.
        "array_element_initializer" => {
            children(node).into_iter().next_back().map_or(Expression::Unknown, one)
        }
        "binary_expression" if operator(node) == "??" => {
            Expression::Either(table::branches(node, &["left", "right"]).into_iter().map(one).collect())
        }
        _ => Expression::Unknown,
    }
}

/// A function without a name, whose results are not those of the function around it.
fn anonymous(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    builder.push_scope();
    builder.returns.push(None);
    parts(builder, table, node, &[]);
    builder.returns.pop();
    builder.pop_scope();
}

fn returned(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    parts(builder, table, node, &[]);
    if let Some(result) = children(node).into_iter().next() {
        let result = value(builder, table, result, 0);
        builder.returned(result);
    }
}

/// The type of a property precedes all its elements.
fn property_type(node: Node<'_>) -> Option<Node<'_>> {
    node.parent()?.child_by_field_name("type")
}

/// A parameter; one with a visibility is a field as well.
fn parameter(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let declared = node.child_by_field_name("type");
    let name = builder.field_text(node, "name");
    let mut declared = declared.map(|declared| table::type_name(builder, declared));
    if declared.as_ref().is_none_or(is_vague)
        && let Some(function) = node.parent().and_then(|list| list.parent())
        && let Some(documented) = table::doc_type(builder, function, "@param", name)
    {
        declared = Some(documented);
    }
    let held = declared.map_or(Expression::Unknown, Expression::Typed);
    parts(builder, table, node, &[node.child_by_field_name("name")]);
    builder.variable(name, held.clone());
    if node.kind() == "property_promotion_parameter"
        && let Some(class) = builder.enclosing(|symbol| symbol.kind.is_type())
    {
        builder.field(class, name.trim_start_matches('$'), held);
    }
}

/// The first `$name = value` declares a variable.
fn assignment(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    right.into_iter().for_each(|right| visit(builder, table, right));
    match left {
        Some(left) if left.kind() == "variable_name" => {
            let is_documented = table::is_documented(builder, node);
            let statement = if is_documented { node.parent() } else { None };
            let documented = statement
                .and_then(|statement| table::doc_type(builder, statement, "@var", builder.text(left)));
            let held = match documented {
                Some(documented) => Expression::Typed(documented),
                None => right.map_or(Expression::Unknown, |right| value(builder, table, right, 0)),
            };
            builder.variable(builder.text(left), held);
        }
        Some(left) => {
            if let ("member_access_expression", "$this", Some(class)) = (
                left.kind(),
                builder.field_text(left, "object"),
                builder.enclosing(|symbol| symbol.kind.is_type()),
            ) {
                let held = right.map_or(Expression::Unknown, |right| value(builder, table, right, 0));
                builder.field(class, builder.field_text(left, "name"), held);
            }
            visit(builder, table, left);
        }
        None => {}
    }
}

/// `use Trait;` in a class.
fn used_traits(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let Some(class) = builder.current() else { return };
    let outside = builder.symbol(class).parent;
    for name in children(node).into_iter().filter(|name| name.kind().ends_with("name")) {
        let base = table::type_name(builder, name);
        builder.symbol_mut(class).bases.push(crate::expression::TypeName { scope: outside, ..base });
        table::visit_type(builder, table, name, ReferenceKind::Extends);
    }
}

/// An argument without its label.
fn argument(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    parts(builder, table, node, &[node.child_by_field_name("name")]);
}
