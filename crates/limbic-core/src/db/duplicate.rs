//! Copies of a database for another form of the file, and the check that nothing is missing in them.

use std::collections::BTreeMap;

use rusqlite::{Connection, DEFAULT_NAME, FileControl, config::DbConfig};

use super::functions;
use crate::{Error, Result};

/// Returns how many bytes at the end of each page SQLite does not use.
pub(crate) fn reserved_bytes(connection: &Connection) -> Result<i32> {
    // SQLite learns the form of the pages when it first reads one.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let mut bytes = -1;
    connection.file_control(DEFAULT_NAME, FileControl::ReserveBytes(&mut bytes))?;
    Ok(bytes)
}

/// Rebuilds a database in memory if its pages leave less room than this at their end, for encryption.
///
/// # Errors
/// [`Error::Conflict`] if its pages have another size than Limbic's.
pub(crate) fn reserve(connection: &Connection, bytes: i32) -> Result<()> {
    const PAGE_BYTES: u32 = 4096;
    if reserved_bytes(connection)? >= bytes {
        return Ok(());
    }
    let page_bytes: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    if page_bytes != PAGE_BYTES {
        return Err(Error::Conflict(format!(
            "The pages of the database have {page_bytes} bytes, and only pages of {PAGE_BYTES} bytes can be encrypted: run \
             PRAGMA page_size = {PAGE_BYTES} and VACUUM on it with SQLite. Nothing was changed"
        )));
    }
    let mut wanted = bytes;
    connection.file_control(DEFAULT_NAME, FileControl::ReserveBytes(&mut wanted))?;
    // A temporary file would be plain.
    connection.execute_batch("PRAGMA temp_store = MEMORY; VACUUM")?;
    Ok(())
}

/// Returns the bytes of a database as a plain SQLite file whose pages leave this room at their end. Needs about three
/// times as much memory as the database is large.
///
/// # Errors
/// [`Error::Conflict`] if its pages have another size than Limbic's.
pub fn bytes_with_room(connection: &mut Connection, reserved: i32) -> Result<Vec<u8>> {
    let mut copy = in_memory(&connection.serialize("main")?)?;
    reserve(&copy, reserved)?;
    Ok(copy.serialize("main")?.to_vec())
}

/// How much a database contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// Tables, with those of indexes for full text and vectors.
    pub tables: usize,
    /// Rows of all tables.
    pub rows: u64,
}

/// Checks that a copy, the bytes of a plain SQLite file, is sound and has the tables and rows of a database.
///
/// # Errors
/// [`Error::Damaged`].
pub fn require_same(original: &Connection, copy: &[u8]) -> Result<Content> {
    let copy = in_memory(copy)?;
    let found: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(format!("the copy: {found}")));
    }
    let (wanted, counted) = (row_counts(original)?, row_counts(&copy)?);
    if wanted != counted {
        return Err(Error::Damaged("the copy has other rows than the original".to_owned()));
    }
    Ok(Content { tables: counted.len(), rows: counted.values().sum() })
}

pub(super) fn in_memory(bytes: &[u8]) -> Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    copy.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    copy.deserialize_read_exact("main", bytes, bytes.len(), false)?;
    copy.execute_batch("PRAGMA temp_store = MEMORY")?;
    functions::register(&copy)?;
    Ok(copy)
}

/// The number of rows of each table. Virtual tables consist of others, which are counted.
fn row_counts(connection: &Connection) -> Result<BTreeMap<String, u64>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
    let mut tables = connection.prepare(sql)?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    names
        .map(|name| {
            let name = name?;
            let quoted = name.replace('"', "\"\"");
            let rows =
                connection.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| row.get(0))?;
            Ok((name, rows))
        })
        .collect()
}
