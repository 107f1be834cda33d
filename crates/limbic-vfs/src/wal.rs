//! Detection of databases in WAL mode.

use crate::{Host, HostError, OpenMode};

/// Offset of the file format write version in a database header; the read version follows.
const FORMAT_OFFSET: u64 = 18;
const WAL_FORMAT: u8 = 2;

/// Whether the database at `path` is in WAL mode, as native programs leave it.
///
/// WAL needs memory shared between processes, which this VFS does not offer. Such a database must be converted
/// once, by the first statements of its connection:
///
/// ```sql
/// PRAGMA locking_mode = EXCLUSIVE;
/// PRAGMA journal_mode = PERSIST;
/// PRAGMA locking_mode = NORMAL;
/// SELECT count(*) FROM sqlite_schema;
/// ```
///
/// SQLite then replays what is left in the `-wal` file, and the last statement releases the lock. Two connections
/// that convert a file at the same time block each other, since each keeps a shared lock while it waits for the other's
/// release: convert it with a `busy_timeout` of zero, and if it is busy, set `locking_mode = NORMAL`, read, and retry
/// after a pause.
///
/// A program that still has the database open natively is protected by locks of the operating system, which
/// this VFS cannot see: close it first.
///
/// # Errors
/// As [`Host::open`]; a missing file needs no conversion.
pub fn needs_wal_conversion(host: &dyn Host, path: &str) -> Result<bool, HostError> {
    let file = match host.open(path, OpenMode::Read) {
        Err(HostError::NotFound) => return Ok(false),
        other => other?,
    };
    let mut format = [0; 2];
    let read = file.read_at(&mut format, FORMAT_OFFSET)?;
    Ok(read == format.len() && format.contains(&WAL_FORMAT))
}
