//! Names and paths of types, by scope.

use std::collections::HashSet;
use std::rc::Rc;

use super::evaluate::{Denoted, TypeRef};
use super::file::{Binding, File, SymbolRef};
use super::modules::Module;
use super::resolver::{IncludedFiles, Resolver};
use crate::expression::TypeName;
use crate::facts::SymbolKind;
use crate::language::Language;

/// Maximum number of files that a file includes, directly or through others.
const MAX_INCLUDES: usize = 1000;
/// Maximum number of includes that are followed for that, also of files that were found before.
const MAX_FOLLOWED_INCLUDES: usize = 10_000;

impl Resolver<'_> {
    /// The denotation of a name in the scope of a symbol.
    pub fn name(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Denoted {
        self.touch_name(name);
        let language = file.outline.language;
        if language == Language::Rust
            && let Some(module) = self.rust_keyword(file, scope, name)
        {
            return module;
        }
        let mut at = scope;
        while let Some(index) = at {
            let Some(symbol) = file.symbol(index) else { break };
            self.touch_symbol(file, index);
            if let Some(found) = self.in_scope(file, index, name) {
                return found;
            }
            // The names around an inline module are not visible in it.
            if language == Language::Rust && symbol.kind == SymbolKind::Module {
                return self.outer_name(file, name);
            }
            at = symbol.parent;
        }
        if let Some(found) = self.at_top(file, None, name) {
            return found;
        }
        self.outer_name(file, name)
    }

    /// A name in the scope of one symbol.
    fn in_scope(&self, file: &Rc<File>, index: u32, name: &str) -> Option<Denoted> {
        let symbol = file.symbol(index)?;
        if let Some(position) = symbol.type_parameters.iter().position(|parameter| parameter.name == name) {
            return Some(Denoted::Parameter(SymbolRef { file: file.clone(), index }, position));
        }
        if symbol.kind.is_type() {
            // Members are in scope without a receiver, except in languages that require `self` or `this`.
            let needs_receiver = file.outline.language.is_ecmascript()
                || matches!(
                    file.outline.language,
                    Language::Python
                        | Language::Rust
                        | Language::Go
                        | Language::Php
                        | Language::Lua
                        | Language::C
                        | Language::Html
                );
            if needs_receiver {
                return None;
            }
            let symbol = SymbolRef { file: file.clone(), index };
            return self.find_member(&Rc::new(TypeRef { symbol, arguments: Vec::new() }), name);
        }
        if symbol.kind == SymbolKind::Module {
            return self.at_top(file, Some(index), name);
        }
        // Definitions within functions are bound by the extraction, imports too, unless they follow further down.
        self.defined_below(file, index, name)
    }

    /// A definition in a function, in languages in which it is visible in front of it. One in a block of the function
    /// is not visible outside of the block, and the facts of a reference do not tell in which block that is.
    fn defined_below(&self, file: &Rc<File>, function: u32, name: &str) -> Option<Denoted> {
        let language = file.outline.language;
        // The path of a type has no place in the function.
        if language == Language::Go {
            return self.local_type(file, function, name);
        }
        let is_hoisted = language.is_ecmascript()
            || matches!(language, Language::Python | Language::CSharp | Language::Scala | Language::Swift);
        let is_local = |binding: &&Binding| match binding {
            Binding::Symbol(index) => {
                file.symbol(*index).is_some_and(|symbol| symbol.is_local && !symbol.is_in_block)
            }
            _ => false,
        };
        let bindings = Some(file.bindings(Some(function), name)).filter(|_| is_hoisted)?;
        let found: Vec<Binding> = bindings.iter().filter(is_local).copied().collect();
        self.bound(file, &found)
    }

    /// A name at the top of a file or inline module, directly or through `*` imports.
    pub fn at_top(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        // `export *` gives names to importers alone.
        if file.outline.language.is_ecmascript() && scope.is_none() {
            return self.bound(file, &outside_of_blocks(file, file.bindings(None, name)));
        }
        let found = self.bound(file, file.bindings(scope, name));
        found.or_else(|| self.through_wildcards(file, scope, name))
    }

    /// A name that an ES module or CommonJS module exports, directly or through `export *`, which passes on all names
    /// but `default`.
    pub fn exported(&self, file: &Rc<File>, name: &str) -> Option<Denoted> {
        self.bound(file, &file.exports(name)).or_else(|| match name {
            "default" => None,
            _ => self.through_wildcards(file, None, name),
        })
    }

    fn through_wildcards(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        if scope.is_none() && includes_text(file.outline.language) {
            return self.through_includes(file, name);
        }
        file.wildcards(scope).iter().find_map(|index| {
            let import = file.outline.imports.get(*index as usize)?;
            self.through_wildcard(file, &import.module, import.scope, name)
        })
    }

    /// A name at the top of a file that a file includes, directly or through others.
    fn through_includes(&self, file: &Rc<File>, name: &str) -> Option<Denoted> {
        let included = self.included(file);
        // A file costs about a tenth of a step.
        (0..=included.len() / 10).take_while(|_| self.step()).count();
        included.iter().find_map(|other| {
            let bindings = other.bindings(None, name);
            let found = if bindings.is_empty() { None } else { self.bound(other, bindings) };
            found.filter(|found| !matches!(found, Denoted::Unknown | Denoted::External))
        })
    }

    /// The files that a file includes, directly or through others, each where it is included first.
    fn included(&self, file: &Rc<File>) -> IncludedFiles {
        if let Some(known) = self.includes.borrow().get(&file.path) {
            return known.clone();
        }
        let mut found: Vec<Rc<File>> = Vec::new();
        let mut seen = HashSet::from([file.path.clone()]);
        let mut left = MAX_FOLLOWED_INCLUDES;
        let mut of = |file: &Rc<File>| {
            let imports = file.wildcards(None).iter().take(left);
            left -= imports.len();
            let imports = imports.filter_map(|index| file.outline.imports.get(*index as usize));
            let modules = imports.filter_map(|import| self.module(file, &import.module, None));
            let files = modules.filter_map(|module| match module {
                Module::File { file, scope: None } => Some(file),
                _ => None,
            });
            files.collect::<Vec<_>>().into_iter()
        };
        let mut open = vec![of(file)];
        while let Some(files) = open.last_mut() {
            match files.next() {
                None => {
                    open.pop();
                }
                Some(next) if found.len() < MAX_INCLUDES && seen.insert(next.path.clone()) => {
                    open.push(of(&next));
                    found.push(next);
                }
                Some(_) => {}
            }
        }
        let found: IncludedFiles = found.into();
        self.includes.borrow_mut().insert(file.path.clone(), found.clone());
        found
    }

    /// The denotation of the bindings of a name.
    pub fn bound(&self, file: &Rc<File>, bindings: &[Binding]) -> Option<Denoted> {
        let mut found: Vec<Denoted> = Vec::new();
        let mut has_symbol = false;
        for binding in bindings {
            match binding {
                Binding::Symbol(index) => {
                    has_symbol = true;
                    found.push(Denoted::Symbol(SymbolRef { file: file.clone(), index: *index }, None));
                }
                Binding::Import(index) => match self.import(file, *index) {
                    // `mod a;` without its file is still a symbol.
                    Denoted::External | Denoted::Unknown if has_symbol => {}
                    other => found.push(other),
                },
                Binding::Variable(index) => found.push(Denoted::Value(self.variable(file, *index, None))),
            }
        }
        match found.len() {
            0 => None,
            1 => found.pop(),
            _ => {
                // An unresolved import carries less information than a definition.
                let is_known = |denoted: &Denoted| !matches!(denoted, Denoted::External | Denoted::Unknown);
                if found.iter().any(is_known) {
                    found.retain(is_known);
                }
                last_definition(&mut found);
                Some(if found.len() == 1 { found.remove(0) } else { Denoted::Either(found) })
            }
        }
    }

    fn through_wildcard(
        &self,
        file: &Rc<File>,
        module: &str,
        scope: Option<u32>,
        name: &str,
    ) -> Option<Denoted> {
        let fuel = self.fuel.get();
        let depth = self.depth.get();
        if fuel == 0 || depth > 24 || (name.starts_with('_') && file.outline.language == Language::Python) {
            return None;
        }
        self.fuel.set(fuel - 1);
        self.depth.set(depth + 1);
        let found = match self.module(file, module, scope) {
            Some(module) => match self.module_member(&module, name) {
                Denoted::Unknown | Denoted::External => None,
                found => Some(found),
            },
            None => None,
        };
        self.depth.set(depth);
        found
    }

    /// A name that no scope of the file binds: of its package, of the project, or from outside.
    fn outer_name(&self, file: &Rc<File>, name: &str) -> Denoted {
        match file.outline.language.family() {
            // One package is one folder.
            Language::Go => {
                let package = Module::Folder { path: Rc::from(file.folder()), language: Language::Go };
                match self.module_member(&package, name) {
                    Denoted::Unknown => Denoted::External,
                    found => found,
                }
            }
            Language::Java => self.java_name(file, name),
            Language::Rust => self.rust_crate(file, name).map_or(Denoted::External, Denoted::Module),
            // One name space for the whole program.
            Language::C
            | Language::CSharp
            | Language::Ruby
            | Language::Php
            | Language::Swift
            | Language::Bash
            | Language::Lua => self.global_name(file, name),
            _ => Denoted::External,
        }
    }

    /// The definitions of a name at the top of the project's files of one language.
    pub fn global_name(&self, file: &Rc<File>, name: &str) -> Denoted {
        let family = file.outline.language.family();
        let mut found = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(other) = self.file(path).filter(|other| other.outline.language.family() == family)
            else {
                continue;
            };
            for index in other.named(name).iter().take_while(|_| self.step()) {
                let is_top = other.symbol(*index).is_some_and(|symbol| {
                    !symbol.is_local
                        && symbol.kind != SymbolKind::Method
                        && symbol.parent.is_none_or(|parent| {
                            other.symbol(parent).is_some_and(|parent| parent.kind == SymbolKind::Module)
                        })
                });
                if is_top {
                    found.push(Denoted::Symbol(SymbolRef { file: other.clone(), index: *index }, None));
                }
            }
        }
        match found.len() {
            0 => Denoted::External,
            1 => found.remove(0),
            _ => Denoted::Unknown,
        }
    }

    /// A type, a parameter of one, or a name of a module around a scope.
    fn nested_type(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        self.touch_name(name);
        let mut at = scope;
        while let Some(index) = at {
            let symbol = file.symbol(index)?;
            self.touch_symbol(file, index);
            let owner = SymbolRef { file: file.clone(), index };
            if let Some(position) = symbol.type_parameters.iter().position(|one| one.name == name) {
                return Some(Denoted::Parameter(owner, position));
            }
            if symbol.kind == SymbolKind::Module {
                if let Some(found) = self.at_top(file, Some(index), name) {
                    return Some(found);
                }
            } else if symbol.kind.is_type() {
                let mut found = None;
                self.lineage(&Rc::new(TypeRef { symbol: owner, arguments: Vec::new() }), |of| {
                    let file = &of.symbol.file;
                    let mut bound = file.bindings(Some(of.symbol.index), name).iter();
                    found = bound.find_map(|binding| match binding {
                        Binding::Symbol(index) if file.symbol(*index)?.kind.is_type() => {
                            Some(Denoted::Symbol(SymbolRef { file: file.clone(), index: *index }, None))
                        }
                        _ => None,
                    });
                    found.is_some()
                });
                if found.is_some() {
                    return found;
                }
            } else {
                let found = self.local_type(file, index, name);
                if found.is_some() {
                    return found;
                }
            }
            at = symbol.parent;
        }
        None
    }

    /// A type that is defined in a function.
    fn local_type(&self, file: &Rc<File>, function: u32, name: &str) -> Option<Denoted> {
        let is_type = |binding: &&Binding| match binding {
            Binding::Symbol(index) => {
                file.symbol(*index).is_some_and(|symbol| symbol.is_local && symbol.kind.is_type())
            }
            _ => false,
        };
        let mut types = file.bindings(Some(function), name).iter().filter(is_type);
        let Some(Binding::Symbol(index)) = types.next() else { return None };
        let is_in_block = file.symbol(*index).is_some_and(|symbol| symbol.is_in_block);
        let scope = file.symbol(function).and_then(|symbol| symbol.parent);
        // Outside of the block of a type, the name may be that of another type.
        let is_only =
            types.next().is_none() && (!is_in_block || self.outer_type(file, scope, name).is_none());
        let found = Denoted::Symbol(SymbolRef { file: file.clone(), index: *index }, None);
        Some(if is_only { found } else { Denoted::Unknown })
    }

    /// A type around a scope, of the file or the project.
    fn outer_type(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        let found = self.nested_type(file, scope, name).or_else(|| self.at_top(file, None, name));
        let found = found.unwrap_or_else(|| self.outer_name(file, name));
        Some(found).filter(|found| !matches!(found, Denoted::External))
    }

    /// The denotation of a path of names as a type.
    pub fn type_path(&self, file: &Rc<File>, name: &TypeName) -> Denoted {
        let Some((first, rest)) = name.path.split_first() else { return Denoted::Unknown };
        let nested = match file.outline.language {
            Language::CSharp | Language::Java | Language::Kotlin | Language::Scala | Language::Swift => {
                Some(self.nested_type(file, name.scope, first))
            }
            _ => None,
        };
        let mut denoted = match nested {
            Some(Some(found)) => found,
            // Fields and methods are no types, even where they have the name of one.
            Some(None) => self.at_top(file, None, first).unwrap_or_else(|| self.outer_name(file, first)),
            None => self.name(file, name.scope, first),
        };
        for part in rest {
            let value = self.value_of(&denoted);
            denoted = self.member(&value, part, file.outline.language);
        }
        match denoted {
            // A type and a value of one name: the type is meant.
            Denoted::Either(several) => {
                let is_type =
                    |one: &Denoted| matches!(one, Denoted::Symbol(symbol, _) if symbol.get().kind.is_type());
                match several.iter().find(|one| is_type(one)) {
                    Some(found) => found.clone(),
                    None => Denoted::Either(several),
                }
            }
            other => other,
        }
    }
}

