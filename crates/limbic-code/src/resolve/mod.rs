//! From references to symbols.
//!
//! An edge is derived from the facts of its file and, by name, from those of other files. [`Resolution::lookups`] holds
//! the keys of everything that was looked up; [`changed_keys`] gives the keys that a change of a file touches. The
//! edges of a file have to be derived again exactly when it changed itself or the two have a key in common: that makes
//! an incremental update equal to a full one.

mod denotation;
mod evaluate;
mod external;
mod file;
mod keys;
mod library;
mod library_calls;
mod likely;
mod members;
mod modules;
mod names;
mod overloads;
mod project;
mod resolver;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::facts::Outline;
pub use keys::changed_keys;
pub use project::Project;
pub use resolver::{Resolver, resolve};

/// The view of a project that resolution reads. Paths are relative to its root, with `/` between their parts.
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
    /// Index into [`crate::FileFacts::references`] of the file that was resolved.
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
