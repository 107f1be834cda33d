//! The rules of a table: the roles of a language's nodes.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::places::At;
use crate::expression::Expression;
use crate::facts::{ReferenceKind, SymbolKind};

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
    /// A value that is taken for one of the type at the place.
    Cast(At),
    /// An element, by an index or a key, of the value at the place.
    Index(At),
    /// The value in an optional, a promise or a pointer at the place.
    Inner(At),
    /// One of several values, where the function finds them.
    Either(for<'t> fn(Node<'t>) -> Vec<Node<'t>>),
    /// A loop over the elements of a list: its pattern, the declared type, the list.
    Loop(At, At, At),
    /// A list with its elements.
    List,
    /// A function without a name.
    Closure,
    /// A parameter without a name of a function that is an argument.
    Placeholder,
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

/// How closures are read.
#[derive(Clone, Copy)]
pub struct Closures {
    /// Kinds of nodes.
    pub kinds: &'static [&'static str],
    /// The nodes of the parameters, and the one that contains them all.
    pub parameters: for<'t> fn(Node<'t>) -> (Vec<Node<'t>>, Option<Node<'t>>),
    /// Names of the parameters of a closure that declares none.
    pub implicit: &'static [&'static str],
    /// Methods whose closures have the object as their receiver, and a function whose closure has its argument.
    pub receivers: &'static [&'static str],
}

/// For languages without a rule for closures.
pub const NO_CLOSURES: Closures =
    Closures { kinds: &[], parameters: |_| (Vec::new(), None), implicit: &[], receivers: &[] };

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
    /// Functions whose first type argument is the type of what they return or point to.
    pub typed_calls: &'static [&'static str],
    /// Evaluates a node with [`Role::Own`].
    pub own_value: fn(&Builder<'_>, &Table, Node<'_>, u32) -> Expression,
    pub closures: Closures,
    /// The node whose value a function without a declared result returns.
    pub returned: for<'t> fn(Node<'t>) -> Option<Node<'t>>,
}

/// For languages whose own nodes have no values.
pub fn unknown(_: &Builder<'_>, _: &Table, _: Node<'_>, _: u32) -> Expression {
    Expression::Unknown
}
