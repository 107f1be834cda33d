//! A database of another program, or a Limbic database: copied into memory, then merged in parts. Embeddings are
//! computed again.

use std::collections::BTreeMap;

use limbic_core::{
    Error, Result, Transaction,
    db::wal::WalFile,
    records::{Merger, import_database::SourceDatabase},
};

use super::{
    parts::{InParts, Parts},
    report::Report,
};
use crate::{
    context::Context,
    source::{Neighbour, Sequence, Source},
};

/// Maximum size of a database, which is held in memory.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// The part of a database that shows whether its content has changed: the header, with its change counter.
const HEADER_BYTES: usize = 100;

/// Reads a database. Returns the name of its format, and the import, which does not need the source any more.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`]; [`Error::WalMissing`].
pub fn begin(context: &Context<'_>, source: &mut dyn Source, path: &str) -> Result<(&'static str, InParts)> {
    let size_bytes = source.size();
    let database = open(source, path)?;
    let format = database.format()?;
    let records = Records { database, merger: context.merger(), numbers: BTreeMap::new() };
    Ok((format, InParts::new(context, (format, path), size_bytes, Box::new(records), Report::default())))
}

/// The records of a database.
struct Records {
    database: SourceDatabase,
    merger: Merger,
    /// Number of records by kind, which locates them in messages.
    numbers: BTreeMap<&'static str, u64>,
}

impl Parts for Records {
    fn store(&mut self, tx: &Transaction<'_>, report: &mut Report) -> Result<bool> {
        let numbers = &mut self.numbers;
        self.database.merge_part(tx, &mut self.merger, &mut |kind, outcome| {
            let number = numbers.entry(kind).or_insert(0);
            *number += 1;
            report.count(kind, outcome, || format!("{kind} {number}"));
        })
    }

    fn progress(&self) -> (usize, usize) {
        self.database.progress()
    }
}

/// Copies a consistent state of the database: everything committed, in the main file or its WAL.
fn open(source: &mut dyn Source, path: &str) -> Result<SourceDatabase> {
    let unreadable = |reason: String| Error::UnreadableSource { path: path.to_owned(), reason };
    let before = Fingerprint::of(source).map_err(unreadable)?;
    let total = source.size();
    let fits = |bytes: u64| usize::try_from(bytes).ok().filter(|_| bytes <= MAX_BYTES);
    let size = fits(total).ok_or_else(|| {
        unreadable(format!("a database must have at most {MAX_BYTES} bytes, but got {total}"))
    })?;
    let wal = match &before.wal {
        None => WalFile::Unknown,
        Some(bytes) => WalFile::from(bytes.clone()),
    };
    let mut bytes = Sequence::new(source);
    let opened = SourceDatabase::open(&mut bytes, size, wal);
    if let Some(reason) = bytes.failure().filter(|_| !matches!(opened, Err(Error::WalMissing))) {
        return Err(unreadable(reason));
    }
    if Fingerprint::of(source).map_err(unreadable)? != before {
        return Err(unreadable("it changed while it was read: try again".into()));
    }
    opened
}

/// A fingerprint of the database, which differs after a program has changed it.
#[derive(PartialEq, Eq)]
struct Fingerprint {
    header: Vec<u8>,
    /// The content of its WAL; `None` if it is unknown whether there is one.
    wal: Option<Vec<u8>>,
}

impl Fingerprint {
    fn of(source: &mut dyn Source) -> std::result::Result<Self, String> {
        if let Neighbour::File(mut journal) = source.sidecar("-journal")?
            && read(journal.as_mut(), 1)?.iter().any(|first| *first != 0)
        {
            return Err(
                "its -journal file shows a transaction in progress or interrupted: wait until its program is done, \
                 or open it once with that program, then try again"
                    .into(),
            );
        }
        let wal = match source.sidecar("-wal")? {
            Neighbour::Unknown => None,
            Neighbour::Nothing => Some(Vec::new()),
            Neighbour::File(wal) if wal.size() > MAX_BYTES => {
                return Err(format!(
                    "its -wal file has over {MAX_BYTES} bytes: run PRAGMA \
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
fn read(source: &mut dyn Source, max_bytes: usize) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = vec![0; max_bytes];
    let count = source.read_at(&mut bytes, 0)?;
    bytes.truncate(count);
    Ok(bytes)
}
