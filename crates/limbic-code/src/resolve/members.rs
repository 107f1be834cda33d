//! Members of values.

use std::rc::Rc;

use super::evaluate::{Denoted, TypeRef, Value};
use super::external;
use super::file::{Binding, File, SymbolRef};
use super::library;
use super::resolver::Resolver;
use crate::expression::{CONSTRUCTOR, Expression, TypeName};
use crate::facts::SymbolKind;
use crate::language::Language;

/// Base classes looked through, in all.
const MAX_BASES: usize = 60;

impl Resolver<'_> {
    /// The denotation of `value.name`; `language` is that of the reference.
    pub fn member(&self, value: &Value, name: &str, language: Language) -> Denoted {
        match value {
            Value::Unknown => Denoted::Unknown,
            Value::External => Denoted::External,
            Value::Module(module) => self.module_member(module, name),
            Value::Instance(class) | Value::Type(class) => match self.find_member(class, name) {
                Some(found) => found,
                None if language == Language::Rust
                    && let Some(target) = self.associated(class, &["Deref"], "Target") =>
                {
                    self.member(&target, name, language)
                }
                // Traits and extensions add methods to any type.
                None if matches!(
                    language,
                    Language::Rust | Language::Swift | Language::Kotlin | Language::Scala
                ) =>
                {
                    self.trait_method(Some(class), name)
                }
                // An instance variable of Ruby that is set elsewhere.
                None if name.starts_with('@') => Denoted::Unknown,
                None => Denoted::External,
            },
            Value::Function(..) | Value::Callable(_) if language == Language::Rust => {
                self.trait_method(None, name)
            }
            Value::Function(..) | Value::Callable(_) | Value::OutsideMember(..) => Denoted::External,
            Value::Outside(outside, _) | Value::OutsideType(outside, _) => {
                match external::dereferenced(value) {
                    Some(inner) if !library::serves(language) => self.member(&inner.clone(), name, language),
                    _ => self.extension(outside, name, language).unwrap_or_else(|| {
                        Denoted::Value(Value::OutsideMember(Box::new(value.clone()), name.to_owned()))
                    }),
                }
            }
            Value::Tuple(items) => match name.parse::<usize>().ok().and_then(|index| items.get(index)) {
                Some(item) => Denoted::Value(item.clone()),
                None => self.extension("()", name, language).unwrap_or(Denoted::External),
            },
            Value::Either(several) => {
                let found: Vec<Denoted> =
                    several.iter().map(|one| self.member(one, name, language)).collect();
                let is_found = |denoted: &Denoted| match denoted {
                    Denoted::Unknown | Denoted::External => false,
                    Denoted::Value(value) => !matches!(value, Value::OutsideMember(..)),
                    _ => true,
                };
                if found.iter().any(is_found) {
                    return Denoted::Either(found.into_iter().filter(is_found).collect());
                }
                let known = found
                    .into_iter()
                    .find(|denoted| !matches!(denoted, Denoted::Unknown | Denoted::External));
                known.unwrap_or(if several.is_empty() { Denoted::Unknown } else { Denoted::External })
            }
        }
    }

    /// A member of a type or of one of its bases.
    pub fn find_member(&self, class: &Rc<TypeRef>, name: &str) -> Option<Denoted> {
        if name == CONSTRUCTOR {
            return self.constructors(class);
        }
        self.touch_name(name);
        let mut found = None;
        self.lineage(class, |of| {
            // A base's own type in a result is the type of the receiver.
            found = self.own_member(of, name, of, class);
            found.is_some()
        });
        found
    }

    /// The constructors that a type itself has, which have its name.
    fn constructors(&self, class: &Rc<TypeRef>) -> Option<Denoted> {
        let SymbolRef { file, index } = &class.symbol;
        let name = &class.symbol.get().name;
        self.touch_name(name);
        let mut found = Vec::new();
        for binding in file.bindings(Some(*index), name) {
            if let Binding::Symbol(index) = binding
                && file.symbol(*index).is_some_and(|symbol| symbol.kind == SymbolKind::Method)
            {
                let symbol = SymbolRef { file: file.clone(), index: *index };
                found.push(Denoted::Symbol(symbol, Some(class.clone())));
            }
        }
        match found.len() {
            0 | 1 => found.pop(),
            _ => Some(Denoted::Either(found)),
        }
    }

    /// Visits a type and its bases, nearest first, until `visit` is content.
    pub(super) fn lineage(&self, class: &Rc<TypeRef>, mut visit: impl FnMut(&Rc<TypeRef>) -> bool) {
        let mut seen: Vec<SymbolRef> = Vec::new();
        let mut queue = std::collections::VecDeque::from([class.clone()]);
        while let Some(next) = queue.pop_front() {
            if seen.len() >= MAX_BASES || seen.contains(&next.symbol) {
                continue;
            }
            seen.push(next.symbol.clone());
            if visit(&next) {
                return;
            }
            queue.extend(self.bases(&next));
        }
    }

    /// A member that the type itself has.
    pub(super) fn own_member(
        &self,
        of: &Rc<TypeRef>,
        name: &str,
        through: &Rc<TypeRef>,
        asked: &Rc<TypeRef>,
    ) -> Option<Denoted> {
        let file = &of.symbol.file;
        let mut symbols = Vec::new();
        let mut values = Vec::new();
        let bindings = file.bindings(Some(of.symbol.index), name);
        let is_declared = |binding: &Binding| {
            let Binding::Variable(index) = binding else { return false };
            let variable = file.outline.variables.get(*index as usize);
            variable.is_some_and(|variable| matches!(variable.value, Expression::Typed(_)))
        };
        // Where a property of PHP has a declared type, its assignments say no more.
        let has_type = file.outline.language == Language::Php && bindings.iter().any(is_declared);
        for binding in bindings {
            match binding {
                Binding::Variable(_) if has_type && !is_declared(binding) => {}
                Binding::Symbol(index) => {
                    let symbol = SymbolRef { file: file.clone(), index: *index };
                    // A constructor has the name of its type, which means the type everywhere.
                    if symbol.get().kind == SymbolKind::Method && name == of.symbol.get().name {
                        continue;
                    }
                    symbols.push(Denoted::Symbol(symbol, Some(asked.clone())));
                }
                Binding::Variable(index) => values.push(self.variable(file, *index, Some(through))),
                Binding::Import(_) => {}
            }
        }
        if has_open_types(file.outline.language) {
            symbols.extend(self.methods_elsewhere(&of.symbol, name, asked));
        }
        match (symbols.len(), values.len()) {
            (0, 0) => None,
            (0, _) => Some(Denoted::Value(Value::either(values))),
            (1, _) => symbols.pop(),
            _ => {
                // The type's own method takes precedence over those of implemented traits.
                let own = |denoted: &Denoted| matches!(denoted, Denoted::Symbol(symbol, _) if symbol.get().implements.is_none());
                if symbols.iter().any(own) {
                    symbols.retain(own);
                } else if file.outline.language == Language::Rust {
                    // Several implementations of one trait: which one depends on the arguments.
                    return Some(Denoted::Unknown);
                }
                super::names::last_definition(&mut symbols);
                Some(if symbols.len() == 1 { symbols.remove(0) } else { Denoted::Either(symbols) })
            }
        }
    }

    /// Methods of a type that are written outside of its definition.
    fn methods_elsewhere(&self, of: &SymbolRef, name: &str, asked: &Rc<TypeRef>) -> Vec<Denoted> {
        let mut found = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(file) = self.file(path) else { continue };
            if file.outline.language.family() != of.file.outline.language.family() {
                continue;
            }
            for index in file.named(name).iter().take_while(|_| self.step()) {
                let Some(symbol) = file.symbol(*index) else { continue };
                let Some(owner) = &symbol.owner else { continue };
                let is_bound = symbol.parent == Some(of.index) && file.path == of.file.path;
                if is_bound || !self.is_named(&file, owner, of) {
                    continue;
                }
                found.push(Denoted::Symbol(
                    SymbolRef { file: file.clone(), index: *index },
                    Some(asked.clone()),
                ));
            }
        }
        found
    }

    /// Whether a type's text names the symbol.
    fn is_named(&self, file: &Rc<File>, name: &TypeName, symbol: &SymbolRef) -> bool {
        name.last() == symbol.get().name
            && matches!(self.type_path(file, name), Denoted::Symbol(found, _) if found == *symbol)
    }

    /// The types that a type extends or implements. To find one may need the bases of the type itself, as in
    /// `class A(A.B)`.
    fn bases(&self, of: &Rc<TypeRef>) -> Vec<Rc<TypeRef>> {
        self.deeper(|| self.bases_now(of)).unwrap_or_default()
    }

    fn bases_now(&self, of: &Rc<TypeRef>) -> Vec<Rc<TypeRef>> {
        let symbol = &of.symbol;
        self.touch_symbol(&symbol.file, symbol.index);
        let mut found = Vec::new();
        for base in &symbol.get().bases {
            self.add_base(&symbol.file, base, of, &mut found);
        }
        if symbol.file.outline.language == Language::Rust {
            for path in self.paths_defining(&symbol.get().name).iter() {
                let Some(file) = self.file(path) else { continue };
                for implementation in &file.outline.implementations {
                    if self.is_named(&file, &implementation.of, symbol) {
                        self.add_base(&file, &implementation.base, of, &mut found);
                    }
                }
            }
        }
        found
    }

    fn add_base(&self, file: &Rc<File>, base: &TypeName, of: &Rc<TypeRef>, found: &mut Vec<Rc<TypeRef>>) {
        let denoted = self.type_path(file, base);
        // A base of the same name is another definition, not the type itself.
        match self.value_of(&denoted) {
            Value::Type(class) if class.symbol != of.symbol => {
                let arguments =
                    base.arguments.iter().map(|argument| self.type_value(file, argument, Some(of)));
                found.push(Rc::new(TypeRef { symbol: class.symbol.clone(), arguments: arguments.collect() }));
            }
            // A constructor function.
            Value::Function(symbol, _) => found.push(Rc::new(TypeRef { symbol, arguments: Vec::new() })),
            Value::Either(several) => found.extend(several.into_iter().filter_map(|one| match one {
                Value::Type(class) | Value::Instance(class) if class.symbol != of.symbol => Some(class),
                _ => None,
            })),
            _ => {}
        }
    }

    /// Returns the value of `super` in a method of the type: its bases.
    pub fn super_of(&self, file: &Rc<File>, index: u32) -> Value {
        let symbol = SymbolRef { file: file.clone(), index };
        let bases = self.bases(&Rc::new(TypeRef { symbol, arguments: Vec::new() }));
        match bases.len() {
            0 => Value::External,
            _ => Value::Either(bases.into_iter().map(Value::Instance).collect()),
        }
    }

    /// A method of a trait that every type may have: the only trait of the project with such a method. A name of the
    /// standard library means that: what `iter()` or `as_ref()` returns is not followed exactly.
    fn trait_method(&self, class: Option<&Rc<TypeRef>>, name: &str) -> Denoted {
        if external::is_rust_method(name) {
            return Denoted::External;
        }
        let mut found: Vec<SymbolRef> = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(file) = self.file(path).filter(|file| file.outline.language == Language::Rust) else {
                continue;
            };
            for index in file.named(name).iter().take_while(|_| self.step()) {
                let parent = file
                    .symbol(*index)
                    .and_then(|symbol| symbol.parent)
                    .and_then(|parent| file.symbol(parent));
                if parent.is_some_and(|parent| parent.kind == SymbolKind::Trait) {
                    found.push(SymbolRef { file: file.clone(), index: *index });
                }
            }
        }
        match found.as_slice() {
            [only] => Denoted::Symbol(only.clone(), class.cloned()),
            _ => Denoted::Unknown,
        }
    }

    /// A method that the project adds to an external type: of an `impl` for that type, or of the only trait.
    fn extension(&self, outside: &str, name: &str, language: Language) -> Option<Denoted> {
        if language != Language::Rust {
            return None;
        }
        let mut found: Vec<SymbolRef> = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(file) = self.file(path).filter(|file| file.outline.language == language) else {
                continue;
            };
            for index in file.named(name).iter().take_while(|_| self.step()) {
                let owner = file.symbol(*index).and_then(|symbol| symbol.owner.as_ref());
                if owner.is_some_and(|owner| owner.last() == outside) {
                    found.push(SymbolRef { file: file.clone(), index: *index });
                }
            }
        }
        match found.len() {
            1 => found.pop().map(|only| Denoted::Symbol(only, None)),
            _ => None,
        }
    }

    /// The type that an `impl` of a trait sets for a type: `Output` of `IntoFuture`.
    pub fn associated(&self, class: &Rc<TypeRef>, bases: &[&str], name: &str) -> Option<Value> {
        let symbol = &class.symbol;
        for path in self.paths_defining(&symbol.get().name).iter() {
            let Some(file) = self.file(path) else { continue };
            for implementation in &file.outline.implementations {
                let set = implementation.associated.iter().find(|(associated, _)| associated == name);
                if let Some((_, set)) = set
                    && bases.contains(&implementation.base.last())
                    && self.is_named(&file, &implementation.of, symbol)
                {
                    return Some(self.type_value(&file, set, Some(class)));
                }
            }
        }
        None
    }
}

/// Languages in which methods of a type may be written outside of its definition.
fn has_open_types(language: Language) -> bool {
    matches!(
        language,
        Language::Rust
            | Language::Go
            | Language::JavaScript
            | Language::Cpp
            | Language::Swift
            | Language::Kotlin
            | Language::Lua
    )
}
