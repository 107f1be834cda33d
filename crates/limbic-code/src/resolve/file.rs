//! A file's outline with its indexes by name.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::facts::{Outline, Symbol};

/// A binding of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    Symbol(u32),
    Import(u32),
    Variable(u32),
}

/// Of the meanings of one name in one scope, the first and the last this many count: a reference has fewer edges, and
/// without a limit, a file of thousands of definitions of one name takes the square of their number.
const MAX_SAME_AT_EACH_END: usize = 8;
/// As [`MAX_SAME_AT_EACH_END`], for a name in all scopes of a file: many types may have a method of one name.
const MAX_NAMED_AT_EACH_END: usize = 250;

/// A file of the project.
pub struct File {
    pub path: Rc<str>,
    pub outline: Arc<Outline>,
    /// Names by the symbol in whose scope they are; `None` for the top of the file.
    names: HashMap<Option<u32>, HashMap<String, Vec<Binding>>>,
    /// Symbols by name.
    by_name: HashMap<String, Vec<u32>>,
    /// Imports of all names of a module, by scope.
    wildcards: HashMap<Option<u32>, Vec<u32>>,
    /// Names that an ES module exports by a clause. Unlike imports, they are not names of the module itself.
    exported: HashMap<String, Vec<Binding>>,
}

impl File {
    pub fn new(path: &str, outline: Arc<Outline>) -> Self {
        let mut file = Self {
            path: Rc::from(path),
            outline: outline.clone(),
            names: HashMap::new(),
            by_name: HashMap::new(),
            wildcards: HashMap::new(),
            exported: HashMap::new(),
        };
        let has_clauses = outline.language.is_ecmascript();
        let index = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        for (at, symbol) in outline.symbols.iter().enumerate() {
            // A method outside of its type's definition is not a name of the scope that it is written in.
            let is_bound = symbol.owner.is_none()
                || symbol.parent.is_some_and(|parent| {
                    outline.symbols.get(parent as usize).is_some_and(|parent| parent.kind.is_type())
                });
            if is_bound {
                file.bind(symbol.parent, &symbol.name, Binding::Symbol(index(at)));
            }
            keep(file.by_name.entry(symbol.name.clone()).or_default(), index(at), MAX_NAMED_AT_EACH_END);
        }
        for (at, import) in outline.imports.iter().enumerate() {
            if import.name.as_deref() == Some("*") && import.local.is_empty() {
                file.wildcards.entry(import.scope).or_default().push(index(at));
            } else if has_clauses && import.is_exported && import.scope.is_none() && !import.local.is_empty()
            {
                keep(
                    file.exported.entry(import.local.clone()).or_default(),
                    Binding::Import(index(at)),
                    MAX_SAME_AT_EACH_END,
                );
            } else if !import.local.is_empty() {
                file.bind(import.scope, &import.local, Binding::Import(index(at)));
            }
        }
        for (at, variable) in outline.variables.iter().enumerate().filter(|(_, variable)| !variable.is_local)
        {
            file.bind(variable.scope, &variable.name, Binding::Variable(index(at)));
        }
        file
    }

    fn bind(&mut self, scope: Option<u32>, name: &str, binding: Binding) {
        keep(
            self.names.entry(scope).or_default().entry(name.to_owned()).or_default(),
            binding,
            MAX_SAME_AT_EACH_END,
        );
    }

    /// The bindings of a name in the scope of a symbol, without enclosing scopes.
    pub fn bindings(&self, scope: Option<u32>, name: &str) -> &[Binding] {
        self.names.get(&scope).and_then(|names| names.get(name)).map_or(&[], Vec::as_slice)
    }

    /// The bindings behind a name that importers of an ES module or CommonJS module see, without `export *`.
    pub fn exports(&self, name: &str) -> Vec<Binding> {
        let mut found = self.exported.get(name).cloned().unwrap_or_default();
        let is_own = match &self.outline.exports {
            // In a declaration file, everything is exported.
            Some(exports) if !is_declaration_file(&self.path) && name != "default" => {
                exports.binary_search_by(|export| export.as_str().cmp(name)).is_ok()
            }
            _ => found.is_empty(),
        };
        if is_own {
            found.extend_from_slice(self.bindings(None, name));
        }
        found
    }

    pub fn wildcards(&self, scope: Option<u32>) -> &[u32] {
        self.wildcards.get(&scope).map_or(&[], Vec::as_slice)
    }

    /// Symbols of a name, in any scope; see [`MAX_NAMED_AT_EACH_END`].
    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn symbol(&self, index: u32) -> Option<&Symbol> {
        self.outline.symbols.get(index as usize)
    }

    /// The folder of the file, without a slash at its end.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Appends what a name means, and leaves out one in the middle if there are too many.
fn keep<T>(same: &mut Vec<T>, next: T, max_at_each_end: usize) {
    if same.len() == 2 * max_at_each_end {
        same.remove(max_at_each_end);
    }
    same.push(next);
}

/// A symbol of a file.
#[derive(Clone)]
pub struct SymbolRef {
    pub file: Rc<File>,
    pub index: u32,
}

impl SymbolRef {
    pub fn get(&self) -> &Symbol {
        &self.file.outline.symbols[self.index as usize]
    }
}

impl PartialEq for SymbolRef {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.file.path == other.file.path
    }
}

/// Whether a TypeScript file only declares what is implemented elsewhere.
pub fn is_declaration_file(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    #[test]
    fn of_many_definitions_of_one_name_the_first_and_the_last_count() {
        let facts = extract("a.py", "def f(): f()\n".repeat(1000).as_bytes());
        let file = File::new("a.py", Arc::new(facts.outline));
        let named: Vec<u32> = (0..250).chain(750..1000).collect();
        assert_eq!(file.named("f"), named);
        let bound: Vec<Binding> = (0..8).chain(992..1000).map(Binding::Symbol).collect();
        assert_eq!(file.bindings(None, "f"), bound);
    }
}
