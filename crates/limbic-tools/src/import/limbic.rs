//! A Limbic export: one record a line (see [`crate::records`]).

use limbic_core::{Result, Unit, store::exchange::Merger};

use super::{
    Report,
    batches::{self, Way, Work},
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
    let way = Way { before: 0, total: source.size() };
    let mut lines = Lines::new(source, path);
    let mut work = Records { merger: context.merger(), report: Report::default(), has_end: false };
    if dry_run {
        let progress = &mut *context.progress;
        context.memory.rehearse(|unit| batches::rehearse(unit, progress, &mut lines, way, &mut work))?;
    } else {
        let mut log = Log::new(context, "limbic", path);
        batches::store(context, &mut lines, way, &mut work, &mut log)?;
    }
    if !work.has_end {
        work.report
            .skip(|| "The last line is missing: the export was cut off, and what followed is lost".into());
    }
    (context.progress)(way.total, way.total);
    Ok(work.report)
}

struct Records {
    merger: Merger,
    report: Report,
    has_end: bool,
}

impl Work for Records {
    fn line(&mut self, unit: &Unit<'_>, line: &Line<'_>) -> Result<()> {
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
                let outcome = records::merge(kind, bytes, unit, &mut self.merger)?;
                self.report.count(kind, outcome, place);
            }
        }
        Ok(())
    }

    fn settle(&mut self, unit: &Unit<'_>) -> Result<()> {
        self.merger.settle(unit)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}
