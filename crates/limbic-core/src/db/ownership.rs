//! Determines which program a database belongs to, by reading only: before any lock, conversion or journal.

use std::io::{Cursor, Read};

use rusqlite::Connection;

use super::{
    encrypted, schema,
    wal::{Merged, Wal, word},
};
use crate::{Error, Foreign, Result};

/// The start of a database's header.
pub(crate) const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The start of a rollback journal's header; a journal with another start contains nothing to roll back.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Length of a database's header, in bytes.
pub const HEADER_BYTES: usize = 100;

/// Maximum size of a foreign database whose tables are examined to describe it.
const MAX_DESCRIBED_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum number of bytes of a WAL or a journal that are examined.
const MAX_SIDE_FILE_BYTES: u64 = 1 << 30;

/// Checks that the file at `path` is a Limbic database of a known version, is empty, or does not exist. Writes nothing.
///
/// `open` returns a reader at the start of a file, with the file's size; `None` if the file does not exist or cannot be
/// read, since opening the database then reports the reason in more detail.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::Encrypted`], [`Error::ForeignDatabase`], [`Error::NewerVersion`].
pub fn require_ours<R: Read>(path: &str, open: impl Fn(&str) -> Option<(R, u64)>) -> Result<()> {
    // A read during another process's write may see any mixture of pages, so a failed check is repeated once.
    look(path, &open).or_else(|_| look(path, &open))
}

fn look<R: Read>(path: &str, open: &impl Fn(&str) -> Option<(R, u64)>) -> Result<()> {
    let beside = |suffix: &str| {
        let (file, size) = open(&format!("{path}{suffix}"))?;
        let mut bytes = Vec::new();
        file.take(size.min(MAX_SIDE_FILE_BYTES)).read_to_end(&mut bytes).ok().map(|_| bytes)
    };
    let journal = beside("-journal").filter(|bytes| bytes.starts_with(&JOURNAL_MAGIC));
    let wal = beside("-wal").and_then(Wal::read);
    let Some((mut main, size)) = open(path) else { return Ok(()) };
    if size == 0 && wal.is_none() {
        return Ok(());
    }
    let mut head = Vec::new();
    let most = u64::try_from(HEADER_BYTES + 8).unwrap_or(u64::MAX);
    if main.by_ref().take(most).read_to_end(&mut head).is_err() {
        return Ok(());
    }
    let journaled = journal.as_deref().map_or(Journaled::Nothing, first_page);
    let page: &[u8] = match (wal.as_ref().and_then(|wal| wal.page(1)), journaled) {
        (Some(page), _) | (None, Journaled::Page(page)) => page,
        // The transaction that created the file was not committed: SQLite makes it empty again.
        (None, Journaled::Empty) if !head.starts_with(MAGIC) || is_ours(&head) => return Ok(()),
        _ => &head,
    };
    if page.len() < HEADER_BYTES + 8 || !page.starts_with(MAGIC) {
        return Err(encrypted::not_a_database(Cursor::new(head).chain(main), size));
    }
    match i64::from(word(page, 60)) {
        found if is_ours(page) && found > schema::VERSION => {
            Err(Error::NewerVersion { found, known: schema::VERSION })
        }
        _ if is_ours(page) || is_empty(page) => Ok(()),
        _ if size > MAX_DESCRIBED_BYTES => Err(Error::ForeignDatabase(Foreign::Unknown)),
        _ => Err(described(Cursor::new(head).chain(main), size, wal)),
    }
}

/// Whether a file with this start ([`HEADER_BYTES`] or more) is a Limbic database.
#[must_use]
pub fn is_ours(page: &[u8]) -> bool {
    page.len() >= HEADER_BYTES
        && page.starts_with(MAGIC)
        && i64::from(word(page, 68)) == schema::APPLICATION_ID
}

/// Whether a file of `size` bytes may be an encrypted database: it has whole pages, and the first one looks random.
pub fn seems_encrypted(file: impl Read, size: u64) -> bool {
    matches!(encrypted::not_a_database(file, size), Error::Encrypted)
}

/// Whether the database has no table and no application id.
fn is_empty(page: &[u8]) -> bool {
    const LEAF: u8 = 0x0d;
    let is_leaf_without_rows = page[HEADER_BYTES] == LEAF && page[HEADER_BYTES + 3..][..2] == [0, 0];
    is_leaf_without_rows && word(page, 68) == 0
}

/// Returns the error for another program's database, which names the program if its tables identify it.
fn described(main: impl Read, size: u64, wal: Option<Wal>) -> Error {
    let describe = || -> Result<Error> {
        let size = wal.as_ref().map_or_else(|| usize::try_from(size).ok(), Wal::database_bytes);
        let mut copy = Connection::open_in_memory()?;
        copy.deserialize_read_exact("main", Merged::new(main, wal), size.unwrap_or_default(), true)?;
        match schema::require_ours(&copy) {
            Err(error @ Error::ForeignDatabase(_)) => Ok(error),
            _ => Ok(Error::ForeignDatabase(Foreign::Unknown)),
        }
    };
    describe().unwrap_or(Error::ForeignDatabase(Foreign::Unknown))
}

/// The effect of rolling back a journal on page 1.
enum Journaled<'a> {
    /// The page does not change.
    Nothing,
    /// The file becomes empty.
    Empty,
    /// The page gets this content.
    Page(&'a [u8]),
}

/// Looks for page 1 in a rollback journal (<https://www.sqlite.org/fileformat2.html#the_rollback_journal>).
fn first_page(journal: &[u8]) -> Journaled<'_> {
    const SEGMENT_HEADER_BYTES: usize = 28;
    let mut start = 0_usize;
    while let Some(header) = journal.get(start..start.saturating_add(SEGMENT_HEADER_BYTES)) {
        let [records, sector, page] = [8, 20, 24].map(|at| usize::try_from(word(header, at)));
        let (Ok(records), Ok(sector), Ok(page_bytes)) = (records, sector, page) else { break };
        if !header.starts_with(&JOURNAL_MAGIC) || sector < 32 || page_bytes < 512 {
            break;
        }
        if word(header, 16) == 0 {
            return Journaled::Empty;
        }
        let record_bytes = page_bytes + 8;
        let body = journal.get(start + sector..).unwrap_or_default();
        let found = body.chunks_exact(record_bytes).take(records).find(|record| word(record, 0) == 1);
        if let Some(record) = found {
            return Journaled::Page(&record[4..4 + page_bytes]);
        }
        let end = records.checked_mul(record_bytes).and_then(|bytes| bytes.checked_add(start + sector));
        let Some(next) = end.and_then(|end| end.checked_next_multiple_of(sector)) else { break };
        start = next;
    }
    Journaled::Nothing
}
