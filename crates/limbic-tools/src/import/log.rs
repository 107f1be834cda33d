//! The audit log entry of an import.

use limbic_core::{
    Result, Transaction,
    store::{
        logs::audit::{self, Actor},
        origins::Origin,
    },
};

use super::report::Report;
use crate::context::Context;

/// The audit log entry of one import: its first transaction creates it, each further one updates it. An interrupted
/// import leaves an entry, too.
pub struct Log {
    format: &'static str,
    path: String,
    session_id: String,
    origin: Option<Origin>,
    seq: Option<i64>,
}

impl Log {
    /// Creates the entry of a new import.
    pub fn new(context: &Context<'_>, format: &'static str, path: &str) -> Self {
        let session_id = context.memory.session().id().to_owned();
        Self { format, path: path.to_owned(), session_id, origin: context.import.clone(), seq: None }
    }

    /// Makes the import the origin of the graph's records that a transaction stores.
    pub fn sign(&self, tx: &Transaction<'_>) {
        tx.set_origin(self.origin.clone());
    }

    /// Writes the result so far.
    pub fn note(&mut self, tx: &Transaction<'_>, report: &Report) -> Result<()> {
        let reason = format!("{}, of the format {}, from {}", counts(report), self.format, self.path);
        let actor =
            Actor { session_id: &self.session_id, origin: self.origin.as_ref(), reason: Some(&reason) };
        self.seq = Some(audit::record_import(tx, self.seq, actor)?);
        Ok(())
    }
}

/// Describes what was imported.
pub fn counts(report: &Report) -> String {
    let kinds = [
        (report.entities, "entities"),
        (report.observations, "observations"),
        (report.relations, "relations"),
        (report.reflections, "reflections"),
        (report.memories, "memories"),
        (report.domains, "domains"),
        (report.links, "links"),
        (report.skipped, "skipped"),
    ];
    let counted: Vec<String> = kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{kind}: {count}"))
        .collect();
    if counted.is_empty() { "nothing".to_owned() } else { counted.join(", ") }
}
