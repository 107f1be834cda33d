//! A Limbic export: one record a line (see [`crate::records`]).

use limbic_core::{Result, Transaction, records::Merger};

use super::{batches::Work, lines::Line, report::Report};
use crate::records::{self, END, HEADER};

/// The import of records; invalid ones are skipped and reported by line.
pub struct Records {
    merger: Merger,
    report: Report,
    has_end: bool,
}

impl Records {
    /// Stores nothing yet.
    pub fn new(merger: Merger) -> Self {
        Self { merger, report: Report::default(), has_end: false }
    }
}

impl Work for Records {
    fn readings(&self) -> u64 {
        1
    }

    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        let location = || format!("line {}", line.number);
        let bytes = match &line.bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.report.skip(|| format!("{}: {reason}", location()));
                return Ok(());
            }
        };
        let kind = match records::kind(bytes) {
            Ok(kind) => kind,
            Err(reason) => {
                self.report.skip(|| format!("{}: {reason}", location()));
                return Ok(());
            }
        };
        match kind.as_ref() {
            HEADER => {}
            END => self.has_end = true,
            kind => {
                let outcome = records::merge(kind, bytes, tx, &mut self.merger)?;
                self.report.count(kind, outcome, location);
            }
        }
        Ok(())
    }

    fn complete(&mut self, tx: &Transaction<'_>) -> Result<()> {
        self.merger.flush(tx)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn into_report(mut self: Box<Self>) -> Report {
        if !self.has_end {
            self.report.skip(|| {
                "The last line is missing: the export was cut off, and the records after it are lost".into()
            });
        }
        self.report
    }
}
