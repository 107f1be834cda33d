//! Source code as facts, and facts as relations.
//!
//! [`extract`] reads one file: bytes in, [`FileFacts`] out. [`resolve`] determines which symbols the references of a
//! file mean; it sees other files through a [`ProjectView`]. Facts depend on one file alone, so only edges have to be
//! derived again when another file changes: [`changed_keys`] and [`Resolution::lookups`] determine for which files.
//!
//! The crate uses no files, SQL or clock. Without the feature `parser` it has no C code: then
//! [`extract`] is missing. [`IgnoreRules`], of the feature `ignore-rules`, determines which files a project excludes.

mod facts;
mod expression;
mod language;
#[cfg(feature = "parser")]
mod extract;
#[cfg(feature = "ignore-rules")]
mod ignore_rules;
mod resolve;

/// The longest ignore file whose rules count, in bytes.
pub const MAX_IGNORE_BYTES: usize = 256_000;

pub use expression::{Expression, TypeName};
#[cfg(feature = "parser")]
pub use extract::{MAX_FILE_BYTES, extract};
pub use facts::{
    Chunk, ChunkType, FACTS_VERSION, FileFacts, Implementation, Import, Manifest, Outline, Parameters,
    Reference, ReferenceKind, SHAPE_VERSION, SkipReason, Symbol, SymbolKind, TypeParameter, Variable,
    are_comparable,
};
#[cfg(feature = "ignore-rules")]
pub use ignore_rules::IgnoreRules;
pub use language::Language;
pub use resolve::{Edge, Project, ProjectView, Relation, Resolution, Resolver, Tier, changed_keys, resolve};
