//! Lines, stored in batches.

use limbic_core::{Error, Result, Transaction};

use super::{
    lines::{Line, Lines},
    log::{Log, counts},
    report::{Report, interrupted},
};
use crate::{context::Context, source::Source};

/// Maximum number of lines of a batch.
const MAX_LINES: usize = 2000;

/// Maximum size of a batch, in bytes.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// The processing of lines.
pub trait Work {
    /// Number of passes over the file.
    fn readings(&self) -> u64;

    /// Starts the next pass.
    fn read_again(&mut self) {}

    /// Stores a line.
    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()>;

    /// Ends a batch.
    fn complete(&mut self, tx: &Transaction<'_>) -> Result<()>;

    /// Returns the result so far.
    fn report(&self) -> &Report;

    /// Returns the final result.
    fn into_report(self: Box<Self>) -> Report;
}

/// An import of lines, in steps.
pub struct Batches {
    path: String,
    size_bytes: u64,
    work: Box<dyn Work>,
    lines: Lines,
    /// Number of passes completed.
    done: u64,
    log: Log,
    /// Describes what the stored batches contain.
    stored: Option<String>,
}

impl Batches {
    /// Starts at the beginning. `path` is for messages.
    pub fn new(
        context: &Context<'_>,
        source: &dyn Source,
        (format, path): (&'static str, &str),
        work: Box<dyn Work>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            size_bytes: source.size(),
            work,
            lines: Lines::new(path),
            done: 0,
            log: Log::new(context, format, path),
            stored: None,
        }
    }

    /// Stores the next batches, each in its own transaction, until they add up to a full one: a file shorter than a
    /// batch takes one step. Returns whether there is more.
    ///
    /// # Errors
    /// Errors of reading and storing; previous batches remain stored, and the error says so.
    pub fn step(&mut self, context: &mut Context<'_>, source: &mut dyn Source) -> Result<bool> {
        let mut taken = Taken::default();
        while !taken.is_part() {
            let before = self.progress();
            let part = context.memory.write(|tx| {
                self.log.sign(tx);
                let part = part(tx, &mut self.lines, source, self.work.as_mut())?;
                self.log.note(tx, self.work.report())?;
                Ok(part)
            });
            let part = part.map_err(|cause| self.interrupted(Some(cause)))?;
            self.stored = Some(counts(self.work.report()));
            taken.add(&part);
            if part.is_last && !self.read_again() {
                (context.progress)(self.total(), self.total());
                return Ok(false);
            }
            if self.progress() > before {
                (context.progress)(self.progress(), self.total());
            }
        }
        Ok(true)
    }

    /// Dry run: stores everything and rolls back. Returns the result.
    ///
    /// # Errors
    /// As [`Batches::step`]; nothing is stored.
    pub fn dry_run(&mut self, context: &mut Context<'_>, source: &mut dyn Source) -> Result<()> {
        let progress = &mut *context.progress;
        context.memory.dry_run(|tx| {
            loop {
                let part = part(tx, &mut self.lines, source, self.work.as_mut())?;
                if part.is_last && !self.read_again() {
                    return Ok(());
                }
                progress(self.progress(), self.total());
            }
        })?;
        progress(self.total(), self.total());
        Ok(())
    }

    /// Returns the error for an import that ended early: by a failure, or by cancellation if there is no `cause`.
    pub fn interrupted(&self, cause: Option<Error>) -> Error {
        interrupted(cause, self.stored.as_ref())
    }

    /// Returns the result.
    pub fn into_report(self) -> Report {
        self.work.into_report()
    }

    /// Starts the next pass. Returns whether there is one.
    fn read_again(&mut self) -> bool {
        self.done += 1;
        if self.done == self.work.readings() {
            return false;
        }
        self.lines = Lines::new(&self.path);
        self.work.read_again();
        true
    }

    fn progress(&self) -> u64 {
        self.done * self.size_bytes + self.lines.position()
    }

    fn total(&self) -> u64 {
        self.work.readings() * self.size_bytes
    }
}

/// How much of a file a batch has consumed.
#[derive(Default)]
struct Taken {
    lines: usize,
    bytes: u64,
    /// Whether the end of the file was reached.
    is_last: bool,
}

impl Taken {
    fn is_part(&self) -> bool {
        self.lines >= MAX_LINES || self.bytes >= MAX_BYTES
    }

    fn add(&mut self, part: &Self) {
        self.lines += part.lines;
        self.bytes += part.bytes;
    }
}

fn part(
    tx: &Transaction<'_>,
    lines: &mut Lines,
    source: &mut dyn Source,
    work: &mut dyn Work,
) -> Result<Taken> {
    let start = lines.position();
    let mut taken = Taken::default();
    while !taken.is_part() {
        let Some(line) = lines.next(source)? else {
            taken.is_last = true;
            break;
        };
        work.line(tx, &line)?;
        taken.lines += 1;
        taken.bytes = lines.position() - start;
    }
    work.complete(tx)?;
    Ok(taken)
}
