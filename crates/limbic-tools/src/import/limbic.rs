//! A Limbic export: one record a line (see [`crate::records`]).

use limbic_core::{Result, Transaction, records::Merger};

use super::{
    Report,
    batches::{self, ProgressRange, Work},
    lines::{Line, Lines},
    log::Log,
};
use crate::{
    context::Context,
    records::{self, END, HEADER},
    source::Source,
};

/// Imports the records; one that cannot be read is passed over, with its line.
pub fn import(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<Report> {
    let range = ProgressRange { before: 0, total: source.size() };
    let mut lines = Lines::new(source, path);
    let mut work = Records { merger: context.merger(), report: Report::default(), has_end: false };
    if dry_run {
        let progress = &mut *context.progress;
        context.memory.dry_run(|tx| batches::dry_run(tx, progress, &mut lines, range, &mut work))?;
    } else {
        let mut log = Log::new(context, "limbic", path);
        batches::store(context, &mut lines, range, &mut work, &mut log)?;
    }
    if !work.has_end {
        work.report
            .skip(|| "The last line is missing: the export was cut off, and what followed is lost".into());
    }
    (context.progress)(range.total, range.total);
    Ok(work.report)
}

struct Records {
    merger: Merger,
    report: Report,
    has_end: bool,
}

impl Work for Records {
    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        let place = || format!("line {}", line.number);
        let bytes = match &line.bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.report.skip(|| format!("{}: {reason}", place()));
                return Ok(());
            }
        };
        let kind = match records::kind(bytes) {
            Ok(kind) => kind,
            Err(reason) => {
                self.report.skip(|| format!("{}: {reason}", place()));
                return Ok(());
            }
        };
        match kind.as_ref() {
            HEADER => {}
            END => self.has_end = true,
            kind => {
                let outcome = records::merge(kind, bytes, tx, &mut self.merger)?;
                self.report.count(kind, outcome, place);
            }
        }
        Ok(())
    }

    fn settle(&mut self, tx: &Transaction<'_>) -> Result<()> {
        self.merger.settle(tx)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}
