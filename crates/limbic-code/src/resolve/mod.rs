//! From references to symbols.
//!
//! An edge is derived from the facts of its file and, by name, from those of other files. [`Resolution::lookups`] holds
//! the keys of everything that was looked up; [`changed_keys`] gives the keys that a change of a file touches. The edges
//! of a file have to be derived again exactly when it changed itself or the two have a key in common: that makes an
//! incremental update equal to a full one.

mod denotation;
mod evaluate;
mod external;
mod file;
mod keys;
mod likely;
mod members;
mod modules;
mod names;
mod project;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::facts::{FileFacts, Outline, Reference, ReferenceKind, SymbolKind};
use evaluate::Denoted;
use file::{File, SymbolRef};
pub use keys::changed_keys;
pub use project::Project;

/// Most edges of one reference.
const MAX_EDGES: usize = 8;
/// Maximum number of candidates of a reference that is resolved by name alone.
const MAX_CANDIDATES: usize = 20;

/// What resolution sees of a project. Paths are relative to its root, with `/` between their parts.
///
/// All lists are sorted and without duplicates.
pub trait ProjectView {
    /// The outline of a file; `None` if the project has no such file.
    fn outline(&self, path: &str) -> Option<Arc<Outline>>;
    /// Files with a symbol of this name (`symbols[].name`), or with an implementation for a type of this name (last
    /// name of `implementations[].of`).
    fn paths_defining(&self, name: &str) -> Vec<String>;
    /// Files directly in a folder; the root is the empty text.
    fn paths_in(&self, folder: &str) -> Vec<String>;
    /// Files whose last path part is `file_name`.
    fn paths_named(&self, file_name: &str) -> Vec<String>;
}

/// How sure a relation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// By scopes, imports and types.
    Resolved,
    /// By a name that only one definition of the project has.
    Likely,
    /// One of several definitions of that name.
    Name,
}

impl Tier {
    /// The name in tables and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Likely => "likely",
            Self::Name => "name",
        }
    }
}

/// The relation of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Calls or constructs.
    Calls,
    /// Imports.
    Imports,
    /// Extends a class or trait.
    Extends,
    /// Implements an interface or trait.
    Implements,
    /// Names it in any other way: as a type or a value.
    References,
}

impl Relation {
    const ALL: [Self; 5] = [Self::Calls, Self::Imports, Self::Extends, Self::Implements, Self::References];

    /// Returns the relation with this name, if there is one.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == name)
    }

    /// The name in tables and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Imports => "imports",
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::References => "references",
        }
    }
}

/// A reference and a symbol that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    /// Index into [`FileFacts::references`] of the file that was resolved.
    pub reference: u32,
    /// File of the definition.
    pub path: String,
    /// [`crate::Symbol::qualified_name`] of the definition.
    pub symbol: String,
    /// Relation.
    pub relation: Relation,
    /// How certain the edge is.
    pub tier: Tier,
}

/// The edges of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// Edges, by reference; those of one reference by tier, path and symbol.
    pub edges: Vec<Edge>,
    /// Keys that were looked up outside the file, sorted and without duplicates; see [`changed_keys`].
    pub lookups: Vec<u64>,
}

/// Resolves the references of one file.
#[must_use]
pub fn resolve(view: &dyn ProjectView, path: &str, facts: &FileFacts) -> Resolution {
    Resolver::new(view).resolve(path, facts)
}

/// The first file of a package that has a variable of a name at its top.
type PackageVariables = HashMap<String, Rc<File>>;

/// Resolves files of a project that does not change meanwhile. Caches the outlines and lists that it has read.
pub struct Resolver<'v> {
    view: &'v dyn ProjectView,
    files: RefCell<HashMap<String, Option<Rc<File>>>>,
    defining: RefCell<HashMap<String, Rc<[String]>>>,
    in_folders: RefCell<HashMap<String, Rc<[String]>>>,
    file_names: RefCell<HashMap<String, Rc<[String]>>>,
    /// Files with each variable at the top of a package, by folder.
    package_variables: RefCell<HashMap<String, Rc<PackageVariables>>>,
    lookups: RefCell<BTreeSet<u64>>,
    /// Symbols and variables that are being evaluated, against circles.
    active: RefCell<Vec<(Rc<str>, u32, bool)>>,
    depth: Cell<u32>,
    /// Steps left for the current reference: bounds the work on hostile text.
    fuel: Cell<u32>,
}

impl<'v> Resolver<'v> {
    /// A resolver for the project.
    #[must_use]
    pub fn new(view: &'v dyn ProjectView) -> Self {
        Self {
            view,
            files: RefCell::default(),
            defining: RefCell::default(),
            in_folders: RefCell::default(),
            file_names: RefCell::default(),
            package_variables: RefCell::default(),
            lookups: RefCell::default(),
            active: RefCell::default(),
            depth: Cell::new(0),
            fuel: Cell::new(0),
        }
    }

    /// Resolves the references of the file at `path`, whose facts are `facts`.
    #[must_use]
    pub fn resolve(&self, path: &str, facts: &FileFacts) -> Resolution {
        self.lookups.borrow_mut().clear();
        let file = Rc::new(File::new(path, Arc::new(facts.outline.clone())));
        self.files.borrow_mut().insert(path.to_owned(), Some(file.clone()));
        let mut edges = Vec::new();
        for (index, reference) in facts.references.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            self.edges_of(&file, index, reference, &mut edges);
        }
        let lookups = self.lookups.borrow().iter().copied().collect();
        Resolution { edges, lookups }
    }

    fn edges_of(&self, file: &Rc<File>, index: u32, reference: &Reference, edges: &mut Vec<Edge>) {
        const FUEL: u32 = 4_000;
        self.fuel.set(FUEL);
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
        let (found, tier) = match denoted {
            Denoted::Unknown => self.candidates(file, reference),
            other => (self.symbols_of(&other, reference), Tier::Resolved),
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

    /// The symbols that a name denotes. One that denotes a value of the project or something outside has none.
    fn symbols_of(&self, denoted: &Denoted, reference: &Reference) -> Vec<SymbolRef> {
        let mut found = Vec::new();
        collect(denoted, &mut found);
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

fn collect(denoted: &Denoted, found: &mut Vec<SymbolRef>) {
    match denoted {
        Denoted::Symbol(symbol, _) if !found.contains(symbol) => found.push(symbol.clone()),
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

/// Whether a reference names its target behind a receiver.
fn has_receiver(reference: &Reference) -> bool {
    matches!(reference.target, Expression::Member(..))
}
