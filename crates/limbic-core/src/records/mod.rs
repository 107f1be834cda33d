//! Export and import: every kind of record that cannot be computed again.
//!
//! A record names what it belongs to, so that it fits into any database. Reading takes a database of this schema, of
//! any age of MCP Memory v2, or of Memory Graph, which lack columns and tables. Merging is idempotent: existing records
//! are recognised; of two counts the higher one is kept, of two states the later one. Embeddings, full-text tables and
//! flags are not records; they are computed again.
//!
//! A further kind of record is a file here, and a line in `limbic-tools/src/records.rs`.

mod entity;
mod hostile;
mod observation;
mod relation;
mod reflection;
mod access;
mod access_days;
mod co_occurrences;
mod searches;
mod setting;
mod domain;
mod memory;
mod memory_edges;
mod memory_references;
mod memory_mentions;
mod memory_history;
mod memory_sessions;
mod audit_lines;
mod current_domain;
pub mod persistent;
mod merger;
mod tables;
mod record_times;
mod weight;
pub mod import_database;
pub mod export_database;

pub use access::Access;
pub use access_days::AccessDay;
pub use audit_lines::AuditLine;
pub use co_occurrences::CoOccurrence;
pub use current_domain::CurrentDomain;
pub use domain::Domain;
pub use entity::Entity;
pub use memory::{Memory, WrittenBy};
pub use memory_edges::MemoryEdge;
pub use memory_history::MemoryHistory;
pub use memory_mentions::MemoryMention;
pub use memory_references::MemoryReference;
pub use memory_sessions::MemorySession;
pub use merger::{Merger, RedactJson};
pub use observation::Observation;
pub use record_times::memory_sql as moment_sql;
pub use reflection::Reflection;
pub use relation::Relation;
pub use searches::Search;
pub use setting::Setting;
pub use tables::Tables;

use crate::{Result, Transaction};

/// The longest name, in characters.
pub(crate) const MAX_NAME: usize = 500;

/// The longest observation and the longest reflection, in characters.
pub(crate) const MAX_TEXT: usize = 10_000;

/// What became of a record that was merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was not there.
    Added,
    /// What was there has changed.
    Changed,
    /// All of it was there.
    Known,
    /// It cannot be stored, for this reason.
    Refused(String),
}

/// Who takes the records of a kind, one after the other.
pub type Take<'a, R> = &'a mut dyn FnMut(R) -> Result<()>;

/// A kind of record.
pub trait Record: Sized {
    /// What the kind is called, in files too.
    const KIND: &'static str;

    /// Whether [`Record::each`] can tell whose they are; an export for one user leaves other kinds out.
    const HAS_USERS: bool = false;

    /// Reads all of them in a stable order, one after the other; none where the tables are missing.
    ///
    /// # Errors
    /// Those of `take`.
    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()>;

    /// Stores it unless it is there. [`Merger::flush`] must follow in the same unit of work.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome>;
}

/// Why a name or a word that qualifies something cannot be stored, if it cannot: a sentence for people.
#[must_use]
pub fn check_name(what: &str, name: &str) -> Option<String> {
    check(what, name, MAX_NAME)
}

/// Why a text cannot be stored, if it cannot: a sentence for people.
#[must_use]
pub fn check_text(what: &str, text: &str) -> Option<String> {
    check(what, text, MAX_TEXT)
}

/// Empty is allowed: a memory that the reference server's tools have written may hold empty names and texts.
fn check(what: &str, text: &str, most: usize) -> Option<String> {
    let length = text.chars().count();
    if length > most {
        return Some(format!("{what} has at most {most} characters, this one {length}"));
    }
    text.contains('\0').then(|| format!("{what} contains a NUL character"))
}

/// Why a record names something that is not there.
fn missing(name: &str) -> Outcome {
    Outcome::Refused(crate::Error::EntityNotFound(name.to_owned()).to_string())
}
