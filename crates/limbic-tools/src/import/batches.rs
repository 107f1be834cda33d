//! Lines, stored part by part.

use limbic_core::{Result, Transaction};

use super::{
    Report,
    lines::{Line, Lines},
    log::Log,
};
use crate::context::Context;

/// A part ends after so many lines,
const LINES: usize = 2000;

/// or after so many bytes.
const BYTES: u64 = 2 * 1024 * 1024;

/// What is done with lines.
pub trait Work {
    /// Stores a line.
    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()>;

    /// Ends a part.
    fn settle(&mut self, tx: &Transaction<'_>) -> Result<()>;

    /// What was done so far.
    fn report(&self) -> &Report;
}

/// What progress is told of: so many bytes were done before this reading, so many are to be done in all.
#[derive(Clone, Copy)]
pub struct ProgressRange {
    pub before: u64,
    pub total: u64,
}

/// Works all lines off.
///
/// # Errors
/// Those of reading and storing; the parts before are stored then.
pub fn store(
    context: &mut Context<'_>,
    lines: &mut Lines<'_>,
    range: ProgressRange,
    work: &mut dyn Work,
    log: &mut Log,
) -> Result<()> {
    let mut store = |tx: &Transaction<'_>| {
        let has_more = part(tx, lines, work)?;
        log.note(tx, work.report())?;
        Ok((has_more, lines.position()))
    };
    loop {
        let (has_more, position) = context.memory.write(&mut store)?;
        if !has_more {
            return Ok(());
        }
        (context.progress)(range.before + position, range.total);
    }
}

/// The same within a unit of work that is taken back later.
///
/// # Errors
/// As [`store`].
pub fn dry_run(
    tx: &Transaction<'_>,
    progress: &mut dyn FnMut(u64, u64),
    lines: &mut Lines<'_>,
    range: ProgressRange,
    work: &mut dyn Work,
) -> Result<()> {
    while part(tx, lines, work)? {
        progress(range.before + lines.position(), range.total);
    }
    Ok(())
}

/// Answers whether there may be more.
fn part(tx: &Transaction<'_>, lines: &mut Lines<'_>, work: &mut dyn Work) -> Result<bool> {
    let start = lines.position();
    let mut has_more = true;
    for _ in 0..LINES {
        let Some(line) = lines.next()? else {
            has_more = false;
            break;
        };
        work.line(tx, &line)?;
        if lines.position() - start >= BYTES {
            break;
        }
    }
    work.settle(tx)?;
    Ok(has_more)
}
