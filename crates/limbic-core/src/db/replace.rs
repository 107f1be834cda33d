//! Databases in memory: the replacement of the open database, and the target of an export.

use std::io::Read;

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
    config::DbConfig,
};

use super::{
    Transaction, duplicate, encrypted, functions,
    ownership::{HEADER_BYTES, MAGIC},
    schema,
    wal::{WalFile, merged},
};
use crate::{Error, Result};

/// Maximum number of retries of a copy while another program locks the file.
const MAX_RETRIES: u32 = 3;

/// Opens a SQLite file of `bytes` bytes in memory, with the committed content of its WAL, after checking that it is a
/// Limbic database of a known version and not damaged. An older schema is upgraded.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::Encrypted`], [`Error::ForeignDatabase`], [`Error::NewerVersion`],
/// [`Error::WalMissing`], [`Error::Damaged`].
pub fn open_checked(mut file: impl Read, bytes: usize, wal: WalFile) -> Result<Connection> {
    let mut magic = [0; MAGIC.len()];
    if bytes < HEADER_BYTES || file.read_exact(&mut magic).is_err() {
        return Err(Error::NotADatabase);
    }
    if magic != *MAGIC {
        let size = u64::try_from(bytes).unwrap_or(u64::MAX);
        return Err(encrypted::not_a_database(magic.chain(file), size));
    }
    let (whole, bytes) = merged(magic.chain(file), bytes, wal)?;
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact("main", whole, bytes, false)?;
    schema::require_ours(&connection)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(found));
    }
    functions::register(&connection)?;
    schema::prepare(&mut connection, false, |_| Ok(()))?;
    Ok(connection)
}

/// Copies a whole database in memory over the open one in one transaction: after a failure the file has its old
/// content.
///
/// # Errors
/// [`Error::Busy`] if another program locks the file; [`Error::Conflict`] if it is encrypted, and the pages of the
/// other one have another size.
pub(crate) fn copy(from: &Connection, to: &mut Connection) -> Result<()> {
    // The copy has the pages of the original, and those of an encrypted file have room for its codes.
    duplicate::reserve(from, duplicate::reserved_bytes(to)?)?;
    copy_pages(from, to)
}

/// The size of a database's pages, in bytes.
pub(crate) fn page_bytes(connection: &Connection) -> Result<u64> {
    let value = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
    Ok(value("page_count")?.saturating_mul(value("page_size")?))
}

/// Returns a copy of an open database in memory.
///
/// # Errors
/// [`Error::Busy`] if another program locks the file.
pub(crate) fn copied(from: &Connection) -> Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    copy_pages(from, &mut copy)?;
    functions::register(&copy)?;
    Ok(copy)
}

fn copy_pages(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    for _ in 0..MAX_RETRIES {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::More | StepResult::Busy | StepResult::Locked => {}
            _ => return Err(Error::Internal("SQLite's backup returned an unexpected result".into())),
        }
    }
    Err(Error::Busy)
}

/// Creates a database with the current schema and fills it. Triggers and foreign keys are off meanwhile, so `fill` must
/// also write the rows that triggers derive.
///
/// # Errors
/// Errors of `fill`.
pub(crate) fn fresh(
    now_millis: i64,
    fill: impl FnOnce(&Transaction<'_>) -> Result<()>,
) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA foreign_keys = OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    functions::register(&connection)?;
    schema::prepare(&mut connection, false, |_| Ok(()))?;
    let transaction = connection.transaction()?;
    fill(&Transaction::new(&transaction, now_millis))?;
    transaction.commit()?;
    Ok(connection)
}

/// Runs a read transaction on a database of [`fresh`].
///
/// # Errors
/// Errors of `work`.
pub(crate) fn read_fresh<T>(
    connection: &mut Connection,
    now_millis: i64,
    work: impl FnOnce(&Transaction<'_>) -> Result<T>,
) -> Result<T> {
    let transaction = connection.transaction()?;
    work(&Transaction::new(&transaction, now_millis))
}