/// Whether a file includes the text of others, whose names are those of the file.
fn includes_text(language: Language) -> bool {
    matches!(language.family(), Language::C | Language::Bash | Language::Lua | Language::Php | Language::Ruby)
}

/// Of the bindings of a name at the top of a JavaScript or TypeScript file, those that are visible outside of a block.
/// What a name within the block of a definition means is known from the walk, but for types. In JavaScript, a function
/// in a block may be visible behind it.
fn outside_of_blocks(file: &Rc<File>, bindings: &[Binding]) -> Vec<Binding> {
    let local = |binding: &Binding| match binding {
        Binding::Symbol(index) => file.symbol(*index).filter(|symbol| symbol.is_local),
        _ => None,
    };
    let found: Vec<Binding> = bindings.iter().filter(|binding| local(binding).is_none()).copied().collect();
    let is_type = |binding: &Binding| local(binding).is_some_and(|symbol| symbol.kind.is_type());
    match bindings {
        _ if !found.is_empty() => found,
        [only] if is_type(only) => vec![*only],
        _ if file.outline.language == Language::JavaScript => bindings.to_vec(),
        _ => found,
    }
}

/// Keeps the last of several functions of one name: the implementation behind its overloads, the definition that holds.
/// All overloads are kept in languages that have them.
pub fn last_definition(found: &mut Vec<Denoted>) {
    let is_function = |denoted: &Denoted| match denoted {
        Denoted::Symbol(symbol, _) => {
            matches!(symbol.get().kind, SymbolKind::Function | SymbolKind::Method)
                && matches!(
                    symbol.file.outline.language.family(),
                    Language::Python
                        | Language::JavaScript
                        | Language::Rust
                        | Language::Php
                        | Language::Ruby
                        | Language::Lua
                )
        }
        _ => false,
    };
    let Some(last) = found.iter().rposition(is_function) else { return };
    let mut index = 0;
    found.retain(|denoted| {
        let keep = index == last || !is_function(denoted);
        index += 1;
        keep
    });
}
