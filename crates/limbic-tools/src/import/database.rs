//! A database of another program, or a Limbic database: merged in one transaction. Embeddings are computed again.

use limbic_core::{Error, Result, db::wal::Beside, records::import_database::Foreign};

use super::{Report, log::Log};
use crate::{
    context::Context,
    source::{Neighbour, Sequence, Source},
};

/// Maximum size of a database, which is held in memory.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The part of a database that shows whether its content has changed: the header, with its change counter.
const HEADER_BYTES: usize = 100;

/// Imports a database. Returns the name of its format, and the result.
pub fn import(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<(&'static str, Report)> {
    let total = source.size();
    let foreign = open(source, path)?;
    let format = foreign.format()?;
    let mut report = Report::default();
    let mut numbers = std::collections::BTreeMap::new();
    let mut merger = context.merger();
    let mut log = Log::new(context, format, path);
    let work = |tx: &limbic_core::Transaction<'_>| {
        foreign.merge(tx, &mut merger, &mut |kind, outcome| {
            let number = numbers.entry(kind).or_insert(0_u64);
            *number += 1;
            report.count(kind, outcome, || format!("{kind} {number}"));
        })?;
        log.note(tx, &report)
    };
    if dry_run {
        context.memory.dry_run(work)?
    } else {
        context.memory.write(work)?
    }
    (context.progress)(total, total);
    Ok((format, report))
}

/// Copies a consistent state of the database: everything committed, in the main file or its WAL.
fn open(source: &mut dyn Source, path: &str) -> Result<Foreign> {
    let unreadable = |reason: String| Error::UnreadableSource { path: path.to_owned(), reason };
    let before = Moment::of(source).map_err(unreadable)?;
    let total = source.size();
    let fits = |bytes: u64| usize::try_from(bytes).ok().filter(|_| bytes <= BYTES_MAX);
    let size = fits(total).ok_or_else(|| {
        unreadable(format!("a database may have at most {BYTES_MAX} bytes; this one has {total}"))
    })?;
    let wal = match &before.wal {
        None => Beside::Unknown,
        Some(bytes) => Beside::from(bytes.clone()),
    };
    let mut bytes = Sequence::new(source);
    let opened = Foreign::open(&mut bytes, size, wal);
    if let Some(reason) = bytes.failure().filter(|_| !matches!(opened, Err(Error::WalMissing))) {
        return Err(unreadable(reason));
    }
    if Moment::of(source).map_err(unreadable)? != before {
        return Err(unreadable("it changed while it was read: try again".into()));
    }
    opened
}

/// A fingerprint of the database, which differs after a program has changed it.
#[derive(PartialEq, Eq)]
struct Moment {
    header: Vec<u8>,
    /// The content of its WAL; `None` if it is unknown whether there is one.
    wal: Option<Vec<u8>>,
}

impl Moment {
    fn of(source: &mut dyn Source) -> std::result::Result<Self, String> {
        if let Neighbour::File(mut journal) = source.beside("-journal")?
            && read(journal.as_mut(), 1)?.iter().any(|first| *first != 0)
        {
            return Err(
                "its -journal file shows a transaction in progress or interrupted: wait until its program is done, \
                 or open it once with that program, then try again"
                    .into(),
            );
        }
        let wal = match source.beside("-wal")? {
            Neighbour::Unknown => None,
            Neighbour::Nothing => Some(Vec::new()),
            Neighbour::File(wal) if wal.size() > BYTES_MAX => {
                return Err(format!(
                    "its -wal file has over {BYTES_MAX} bytes: run PRAGMA \
                     wal_checkpoint(TRUNCATE) in its program, then try again"
                ));
            }
            Neighbour::File(mut wal) => {
                let size = usize::try_from(wal.size()).map_err(|error| error.to_string())?;
                Some(read(wal.as_mut(), size)?)
            }
        };
        Ok(Self { header: read(source, HEADER_BYTES)?, wal })
    }
}

/// Reads the first bytes of a file.
fn read(source: &mut dyn Source, most: usize) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = vec![0; most];
    let count = source.read_at(&mut bytes, 0)?;
    bytes.truncate(count);
    Ok(bytes)
}
