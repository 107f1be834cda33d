//! Calls and closures of values of Java and of the languages of the feature `more`.

use std::rc::Rc;

use super::denotation::{Denoted, Value};
use super::external;
use super::file::{Binding, File, SymbolRef};
use super::library;
use super::resolver::Resolver;
use crate::expression::Expression;
use crate::facts::SymbolKind;
use crate::language::Language;

impl Resolver<'_> {
    /// The result of a call.
    pub(super) fn library_call(&self, file: &Rc<File>, scope: Option<u32>, called: &Expression) -> Value {
        let language = file.outline.language;
        let mut is_record = false;
        let denoted = match called {
            Expression::Member(object, name) if !matches!(**object, Expression::Super(_)) => {
                let object = self.evaluate(file, scope, object);
                let found =
                    library::method(&object, name, language).or_else(|| self.itself(&object, name, language));
                if let Some(found) = found {
                    return found;
                }
                is_record = is_struct(&object);
                self.member(&object, name, language)
            }
            Expression::Name(_) => {
                is_record = self.enclosing_type(file, scope).is_some_and(|class| is_struct(&class));
                self.denote(file, scope, called)
            }
            _ => self.denote(file, scope, called),
        };
        match (&denoted, language) {
            // The accessor of a record's field.
            (Denoted::Value(value @ (Value::Instance(_) | Value::Outside(..))), Language::Java)
                if is_record =>
            {
                value.clone()
            }
            // A call of a collection is one of its `apply`.
            (Denoted::Value(value @ Value::Outside(..)), Language::Scala) => external::element(value, true),
            // A name without arguments is a call, and an attribute has a method that returns it.
            (Denoted::Value(value @ (Value::Instance(_) | Value::Outside(..))), Language::Ruby) => {
                value.clone()
            }
            _ => self.call(&denoted),
        }
    }

    /// The value of a closure's parameter by the method that takes the closure.
    pub(super) fn closure_parameter(
        &self,
        file: &Rc<File>,
        scope: Option<u32>,
        called: &Expression,
        (index, count): (u32, u32),
    ) -> Value {
        let Expression::Member(object, name) = called else { return Value::Unknown };
        let language = file.outline.language;
        let object = self.evaluate(file, scope, object);
        if count == 0 {
            // `with` is a function.
            let is_receiver = name == "with" || !self.has_member(&object, name);
            return if is_receiver { object } else { Value::Unknown };
        }
        let takes_itself = match language {
            Language::Kotlin => matches!(name.as_str(), "let" | "also" | "takeIf" | "takeUnless"),
            Language::Ruby => matches!(name.as_str(), "tap" | "then" | "yield_self"),
            _ => false,
        };
        if takes_itself && index == 0 && !self.has_member(&object, name) {
            return object;
        }
        library::closure_parameter(&object, name, (index, count), language)
    }

    /// The value behind a pointer, in a promise or an optional; a value that is none of them is behind a plain pointer.
    pub(super) fn pointed_to(&self, value: Value) -> Value {
        match &value {
            Value::Outside(kind, arguments) if kind == library::WRAPPER => {
                arguments.first().cloned().unwrap_or(Value::Unknown)
            }
            Value::Instance(class) if class.symbol.file.outline.language == Language::Cpp => {
                // Written in the class: to look for it everywhere would take too many steps.
                self.touch_name("operator->");
                let file = &class.symbol.file;
                match file.bindings(Some(class.symbol.index), "operator->").first() {
                    Some(Binding::Symbol(index)) => {
                        let symbol = SymbolRef { file: file.clone(), index: *index };
                        self.returned(&symbol, Some(class))
                    }
                    _ => value,
                }
            }
            Value::Either(several) => Value::either(several.iter().map(|one| self.pointed_to(one.clone()))),
            _ => value,
        }
    }

    /// The object, if the method is one of every value that returns it.
    fn itself(&self, object: &Value, name: &str, language: Language) -> Option<Value> {
        let returns_it = match language {
            Language::Kotlin => matches!(name, "also" | "apply" | "takeIf" | "takeUnless"),
            Language::Ruby => matches!(name, "tap" | "dup" | "clone" | "freeze" | "itself"),
            _ => false,
        };
        (returns_it && !self.has_member(object, name)).then(|| object.clone())
    }

    fn has_member(&self, object: &Value, name: &str) -> bool {
        match object {
            Value::Instance(class) => self.find_member(class, name).is_some(),
            Value::Outside(..) | Value::Tuple(_) => false,
            _ => true,
        }
    }
}

/// Whether a value is an instance of a record.
fn is_struct(value: &Value) -> bool {
    matches!(value, Value::Instance(class) if class.symbol.get().kind == SymbolKind::Struct)
}
