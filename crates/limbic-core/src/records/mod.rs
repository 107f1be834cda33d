//! Export and import: one module for each kind of record that cannot be computed.
//!
//! A record refers to others by name, so that it can be imported into any database. The reader accepts databases of
//! this schema, of any version of MCP Memory v2, and of Memory Graph, which lack columns and tables. Merging is
//! idempotent: existing records are matched; of two counts the higher one is kept, of two states the later one.
//! Embeddings, full-text tables and flags are not records; they are computed again.
//!
//! A new kind of record is a file here, and a line in `limbic-tools/src/records.rs`.

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
mod memory_symbols;
mod audit_lines;
mod current_domain;
mod memory_service;
pub(crate) mod persistent;
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
pub(crate) use memory::check_secret;
pub use memory::{Edits, Memory, WrittenBy};
pub use memory_edges::MemoryEdge;
pub use memory_history::MemoryHistory;
pub use memory_mentions::MemoryMention;
pub use memory_references::MemoryReference;
pub use memory_sessions::MemorySession;
pub use memory_symbols::MemorySymbol;
pub use merger::{Merger, RedactJson};
pub use observation::Observation;
pub(crate) use record_times::memory_sql as timestamp_sql;
pub use record_times::read_time;
pub use reflection::Reflection;
pub use relation::Relation;
pub use searches::Search;
pub use setting::Setting;
pub use tables::Tables;

use crate::{Result, Transaction};

/// Maximum length of a name, in characters.
pub(crate) const MAX_NAME: usize = 500;

/// Maximum length of an observation and of a reflection, in characters.
pub(crate) const MAX_TEXT: usize = 10_000;

/// The result of merging a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A row was inserted.
    Added,
    /// An existing row was changed.
    Changed,
    /// An equal row exists already.
    Known,
    /// An existing row was changed, but a part of the record is not stored, for this reason.
    ChangedExcept(String),
    /// The record was rejected, for this reason.
    Refused(String),
}

/// Callback for the records of a kind.
pub type Take<'a, R> = &'a mut dyn FnMut(R) -> Result<()>;

/// A kind of record.
pub trait Record: Sized {
    /// Name of the kind, also in files.
    const KIND: &'static str;

    /// Whether [`Record::each`] can determine owners; an export for one user omits other kinds.
    const HAS_USERS: bool = false;

    /// Reads all records in a stable order; none if the tables are missing.
    ///
    /// # Errors
    /// Errors of `take`.
    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()>;

    /// Stores the record unless it exists. [`Merger::flush`] must be called in the same transaction.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome>;
}

/// Returns the reason why a name or type cannot be stored, if there is one: a sentence for people.
#[must_use]
pub fn check_name(what: &str, name: &str) -> Option<String> {
    check(what, name, MAX_NAME)
}

/// Returns the reason why a text cannot be stored, if there is one: a sentence for people.
#[must_use]
pub fn check_text(what: &str, text: &str) -> Option<String> {
    check(what, text, MAX_TEXT)
}

/// Empty is allowed: the reference server's tools may have stored empty names and texts.
fn check(what: &str, text: &str, most: usize) -> Option<String> {
    let length = text.chars().count();
    if length > most {
        return Some(format!("{what} must have at most {most} characters, but got {length}"));
    }
    text.contains('\0').then(|| format!("{what} contains a NUL character"))
}

/// Returns the reason for rejecting a record that refers to a missing one.
fn missing(name: &str) -> Outcome {
    let of_secret = || check_secret(name).map(|reason| format!("its entity is missing: {reason}"));
    let reason = of_secret().unwrap_or_else(|| crate::Error::EntityNotFound(name.to_owned()).to_string());
    Outcome::Refused(reason)
}
