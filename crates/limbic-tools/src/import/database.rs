//! A database of another program, or a Limbic database: merged in one transaction; its embeddings are made anew.

use limbic_core::{Error, Result, store::foreign::Foreign};

use super::Report;
use crate::{
    context::Context,
    source::{Sequence, Source},
};

/// The largest database: it is held in memory.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Imports a database. Answers which program's it is, and what was done.
pub fn import(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<(&'static str, Report)> {
    let total = source.size();
    let size = usize::try_from(total).ok().filter(|_| total <= BYTES_MAX).ok_or_else(|| {
        let reason = format!("a database may have {BYTES_MAX} bytes, this one has {total}");
        Error::UnreadableSource { path: path.to_owned(), reason }
    })?;
    let mut bytes = Sequence::new(source);
    let opened = Foreign::open(&mut bytes, size);
    let foreign = match opened {
        Ok(foreign) => foreign,
        Err(error) => {
            let unreadable = |reason| Error::UnreadableSource { path: path.to_owned(), reason };
            return Err(bytes.failure().map_or(error, unreadable));
        }
    };
    let format = foreign.format()?;
    let mut report = Report::default();
    let mut numbers = std::collections::BTreeMap::new();
    let mut merger = context.merger();
    let work = |unit: &limbic_core::Unit<'_>| {
        foreign.merge(unit, &mut merger, &mut |kind, outcome| {
            let number = numbers.entry(kind).or_insert(0_u64);
            *number += 1;
            report.count(kind, outcome, || format!("{kind} {number}"));
        })
    };
    if dry_run {
        context.memory.rehearse(work)?
    } else {
        context.memory.write(work)?
    }
    (context.progress)(total, total);
    Ok((format, report))
}
