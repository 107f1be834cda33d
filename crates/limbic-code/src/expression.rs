//! Expressions: a small, language-neutral form of values that resolution evaluates.

use serde::{Deserialize, Serialize};

/// The name of a type's constructors as members of it, where a call does not name them: `this(...)` in Java.
pub const CONSTRUCTOR: &str = "<init>";

/// An expression or the source of a variable's type. Lexical scope is already applied: a local variable is an index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Expression {
    /// Nothing is known.
    #[default]
    Unknown,
    /// A name that no local scope binds: a symbol, variable or import of the file, a symbol of its package, a builtin.
    Name(String),
    /// Index into [`crate::Outline::variables`].
    Variable(u32),
    /// Index into [`crate::Outline::symbols`]: a definition in an enclosing scope.
    Symbol(u32),
    /// Index into [`crate::Outline::imports`]: an import in a local scope.
    Import(u32),
    /// An instance of the symbol: `self` and `this` in the methods of a type.
    Instance(u32),
    /// The type named by the path: `Self`, `cls`, a type in an expression.
    Type(TypeName),
    /// A value of the type: an annotation.
    Typed(TypeName),
    /// `super` in a method of the symbol.
    Super(u32),
    /// `value.name`, `value::name`.
    Member(Box<Expression>, String),
    /// The result of a call.
    Call(Box<Expression>),
    /// An element got by an index or a key.
    Index(Box<Expression>),
    /// An item of a tuple, counted from 0.
    Item(Box<Expression>, u32),
    /// An element got by iteration.
    Element(Box<Expression>),
    /// The value in an optional, a result, a promise or a pointer: `?`, `await`, `*`, `unwrap`.
    Inner(Box<Expression>),
    /// The result of a context manager's `__enter__`.
    Entered(Box<Expression>),
    /// One of several.
    Either(Vec<Expression>),
    /// A tuple.
    Tuple(Vec<Expression>),
    /// A list, set or generator of such elements.
    ListOf(Box<Expression>),
    /// A literal of a builtin type, by that type's name.
    Literal(String),
    /// A parameter of a closure that is an argument of a call of the expression: its index, and how many it has. With 0
    /// parameters, the receiver of the closure.
    ClosureParameter(Box<Expression>, u32, u32),
    /// A member of the receiver of a closure, or else what the other expression is.
    Implicit(Box<Expression>, String, Box<Expression>),
}

impl Expression {
    /// `self.name`.
    #[must_use]
    pub fn member(self, name: impl Into<String>) -> Self {
        Self::Member(Box::new(self), name.into())
    }

    /// The expression, or [`Self::Unknown`] if it is so large that copies of it would take the memory.
    #[must_use]
    pub fn bounded(self) -> Self {
        let mut left = 64;
        if self.fits(&mut left) { self } else { Self::Unknown }
    }

    fn fits(&self, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Self::Member(inner, _)
            | Self::Call(inner)
            | Self::Index(inner)
            | Self::Item(inner, _)
            | Self::Element(inner)
            | Self::Inner(inner)
            | Self::Entered(inner)
            | Self::ListOf(inner)
            | Self::ClosureParameter(inner, ..) => inner.fits(left),
            Self::Implicit(receiver, _, other) => receiver.fits(left) && other.fits(left),
            Self::Either(several) | Self::Tuple(several) => several.iter().all(|one| one.fits(left)),
            _ => true,
        }
    }

    /// A call of `self`.
    #[must_use]
    pub fn call(self) -> Self {
        Self::Call(Box::new(self))
    }
}

/// A type as written: `a.b.C<D>`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TypeName {
    /// The names of the path. A union has the path `["|"]` and its members as arguments, a tuple `["()"]`, a list or
    /// array `["[]"]`, a function `["fn"]` with its result as the argument.
    pub path: Vec<String>,
    /// Type arguments.
    pub arguments: Vec<TypeName>,
    /// Index of the innermost symbol whose scope the path is looked up in.
    pub scope: Option<u32>,
}

impl TypeName {
    /// A type with a path of one name and no arguments.
    #[must_use]
    pub fn simple(name: impl Into<String>, scope: Option<u32>) -> Self {
        Self { path: vec![name.into()], arguments: Vec::new(), scope }
    }

    /// A type with a path of one name.
    #[must_use]
    pub fn with(name: &str, arguments: Vec<TypeName>, scope: Option<u32>) -> Self {
        Self { path: vec![name.to_owned()], arguments, scope }
    }

    /// Last name of the path.
    #[must_use]
    pub fn last(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }
}
