//! Records that are held in memory, stored in parts.

use limbic_core::{Error, Result, Transaction};

use super::{
    log::{Log, counts},
    report::{Report, interrupted},
};
use crate::context::Context;

/// The source of the records.
pub trait Parts {
    /// Stores the next part of the records. Returns whether there are more.
    fn store(&mut self, tx: &Transaction<'_>, report: &mut Report) -> Result<bool>;

    /// Returns how much is stored of how much.
    fn progress(&self) -> (usize, usize);
}

/// An import of records in memory, in steps.
pub struct InParts {
    parts: Box<dyn Parts>,
    size_bytes: u64,
    report: Report,
    log: Log,
    /// Describes what is stored.
    stored: Option<String>,
    /// The progress that was reported last, in bytes.
    reported: u64,
}

impl InParts {
    /// Stores nothing yet. `size_bytes` is the size of the source; `report` says what was skipped when it was read.
    pub fn new(
        context: &Context<'_>,
        (format, path): (&'static str, &str),
        size_bytes: u64,
        parts: Box<dyn Parts>,
        report: Report,
    ) -> Self {
        Self { parts, size_bytes, report, log: Log::new(context, format, path), stored: None, reported: 0 }
    }

    /// Stores the next part in a transaction of its own. Returns whether there is more.
    ///
    /// # Errors
    /// Errors of the records and of storing; previous parts remain stored, and the error says so.
    pub fn step(&mut self, context: &mut Context<'_>) -> Result<bool> {
        let is_more = context.memory.write(|tx| {
            self.log.sign(tx);
            let is_more = self.parts.store(tx, &mut self.report)?;
            self.log.note(tx, &self.report)?;
            Ok(is_more)
        });
        let is_more = is_more.map_err(|cause| self.interrupted(Some(cause)))?;
        self.stored = Some(counts(&self.report));
        let progress = if is_more { self.progress() } else { self.size_bytes };
        if progress > self.reported {
            self.reported = progress;
            (context.progress)(progress, self.size_bytes);
        }
        Ok(is_more)
    }

    /// Dry run: stores everything and rolls back.
    ///
    /// # Errors
    /// As [`InParts::step`]; nothing is stored.
    pub fn dry_run(&mut self, context: &mut Context<'_>) -> Result<()> {
        context.memory.dry_run(|tx| {
            while self.parts.store(tx, &mut self.report)? {}
            Ok(())
        })?;
        (context.progress)(self.size_bytes, self.size_bytes);
        Ok(())
    }

    /// Returns the error for an import that ended early: by a failure, or by cancellation if there is no `cause`.
    pub fn interrupted(&self, cause: Option<Error>) -> Error {
        interrupted(cause, self.stored.as_ref())
    }

    /// Returns the result.
    pub fn into_report(self) -> Report {
        self.report
    }

    fn progress(&self) -> u64 {
        let (done, all) = self.parts.progress();
        let [done, all] = [done, all].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
        (self.size_bytes / all.max(1)).saturating_mul(done)
    }
}
