//! Lines, stored part by part.

use limbic_core::{Result, Unit};

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
    fn line(&mut self, unit: &Unit<'_>, line: &Line<'_>) -> Result<()>;

    /// Ends a part.
    fn settle(&mut self, unit: &Unit<'_>) -> Result<()>;

    /// What was done so far.
    fn report(&self) -> &Report;
}

/// What progress is told of: so many bytes were done before this reading, so many are to be done in all.
#[derive(Clone, Copy)]
pub struct Way {
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
    way: Way,
    work: &mut dyn Work,
    log: &mut Log,
) -> Result<()> {
    let mut store = |unit: &Unit<'_>| {
        let has_more = part(unit, lines, work)?;
        log.note(unit, work.report())?;
        Ok((has_more, lines.position()))
    };
    loop {
        let (has_more, position) = context.memory.write(&mut store)?;
        if !has_more {
            return Ok(());
        }
        (context.progress)(way.before + position, way.total);
    }
}

/// The same within a unit of work that is taken back later.
///
/// # Errors
/// As [`store`].
pub fn rehearse(
    unit: &Unit<'_>,
    progress: &mut dyn FnMut(u64, u64),
    lines: &mut Lines<'_>,
    way: Way,
    work: &mut dyn Work,
) -> Result<()> {
    while part(unit, lines, work)? {
        progress(way.before + lines.position(), way.total);
    }
    Ok(())
}

/// Answers whether there may be more.
fn part(unit: &Unit<'_>, lines: &mut Lines<'_>, work: &mut dyn Work) -> Result<bool> {
    let start = lines.position();
    let mut has_more = true;
    for _ in 0..LINES {
        let Some(line) = lines.next()? else {
            has_more = false;
            break;
        };
        work.line(unit, &line)?;
        if lines.position() - start >= BYTES {
            break;
        }
    }
    work.settle(unit)?;
    Ok(has_more)
}
