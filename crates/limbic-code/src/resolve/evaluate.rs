//! Evaluates expressions: the symbols that they denote, and their values.

use std::rc::Rc;

use super::external;
use super::file::{File, SymbolRef};
use super::library;
use super::resolver::Resolver;
use crate::expression::{Expression, TypeName};
use crate::facts::SymbolKind;
use crate::language::Language;

pub use super::denotation::{Denoted, Module, TypeRef, Value};

/// Nested evaluations.
const MAX_DEPTH: u32 = 40;

impl Resolver<'_> {
    /// The denotation of an expression in the scope of a symbol.
    pub fn denote(&self, file: &Rc<File>, scope: Option<u32>, expression: &Expression) -> Denoted {
        match expression {
            Expression::Unknown => Denoted::Unknown,
            Expression::Name(name) => self.name(file, scope, name),
            Expression::Symbol(index) => {
                Denoted::Symbol(SymbolRef { file: file.clone(), index: *index }, None)
            }
            Expression::Import(index) => self.import(file, *index),
            Expression::Type(name) => self.type_path(file, name),
            // The first base that has the member.
            Expression::Member(object, name) if matches!(**object, Expression::Super(_)) => {
                let Value::Either(bases) = self.evaluate(file, scope, object) else {
                    return Denoted::External;
                };
                let language = file.outline.language;
                let found = bases.iter().map(|base| self.member(base, name, language));
                let mut found =
                    found.filter(|denoted| !matches!(denoted, Denoted::Unknown | Denoted::External));
                found.next().unwrap_or(Denoted::External)
            }
            Expression::Member(object, name) => {
                let object = self.evaluate(file, scope, object);
                let language = file.outline.language;
                match library::property(&object, name, language).filter(|_| library::serves(language)) {
                    Some(property) => Denoted::Value(property),
                    None => self.member(&object, name, language),
                }
            }
            Expression::Implicit(receiver, name, other) => {
                let found = match self.evaluate(file, scope, receiver) {
                    Value::Instance(class) => self.find_member(&class, name),
                    Value::Either(several) => several.iter().find_map(|one| match one {
                        Value::Instance(class) => self.find_member(class, name),
                        _ => None,
                    }),
                    _ => None,
                };
                found.unwrap_or_else(|| self.denote(file, scope, other))
            }
            other => Denoted::Value(self.evaluate(file, scope, other)),
        }
    }

    /// Returns the value of an expression.
    pub fn evaluate(&self, file: &Rc<File>, scope: Option<u32>, expression: &Expression) -> Value {
        self.deeper(|| self.evaluate_now(file, scope, expression)).unwrap_or(Value::Unknown)
    }

    /// Does one step of `work` that may lead back to itself; `None` at the end of the steps or of the levels.
    pub(super) fn deeper<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        let fuel = self.fuel.get();
        if depth >= MAX_DEPTH || fuel == 0 {
            return None;
        }
        self.fuel.set(fuel - 1);
        self.depth.set(depth + 1);
        let found = work();
        self.depth.set(depth);
        Some(found)
    }

    fn evaluate_now(&self, file: &Rc<File>, scope: Option<u32>, expression: &Expression) -> Value {
        let inner = |expression: &Expression| self.evaluate(file, scope, expression);
        match expression {
            Expression::Unknown => Value::Unknown,
            Expression::Name(_)
            | Expression::Symbol(_)
            | Expression::Import(_)
            | Expression::Type(_)
            | Expression::Implicit(..)
            | Expression::Member(..) => {
                let denoted = self.denote(file, scope, expression);
                self.value_of(&denoted)
            }
            Expression::Variable(index) => self.variable(file, *index, None),
            Expression::Instance(index) => {
                self.touch_symbol(file, *index);
                let symbol = SymbolRef { file: file.clone(), index: *index };
                Value::Instance(Rc::new(TypeRef { symbol, arguments: Vec::new() }))
            }
            Expression::Super(index) => self.super_of(file, *index),
            Expression::Typed(name) => self.type_value(file, name, None),
            Expression::Call(called) if library::serves(file.outline.language) => {
                self.library_call(file, scope, called)
            }
            Expression::Call(called) => {
                let denoted = self.denote(file, scope, called);
                self.call(&denoted)
            }
            Expression::Index(list) => external::element(&self.underlying(inner(list)), true),
            Expression::Element(list) => self.iterated(&self.underlying(inner(list))),
            Expression::Item(tuple, index) => external::item(&inner(tuple), *index),
            Expression::Inner(value) if library::serves(file.outline.language) => {
                self.pointed_to(inner(value))
            }
            Expression::Inner(value) => self.unwrapped(inner(value)),
            Expression::Entered(manager) => self.entered(inner(manager)),
            Expression::Either(several) => Value::either(several.iter().map(inner)),
            Expression::Tuple(items) => Value::Tuple(items.iter().map(inner).collect()),
            Expression::ListOf(element) => Value::Outside("list".to_owned(), vec![inner(element)]),
            Expression::Literal(name) => Value::Outside(name.clone(), Vec::new()),
            Expression::ClosureParameter(called, index, count) => {
                self.closure_parameter(file, scope, called, (*index, *count))
            }
        }
    }

    /// The value of a variable of a file; `through` is the type it was found in.
    pub fn variable(&self, file: &Rc<File>, index: u32, through: Option<&Rc<TypeRef>>) -> Value {
        let Some(variable) = file.outline.variables.get(index as usize) else { return Value::Unknown };
        self.touch_name(&variable.name);
        if let Expression::Typed(name) = &variable.value {
            return self.type_value(file, name, through);
        }
        self.guarded(&file.path, index, false, || self.evaluate(file, variable.scope, &variable.value))
    }

    /// Runs `evaluate` unless it is running for the same symbol or variable.
    fn guarded(
        &self,
        path: &Rc<str>,
        index: u32,
        is_symbol: bool,
        evaluate: impl FnOnce() -> Value,
    ) -> Value {
        let key = (index, is_symbol, path.clone());
        if self.active.borrow().contains(&key) {
            return Value::Unknown;
        }
        self.active.borrow_mut().push(key);
        let value = evaluate();
        self.active.borrow_mut().pop();
        value
    }

    /// The value of a denotation.
    pub fn value_of(&self, denoted: &Denoted) -> Value {
        if let Denoted::Symbol(symbol, _) = denoted {
            self.touch_symbol(&symbol.file, symbol.index);
        }
        match denoted {
            Denoted::Unknown => Value::Unknown,
            Denoted::External => Value::External,
            Denoted::Module(module) => Value::Module(module.clone()),
            Denoted::Value(value) => value.clone(),
            Denoted::Parameter(owner, index) => self.parameter(owner, *index, None),
            Denoted::Either(several) => Value::either(several.iter().map(|one| self.value_of(one))),
            Denoted::Symbol(symbol, through) => match symbol.get().kind {
                SymbolKind::Function | SymbolKind::Method if symbol.get().is_property => {
                    self.returned(symbol, through.as_ref())
                }
                SymbolKind::Function | SymbolKind::Method => Value::Function(symbol.clone(), through.clone()),
                SymbolKind::Module => {
                    Value::Module(Module::File { file: symbol.file.clone(), scope: Some(symbol.index) })
                }
                SymbolKind::Constant => self.returned(symbol, through.as_ref()),
                SymbolKind::Type => match &symbol.get().value_type {
                    Some(name) => {
                        let aliased = self.guarded(&symbol.file.path, symbol.index, true, || {
                            self.type_value(&symbol.file, name, None)
                        });
                        as_type(aliased, symbol)
                    }
                    None => Value::Type(Rc::new(TypeRef { symbol: symbol.clone(), arguments: Vec::new() })),
                },
                _ => Value::Type(Rc::new(TypeRef { symbol: symbol.clone(), arguments: Vec::new() })),
            },
        }
    }

    /// The result of calling a denotation.
    pub fn call(&self, denoted: &Denoted) -> Value {
        match denoted {
            Denoted::Either(several) => Value::either(several.iter().map(|one| self.call(one))),
            Denoted::Symbol(symbol, through)
                if matches!(symbol.get().kind, SymbolKind::Function | SymbolKind::Method)
                    && !symbol.get().is_property =>
            {
                self.returned(symbol, through.as_ref())
            }
            other => {
                let value = self.value_of(other);
                self.call_value(&value)
            }
        }
    }

    /// The underlying type of a named type of Go, for its elements and its result.
    fn underlying(&self, value: Value) -> Value {
        match &value {
            Value::Instance(class)
                if class.symbol.file.outline.language == Language::Go
                    && class.symbol.get().kind == SymbolKind::Type =>
            {
                match class.symbol.get().bases.first() {
                    Some(base) => self.type_value(&class.symbol.file, base, None),
                    None => value,
                }
            }
            _ => value,
        }
    }

    fn call_value(&self, value: &Value) -> Value {
        match value {
            Value::Instance(class) if class.symbol.file.outline.language == Language::Go => {
                match self.underlying(value.clone()) {
                    Value::Callable(result) => *result,
                    _ => Value::Unknown,
                }
            }
            Value::Type(class) => Value::Instance(class.clone()),
            Value::Function(symbol, through) => self.returned(symbol, through.as_ref()),
            Value::Callable(result) => (**result).clone(),
            Value::OutsideType(name, arguments) => Value::Outside(name.clone(), arguments.clone()),
            Value::OutsideMember(object, name) => external::call(object, name),
            Value::Either(several) => Value::either(several.iter().map(|one| self.call_value(one))),
            Value::Instance(class) => {
                let names = ["__call__", "()", "new"];
                let found = names.iter().find_map(|name| self.find_member(class, name));
                match found {
                    Some(Denoted::Symbol(symbol, through)) => self.returned(&symbol, through.as_ref()),
                    Some(Denoted::Value(Value::Callable(result))) => *result,
                    _ => Value::Unknown,
                }
            }
            Value::Module(module) => match self.module_member(module, "default") {
                Denoted::Unknown => Value::Unknown,
                exported => self.call(&exported),
            },
            Value::External => Value::External,
            _ => Value::Unknown,
        }
    }

    /// The returned value of a function, or the value of a constant.
    pub fn returned(&self, symbol: &SymbolRef, through: Option<&Rc<TypeRef>>) -> Value {
        self.touch_symbol(&symbol.file, symbol.index);
        self.guarded(&symbol.file.path, symbol.index, true, || {
            let facts = symbol.get();
            if let Some(name) = &facts.value_type {
                return self.type_value(&symbol.file, name, through);
            }
            let values =
                facts.values.iter().map(|value| self.evaluate(&symbol.file, Some(symbol.index), value));
            let value = match Value::either(values) {
                // What a method outside returns may be something of the project.
                Value::External if library::serves(symbol.file.outline.language) => Value::Unknown,
                value => value,
            };
            // `return self` in a base class returns the class it was called on.
            match (&value, through) {
                (Value::Instance(class), Some(through))
                    if facts.parent == Some(class.symbol.index)
                        && class.symbol.file.path == symbol.file.path
                        && facts.values.iter().any(|value| matches!(value, Expression::Instance(_))) =>
                {
                    Value::Instance(through.clone())
                }
                _ => value,
            }
        })
    }

    /// An instance of the type that a text names. `through` gives type parameters their arguments.
    pub fn type_value(&self, file: &Rc<File>, name: &TypeName, through: Option<&Rc<TypeRef>>) -> Value {
        self.deeper(|| self.type_value_now(file, name, through)).unwrap_or(Value::Unknown)
    }

    fn type_value_now(&self, file: &Rc<File>, name: &TypeName, through: Option<&Rc<TypeRef>>) -> Value {
        let arguments = || -> Vec<Value> {
            name.arguments.iter().map(|argument| self.type_value(file, argument, through)).collect()
        };
        match name.path.as_slice() {
            [] => return Value::Unknown,
            [one] => match one.as_str() {
                "|" => return Value::either(arguments()),
                "()" => return Value::Tuple(arguments()),
                "[]" => return Value::Outside("list".to_owned(), arguments()),
                "fn" => {
                    let result = arguments();
                    return Value::Callable(Box::new(result.into_iter().next().unwrap_or(Value::Unknown)));
                }
                "typeof" => {
                    let Some(name) = name.arguments.first() else { return Value::Unknown };
                    let denoted = self.type_path(file, name);
                    return self.value_of(&denoted);
                }
                "Self" | "this" => {
                    let own = through.cloned().map(Value::Instance);
                    return own.or_else(|| self.enclosing_type(file, name.scope)).unwrap_or(Value::Unknown);
                }
                _ => {}
            },
            _ => {}
        }
        let denoted = self.type_path(file, name);
        self.instance_of(file, &denoted, name, through)
    }

    fn instance_of(
        &self,
        file: &Rc<File>,
        denoted: &Denoted,
        name: &TypeName,
        through: Option<&Rc<TypeRef>>,
    ) -> Value {
        let arguments = || -> Vec<Value> {
            name.arguments.iter().map(|argument| self.type_value(file, argument, through)).collect()
        };
        match denoted {
            Denoted::Parameter(owner, index) => self.parameter(owner, *index, through),
            Denoted::Either(several) => {
                Value::either(several.iter().map(|one| self.instance_of(file, one, name, through)))
            }
            Denoted::Symbol(symbol, _) if symbol.get().kind.is_type() => match self.value_of(denoted) {
                Value::Type(class) => {
                    let symbol = class.symbol.clone();
                    let own = if class.arguments.is_empty() { arguments() } else { class.arguments.clone() };
                    Value::Instance(Rc::new(TypeRef { symbol, arguments: own }))
                }
                Value::OutsideType(outside, own) => {
                    let own = if own.is_empty() { arguments() } else { own };
                    external::typed(&outside, own, file.outline.language)
                }
                Value::Either(several) => Value::either(several.into_iter().map(as_instance)),
                other => as_instance(other),
            },
            Denoted::Symbol(..) | Denoted::Module(_) => Value::Unknown,
            // A variable that holds a type, such as an alias.
            Denoted::Value(value) => as_instance(value.clone()),
            // One of several types of that name.
            Denoted::Unknown if library::serves(file.outline.language) => {
                Value::Outside(name.last().to_owned(), arguments())
            }
            Denoted::External | Denoted::Unknown => {
                external::typed(name.last(), arguments(), file.outline.language)
            }
        }
    }

    /// The argument for a type parameter, or the type of its bounds.
    fn parameter(&self, owner: &SymbolRef, index: usize, through: Option<&Rc<TypeRef>>) -> Value {
        self.touch_symbol(&owner.file, owner.index);
        let Some(parameter) = owner.get().type_parameters.get(index) else { return Value::Unknown };
        if let Some(through) = through {
            let position = match &owner.get().owner {
                // `impl<T> Foo<T>`: by the place of T among the arguments of Foo.
                Some(name) => {
                    name.arguments.iter().position(|argument| argument.path == [parameter.name.clone()])
                }
                None => Some(index).filter(|_| *owner == through.symbol),
            };
            let argument = position.and_then(|position| through.arguments.get(position));
            if let Some(argument) = argument.filter(|argument| !matches!(argument, Value::Unknown)) {
                return argument.clone();
            }
        }
        let bounds = parameter.bounds.iter().map(|bound| self.type_value(&owner.file, bound, None));
        match Value::either(bounds) {
            Value::Instance(class) => Value::Instance(class),
            Value::Either(several) => Value::either(
                several.into_iter().filter(|one| matches!(one, Value::Instance(_) | Value::Callable(_))),
            ),
            Value::Callable(result) => Value::Callable(result),
            _ => Value::Unknown,
        }
    }

    /// An instance of the innermost type around a scope.
    pub(super) fn enclosing_type(&self, file: &Rc<File>, scope: Option<u32>) -> Option<Value> {
        let mut scope = scope;
        while let Some(index) = scope {
            let symbol = file.symbol(index)?;
            self.touch_symbol(file, index);
            if symbol.kind.is_type() {
                let symbol = SymbolRef { file: file.clone(), index };
                return Some(Value::Instance(Rc::new(TypeRef { symbol, arguments: Vec::new() })));
            }
            scope = symbol.parent;
        }
        None
    }

    /// The element type of an iteration over a value.
    fn iterated(&self, value: &Value) -> Value {
        let method = match value {
            Value::Instance(class) if class.symbol.file.outline.language == Language::Python => {
                self.find_member(class, "__iter__")
            }
            Value::Instance(class) if library::serves(class.symbol.file.outline.language) => {
                let names = ["iterator", "GetEnumerator", "makeIterator", "getIterator"];
                names.iter().find_map(|name| self.find_member(class, name))
            }
            Value::Instance(class) => {
                self.find_member(class, "next").or_else(|| self.find_member(class, "into_iter"))
            }
            Value::Either(several) => return Value::either(several.iter().map(|one| self.iterated(one))),
            other => return external::element(other, false),
        };
        match method {
            Some(denoted) => external::element(&external::inner(self.call(&denoted)), false),
            None => Value::Unknown,
        }
    }

    /// The value in a wrapper, or the result of awaiting an instance.
    fn unwrapped(&self, value: Value) -> Value {
        match &value {
            Value::Instance(class) if class.symbol.file.outline.language == Language::Rust => {
                let output = self.associated(class, &["IntoFuture", "Future"], "Output");
                output.map_or(value, external::inner)
            }
            Value::Either(several) => Value::either(several.iter().map(|one| self.unwrapped(one.clone()))),
            _ => external::inner(value),
        }
    }

    /// Returns the value that `with value as name` binds.
    fn entered(&self, value: Value) -> Value {
        match &value {
            Value::Instance(class) => {
                let enter =
                    self.find_member(class, "__enter__").or_else(|| self.find_member(class, "__aenter__"));
                match enter {
                    Some(denoted) => self.call(&denoted),
                    None => value,
                }
            }
            Value::Either(several) => Value::either(several.iter().map(|one| self.entered(one.clone()))),
            Value::Outside(..) => external::entered(&value),
            _ => value,
        }
    }
}

/// The type of an instance, where a type is named through an alias.
fn as_type(value: Value, alias: &SymbolRef) -> Value {
    match value {
        Value::Instance(class) => Value::Type(class),
        Value::Outside(name, arguments) => Value::OutsideType(name, arguments),
        Value::Unknown => Value::Type(Rc::new(TypeRef { symbol: alias.clone(), arguments: Vec::new() })),
        other => other,
    }
}

/// An instance of a type.
fn as_instance(value: Value) -> Value {
    match value {
        Value::Type(class) => Value::Instance(class),
        Value::OutsideType(name, arguments) => Value::Outside(name, arguments),
        Value::Either(several) => Value::either(several.into_iter().map(as_instance)),
        other => other,
    }
}
