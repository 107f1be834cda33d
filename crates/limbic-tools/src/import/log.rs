//! The line of an import in the audit log.

use limbic_core::{
    Result, Transaction,
    store::logs::audit::{self, Actor},
};

use super::Report;
use crate::context::Context;

/// What is written about one import: its first transaction makes the line, each further one brings it up to date. So
/// an import that is interrupted leaves a line, too.
pub struct Log {
    format: &'static str,
    path: String,
    session_id: String,
    seq: Option<i64>,
}

impl Log {
    /// For an import that begins.
    pub fn new(context: &Context<'_>, format: &'static str, path: &str) -> Self {
        let session_id = context.memory.session().id().to_owned();
        Self { format, path: path.to_owned(), session_id, seq: None }
    }

    /// Says what was done so far.
    ///
    /// # Errors
    /// Those of the database.
    pub fn note(&mut self, tx: &Transaction<'_>, report: &Report) -> Result<()> {
        let reason = format!("{}, of the format {}, from {}", counts(report), self.format, self.path);
        let actor = Actor { session_id: &self.session_id, reason: Some(&reason) };
        self.seq = Some(audit::record_import(tx, self.seq, actor)?);
        Ok(())
    }
}

/// What came in, in words.
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
