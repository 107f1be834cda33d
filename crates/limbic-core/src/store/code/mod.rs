//! The code index: projects, files, and their facts and edges.
//!
//! Facts belong to one file. Edges are derived from the facts of several files by name; `code_lookups` says which files
//! are to be resolved again when a name changes. See "Source code" in `crates/ARCHITECTURE.md`.

pub(crate) mod chunk_words;
pub mod chunks;
pub mod edges;
pub mod files;
pub mod projects;
pub(crate) mod references;
pub mod symbols;
pub mod symbol_names;
mod view;

#[cfg(test)]
mod lookup_tests;

pub(crate) use view::StoredProject;
