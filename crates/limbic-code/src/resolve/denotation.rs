//! The denotations of names, and the values of expressions.

use std::rc::Rc;

use super::file::{File, SymbolRef};
use crate::language::Language;

/// Values of an [`Value::Either`].
const MAX_VALUES: usize = 6;

/// A module or package of the project.
#[derive(Clone)]
pub enum Module {
    /// A file, or an inline module in it.
    File { file: Rc<File>, scope: Option<u32> },
    /// A folder: a Go or Java package, a Python package without `__init__.py`.
    Folder { path: Rc<str>, language: Language },
}

/// The denotation of a name.
#[derive(Clone)]
pub enum Denoted {
    /// Nothing is known.
    Unknown,
    /// Something outside of the project, or a part of it that is not a symbol.
    External,
    /// A definition; with the type it was found through.
    Symbol(SymbolRef, Option<Rc<TypeRef>>),
    /// A type parameter of the symbol, by index.
    Parameter(SymbolRef, usize),
    /// A module or package.
    Module(Module),
    /// A variable, or the result of an expression.
    Value(Value),
    /// Several definitions of one name.
    Either(Vec<Denoted>),
}

/// The value of an expression.
#[derive(Clone)]
pub enum Value {
    /// Nothing is known.
    Unknown,
    /// Something outside of the project.
    External,
    /// A module or package.
    Module(Module),
    /// A type as a value.
    Type(Rc<TypeRef>),
    /// An instance of a type.
    Instance(Rc<TypeRef>),
    /// A function or method, with the type it was found through.
    Function(SymbolRef, Option<Rc<TypeRef>>),
    /// A value of a function type, with its result.
    Callable(Box<Value>),
    /// An instance of a type outside of the project, with its type arguments.
    Outside(String, Vec<Value>),
    /// A type outside of the project.
    OutsideType(String, Vec<Value>),
    /// A member of a value outside of the project.
    OutsideMember(Box<Value>, String),
    /// A tuple.
    Tuple(Vec<Value>),
    /// One of several.
    Either(Vec<Value>),
}

/// A type of the project with its arguments.
#[derive(Clone)]
pub struct TypeRef {
    pub symbol: SymbolRef,
    pub arguments: Vec<Value>,
}

impl Value {
    /// Combines several values into one; unknown values are dropped if another is known.
    pub fn either(values: impl IntoIterator<Item = Value>) -> Value {
        let mut known: Vec<Value> = Vec::new();
        let mut is_external = false;
        for value in values {
            let parts = match value {
                Value::Either(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                match part {
                    Value::Unknown => {}
                    Value::External => is_external = true,
                    Value::Outside(name, _)
                        if matches!(name.as_str(), "None" | "null" | "undefined" | "void") => {}
                    part if known.len() < MAX_VALUES && !known.iter().any(|other| other.is_same(&part)) => {
                        known.push(part);
                    }
                    _ => {}
                }
            }
        }
        match known.len() {
            0 if is_external => Value::External,
            0 => Value::Unknown,
            1 => known.remove(0),
            _ => Value::Either(known),
        }
    }

    fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Instance(a), Value::Instance(b)) | (Value::Type(a), Value::Type(b)) => {
                a.symbol == b.symbol
            }
            (Value::Function(a, _), Value::Function(b, _)) => a == b,
            (Value::Outside(a, _), Value::Outside(b, _)) => a == b,
            _ => false,
        }
    }
}
