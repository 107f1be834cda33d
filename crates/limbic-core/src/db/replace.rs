//! Putting another database in the place of the open one.

use std::io::{Cursor, Read};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use super::{functions, schema};
use crate::{Error, Result};

/// How many times a copy is begun again when another program holds the file.
const TRIES: u32 = 3;

/// The bytes of a database's header that tell the file format for writing and for reading.
const FORMAT: std::ops::Range<usize> = 18..20;

/// The format of a database with a rollback journal.
const ROLLBACK_FORMAT: u8 = 1;

/// What a database's header begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Opens a SQLite file of so many bytes in memory, after it was found to be one of ours, of a version that this program
/// knows, and whole. An older schema is brought up to date.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::ForeignDatabase`], [`Error::NewerVersion`], [`Error::Damaged`].
pub fn open_checked(mut file: impl Read, bytes: usize) -> Result<Connection> {
    let mut header = [0; 100];
    if bytes < header.len() || file.read_exact(&mut header).is_err() || !header.starts_with(MAGIC) {
        return Err(Error::NotADatabase);
    }
    // The marks for WAL would ask for files that memory does not have.
    header[FORMAT].fill(ROLLBACK_FORMAT);
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact("main", Cursor::new(header).chain(file), bytes, false)?;
    schema::require_ours(&connection)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(found));
    }
    functions::register(&connection)?;
    schema::prepare(&mut connection, false)?;
    Ok(connection)
}

/// Copies a whole database over the open one, in one transaction: whatever happens, the file holds one or the other.
///
/// # Errors
/// [`Error::Busy`] when another program holds the file; those of the database.
pub fn copy(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    for _ in 0..TRIES {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::More | StepResult::Busy | StepResult::Locked => {}
            _ => return Err(Error::Internal("a copy answered what it never answers".into())),
        }
    }
    Err(Error::Busy)
}
