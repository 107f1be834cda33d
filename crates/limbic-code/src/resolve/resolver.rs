//! The resolver of a project's files. Its methods for names, members, values and modules are in the files of those
//! names.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::denotation::Denoted;
use super::file::{File, SymbolRef};
use super::modules::Module;
use super::{Edge, ProjectView, Relation, Resolution, Tier};
use crate::expression::Expression;
use crate::facts::{FileFacts, Outline, Reference, ReferenceKind, SymbolKind};
use crate::language::Language;

/// Maximum number of edges of one reference.
const MAX_EDGES: usize = 8;
/// Steps that one reference may take.
const MAX_FUEL: u32 = 4_000;
/// Steps that the references of a file may take on average, beside [`MIN_FILE_FUEL`]. Most source code takes no more
/// than 10; types that are computed from others take up to 300.
const FUEL: u32 = 20;
/// Steps that the references of a file may take, however few there are. A step takes less than a microsecond.
const MIN_FILE_FUEL: u32 = 400_000;
/// Maximum number of symbols of one reference that are compared.
const MAX_SYMBOLS: usize = 64;
/// Maximum number of candidates of a reference that is resolved by name alone.
pub(super) const MAX_CANDIDATES: usize = 20;

/// Resolves the references of one file.
#[must_use]
pub fn resolve(view: &dyn ProjectView, path: &str, facts: &FileFacts) -> Resolution {
    Resolver::new(view).resolve(path, &Arc::new(facts.outline.clone()), &facts.references)
}

/// A file, the path in an import, and the scope of the import.
pub type ImportPath = (Rc<str>, String, Option<u32>);

/// The first file of a package that has a variable of a name at its top.
pub type PackageVariables = HashMap<String, Rc<File>>;

/// The files that a file includes, directly or through others.
pub type IncludedFiles = Rc<[Rc<File>]>;

/// Resolves files of a project that does not change meanwhile. Caches the outlines and lists that it has read.
pub struct Resolver<'v> {
    pub(super) view: &'v dyn ProjectView,
    /// The file that is resolved.
    pub(super) path: RefCell<String>,
    pub(super) files: RefCell<HashMap<String, Option<Rc<File>>>>,
    pub(super) defining: RefCell<HashMap<String, Rc<[String]>>>,
    pub(super) in_folders: RefCell<HashMap<String, Rc<[String]>>>,
    pub(super) file_names: RefCell<HashMap<String, Rc<[String]>>>,
    /// Files with each variable at the top of a package, by folder.
    pub(super) package_variables: RefCell<HashMap<String, Rc<PackageVariables>>>,
    pub(super) lookups: RefCell<BTreeSet<u64>>,
    /// The modules that the imports of files mean, by the file, the path and the scope, while one file is resolved.
    pub(super) modules: RefCell<HashMap<ImportPath, Option<Module>>>,
    /// The files that files include, by their path, while one file is resolved.
    pub(super) includes: RefCell<HashMap<Rc<str>, IncludedFiles>>,
    /// Symbols and variables that are being evaluated, against circles.
    pub(super) active: RefCell<Vec<(u32, bool, Rc<str>)>>,
    pub(super) depth: Cell<u32>,
    /// Steps left for the current reference: bounds the work on hostile text.
    pub(super) fuel: Cell<u32>,
}

impl<'v> Resolver<'v> {
    /// A resolver for the project.
    #[must_use]
    pub fn new(view: &'v dyn ProjectView) -> Self {
        Self {
            view,
            path: RefCell::default(),
            files: RefCell::default(),
            defining: RefCell::default(),
            in_folders: RefCell::default(),
            file_names: RefCell::default(),
            package_variables: RefCell::default(),
            modules: RefCell::default(),
            includes: RefCell::default(),
            lookups: RefCell::default(),
            active: RefCell::default(),
            depth: Cell::new(0),
            fuel: Cell::new(0),
        }
    }

    /// Resolves the references of the file at `path`, whose positions and receivers are not read.
    #[must_use]
    pub fn resolve(&self, path: &str, outline: &Arc<Outline>, references: &[Reference]) -> Resolution {
        self.lookups.borrow_mut().clear();
        self.modules.borrow_mut().clear();
        self.includes.borrow_mut().clear();
        path.clone_into(&mut self.path.borrow_mut());
        let file = Rc::new(File::new(path, Arc::clone(outline)));
        self.files.borrow_mut().insert(path.to_owned(), Some(file.clone()));
        let mut edges = Vec::new();
        let mut left = MIN_FILE_FUEL.saturating_add(index_of(references.len()).saturating_mul(FUEL));
        for (index, reference) in references.iter().enumerate() {
            let fuel = left.min(MAX_FUEL);
            self.fuel.set(fuel);
            self.edges_of(&file, index_of(index), reference, &mut edges);
            left -= fuel - self.fuel.get();
        }
        let lookups = self.lookups.borrow().iter().copied().collect();
        Resolution { edges, lookups }
    }

