//! A walk that a table of node kinds describes, for languages that need few rules of their own.
//!
//! A language gives each kind of node a [`Role`] and says with [`At`] where the parts of the node are. Nodes that no role
//! describes have a function of their own.

mod definitions;
mod values;

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::children;
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};
pub use definitions::{declare, define};
pub use values::{type_name, value};

/// Where a part of a node is.
#[derive(Clone, Copy)]
pub enum At {
    /// In no place: the node has no such part.
    Nowhere,
    /// In a field.
    Field(&'static str),
    /// The named child of this index.
    Child(usize),
    /// The last named child.
    Last,
    /// The first named child of a kind.
    Kind(&'static str),
    /// Where the function finds it.
    Find(for<'t> fn(Node<'t>) -> Option<Node<'t>>),
}

impl At {
    /// The part of `node`.
    pub fn of<'t>(self, node: Node<'t>) -> Option<Node<'t>> {
        match self {
            Self::Nowhere => None,
            Self::Field(name) => node.child_by_field_name(name),
            Self::Child(index) => children(node).into_iter().nth(index),
            Self::Last => children(node).into_iter().next_back(),
            Self::Kind(kind) => super::nodes::child_of_kind(node, kind),
            Self::Find(find) => find(node),
        }
    }
}

/// The role of a node.
#[derive(Clone, Copy)]
pub enum Role {
    /// A definition.
    Symbol(SymbolRule),
    /// A variable, parameter or field.
    Variable(VariableRule),
    /// A variant of the enclosing enumeration, by its name.
    Variant(At),
    /// A call of the expression at the place.
    Call(At),
    /// A call of a method by its receiver and name.
    MethodCall(At, At),
    /// A member by its object and name.
    Member(At, At),
    /// The construction of an instance of the type at the place.
    New(At),
    /// An identifier that is a value.
    Name,
    /// A path of names: `a::b`.
    Path,
    /// A name of a type, or a type with arguments.
    Type,
    /// A list of the types that the enclosing type extends or implements.
    Bases(ReferenceKind),
    /// A block with its own scope.
    Scope,
    /// Something without references.
    Skip,
    /// A node whose value is that of its first named child.
    Through,
    /// Only its parts matter.
    Parts,
    /// The function that handles it.
    Own(fn(&mut Builder<'_>, &Table, Node<'_>)),
}

/// How a definition is read.
#[derive(Clone, Copy)]
pub struct SymbolRule {
    /// The kind, unless a keyword determines another. A function of a type is a method.
    pub kind: SymbolKind,
    /// Tokens and modifiers of the node that determine another kind.
    pub keywords: &'static [(&'static str, SymbolKind)],
    pub name: At,
    /// The name where the node has none: `init`.
    pub fixed_name: &'static str,
    /// The declared type of the result.
    pub result: At,
    /// The type that it belongs to, if it is outside that type's definition.
    pub owner: At,
}

impl SymbolRule {
    /// A definition whose name is in the field `name`.
    pub const fn of(kind: SymbolKind) -> Self {
        let name = At::Field("name");
        Self { kind, keywords: &[], name, fixed_name: "", result: At::Nowhere, owner: At::Nowhere }
    }

    /// A function with its name in the field `name`.
    pub const fn function(result: At) -> Self {
        Self { result, ..Self::of(SymbolKind::Function) }
    }
}

/// How a variable is read.
#[derive(Clone, Copy)]
pub struct VariableRule {
    pub name: At,
    /// The declared type.
    pub declared: At,
    /// The first value.
    pub value: At,
    /// Words before the name that make it a constant where it is not local; a single `*` makes every one a constant.
    pub constant: &'static [&'static str],
}

/// A language.
pub struct Table {
    /// The role of a kind of node.
    pub role: fn(&str) -> Role,
    /// Names of the instance in a method.
    pub receivers: &'static [&'static str],
    /// Names of the enclosing type in its methods.
    pub own_type: &'static [&'static str],
    /// The word for the base class of the instance.
    pub base: &'static str,
    /// Kinds of nodes in which bodies of definitions begin; the field `body` needs no mention.
    pub bodies: &'static [&'static str],
    /// Fields that contain types.
    pub type_fields: &'static [&'static str],
    /// Fields with labels.
    pub label_fields: &'static [&'static str],
    /// The method of a type that creates an instance, in languages without a syntax for it.
    pub constructor: &'static str,
    /// Evaluates a node with [`Role::Own`].
    pub own_value: fn(&Builder<'_>, &Table, Node<'_>, u32) -> Expression,
}

/// For languages whose own nodes have no values.
pub fn unknown(_: &Builder<'_>, _: &Table, _: Node<'_>, _: u32) -> Expression {
    Expression::Unknown
}

/// Collects the facts of a file.
pub fn walk(builder: &mut Builder<'_>, table: &Table, root: Node<'_>) {
    parts(builder, table, root, &[]);
}

/// Walks the parts of a node but those in `except`.
pub fn parts(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, except: &[Option<Node<'_>>]) {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.is_named() && !child.is_extra() && !except.contains(&Some(child)) {
                found.push((cursor.field_name().unwrap_or_default(), child));
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    for (field, child) in found {
        if table.label_fields.contains(&field) {
            continue;
        }
        if table.type_fields.contains(&field) {
            visit_type(builder, table, child, ReferenceKind::Type);
        } else {
            visit(builder, table, child);
        }
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
        Role::Skip => {}
        Role::Through | Role::Parts => parts(builder, table, node, &[]),
        Role::Own(walk) => walk(builder, table, node),
    });
}

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
        Role::Call(_) | Role::MethodCall(..) | Role::New(_) | Role::Own(_) => visit(builder, table, node),
        _ => {
            for (index, part) in children(node).into_iter().enumerate() {
                visit_base(builder, table, part, if index == 0 { kind } else { ReferenceKind::Type });
            }
        }
    });
}

/// Walks a base or a part of a type; the arguments of a constructor are values.
fn visit_base(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
    if matches!(node.kind(), "arguments" | "argument_list" | "value_arguments") {
        visit(builder, table, node);
    } else {
        visit_type(builder, table, node, kind);
    }
}

/// Adds a reference for the last name of a path. Other nodes in it are walked.
fn path(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, kind: ReferenceKind) {
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

/// The node of the last name in a path.
pub fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..40 {
        let names = children(node);
        let names = || names.iter().copied().filter(|child| !child.kind().contains("argument"));
        match node.child_by_field_name("name").or_else(|| names().next_back()) {
            Some(inner) if !matches!(node.kind(), "destructor_name" | "operator_name") => node = inner,
            _ => return Some(node),
        }
    }
    None
}

fn call(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, callee: At) {
    let Some(called) = callee.of(node) else { return parts(builder, table, node, &[]) };
    reference_to(builder, table, called, ReferenceKind::Call);
    parts(builder, table, node, &[Some(called)]);
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
    let target = value(builder, table, object, 0).member(builder.text(name));
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

/// The first named child behind a token.
pub fn after<'t>(node: Node<'t>, token: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut is_behind = false;
    node.children(&mut cursor).find(|child| {
        is_behind |= child.kind() == token;
        is_behind && child.is_named() && !child.is_extra()
    })
}

/// The value behind `=`.
pub fn assigned(node: Node<'_>) -> Option<Node<'_>> {
    after(node, "=")
}
