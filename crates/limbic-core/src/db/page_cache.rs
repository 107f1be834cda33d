//! SQLite's cache of pages: how much of it work may fill that reads and writes most pages once.

use rusqlite::{Connection, ffi};

use crate::Result;

/// The size that such work may give an empty cache: with more, indexing source code is not faster.
const MAX_FILLED_KIB: i64 = 8_000;

/// Keeps the cache from growing above [`MAX_FILLED_KIB`]; a larger one shrinks by a tenth. A lower limit would drop
/// pages that searches read, and with its present size it would grow each time: SQLite counts fewer bytes for a
/// page of the limit than for one in use. Returns the limit to [`restore`].
pub(super) fn limit(connection: &Connection) -> Result<i64> {
    let former = connection.query_row("PRAGMA cache_size", [], |row| row.get(0))?;
    set_limit(connection, -MAX_FILLED_KIB.max(used_bytes(connection) / 1024 * 9 / 10))?;
    Ok(former)
}

/// Sets a limit that [`limit`] has returned.
pub(super) fn restore(connection: &Connection, former: i64) -> Result<()> {
    set_limit(connection, former)
}

/// Sets the limit, a number of pages, or of KiB if it is negative.
fn set_limit(connection: &Connection, limit: i64) -> Result<()> {
    Ok(connection.execute_batch(&format!("PRAGMA cache_size = {limit}"))?)
}

/// The size of the cache.
#[allow(unsafe_code, reason = "SQLite has this function in C alone")]
fn used_bytes(connection: &Connection) -> i64 {
    let (mut used, mut highest) = (0, 0);
    // SAFETY: the handle is open as long as the connection, and the function writes to the two numbers alone.
    let code = unsafe {
        let handle = connection.handle();
        ffi::sqlite3_db_status(handle, ffi::SQLITE_DBSTATUS_CACHE_USED, &raw mut used, &raw mut highest, 0)
    };
    if code == ffi::SQLITE_OK { i64::from(used) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL_KIB: i64 = 20_000;

    /// Reads a table of 40 MB.
    fn fill(connection: &Connection) -> Result<i64> {
        connection.query_row("SELECT sum(length(x)) FROM t", [], |row| row.get::<_, i64>(0))?;
        Ok(used_bytes(connection) / 1024)
    }

    #[test]
    fn the_cache_grows_to_the_limit_and_is_not_emptied_by_it() -> Result<()> {
        // A temporary file: what is in memory is no cache.
        let connection = Connection::open("")?;
        connection.execute_batch(&format!(
            "PRAGMA cache_size = -{FULL_KIB};
             CREATE TABLE t (x);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
             INSERT INTO t SELECT randomblob(4000) FROM n;
             PRAGMA shrink_memory"
        ))?;
        let former = limit(&connection)?;
        // It does not grow a little each time.
        for _ in 0..30 {
            let filled = fill(&connection)?;
            assert!((MAX_FILLED_KIB / 2..=MAX_FILLED_KIB * 3 / 2).contains(&filled), "{filled}");
            restore(&connection, former)?;
            limit(&connection)?;
        }
        restore(&connection, former)?;
        let full = fill(&connection)?;
        assert!(full > FULL_KIB / 2, "{full}");
        limit(&connection)?;
        let kept = used_bytes(&connection) / 1024;
        assert!(kept > full * 8 / 10, "{kept} of {full}");
        Ok(())
    }
}