    fn edges_of(&self, file: &Rc<File>, index: u32, reference: &Reference, edges: &mut Vec<Edge>) {
        self.active.borrow_mut().clear();
        self.depth.set(0);
        let mut denoted = self.denote(file, reference.enclosing, &reference.target);
        // A call of a module is one of the function that `module.exports` or `export =` makes of it.
        if let Denoted::Module(module) = &denoted
            && reference.kind == ReferenceKind::Call
            && file.outline.language.is_ecmascript()
        {
            denoted = match self.module_member(module, "default") {
                Denoted::Unknown => Denoted::External,
                exported => exported,
            };
        }
        // A macro is visible behind its definition in all modules of the crate, unless an import gives its name.
        if matches!(denoted, Denoted::External)
            && reference.kind == ReferenceKind::Call
            && file.outline.language == Language::Rust
            && let Expression::Name(name) = &reference.target
            && file.outline.imports.iter().all(|import| import.local != *name)
        {
            denoted = self.rust_macro(file, name);
        }
        let (found, tier) = match denoted {
            Denoted::Unknown => self.candidates(file, reference),
            other => {
                let found = self.symbols_of(&other, reference);
                self.overloads(found, &other, reference)
            }
        };
        let relation = relation_of(reference);
        let first = edges.len();
        for symbol in found.into_iter().take(if tier == Tier::Name { MAX_CANDIDATES } else { MAX_EDGES }) {
            let own =
                symbol.file.path.as_ref() == file.path.as_ref() && Some(symbol.index) == reference.enclosing;
            // A recursive call is an edge; a name in the definition's own head is not.
            if own && relation != Relation::Calls {
                continue;
            }
            edges.push(Edge {
                reference: index,
                path: symbol.file.path.to_string(),
                symbol: symbol.get().qualified_name.clone(),
                relation,
                tier,
            });
        }
        edges[first..].sort();
    }

    /// Takes a step; `false` if none is left for the reference.
    pub(super) fn step(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    /// The symbols that a name denotes. One that denotes a value of the project or something outside has none.
    fn symbols_of(&self, denoted: &Denoted, reference: &Reference) -> Vec<SymbolRef> {
        let mut found = Vec::new();
        collect(denoted, &mut found);
        found.iter().for_each(|symbol| self.touch_symbol(&symbol.file, symbol.index));
        if reference.kind == ReferenceKind::Import {
            return found;
        }
        // `mod a;` and what is in it have one name.
        if found.len() > 1 {
            found.retain(|symbol| symbol.get().kind != SymbolKind::Module);
        }
        found
    }
}

fn index_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

pub(super) fn collect(denoted: &Denoted, found: &mut Vec<SymbolRef>) {
    match denoted {
        Denoted::Symbol(symbol, _) if found.len() < MAX_SYMBOLS && !found.contains(symbol) => {
            found.push(symbol.clone());
        }
        Denoted::Either(several) => several.iter().for_each(|one| collect(one, found)),
        _ => {}
    }
}

fn relation_of(reference: &Reference) -> Relation {
    match reference.kind {
        ReferenceKind::Call => Relation::Calls,
        ReferenceKind::Import => Relation::Imports,
        ReferenceKind::Extends => Relation::Extends,
        ReferenceKind::Implements => Relation::Implements,
        ReferenceKind::Type | ReferenceKind::Use => Relation::References,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Project, extract};

    /// The steps that are left after the last reference of a file.
    fn left_after(path: &str, text: &str) -> u32 {
        let facts = extract(path, text.as_bytes());
        let project = Project::new();
        let resolver = Resolver::new(&project);
        let _edges = resolver.resolve(path, &Arc::new(facts.outline), &facts.references);
        resolver.fuel.get()
    }

    #[test]
    fn the_references_of_a_file_share_a_limited_number_of_steps() {
        assert_eq!(left_after("a.py", &"a = b\nb = a\na.c()\n".repeat(2000)), 0);
        assert!(left_after("mod.rs", include_str!("mod.rs")) > MAX_FUEL - 200);
    }
}
