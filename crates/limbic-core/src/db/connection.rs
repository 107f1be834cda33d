//! One open database: its pragmas, its extensions, its transactions.

use std::{hint::black_box, io::Read, time::Duration};

use rusqlite::{Connection, TransactionBehavior, config::DbConfig};

use super::{Transaction, console, erasing, functions, replace, schema, wal::Beside};
use crate::{Error, Host, Result};

/// How many prepared statements are kept: more than there are in the store modules.
const STATEMENTS: usize = 128;

/// How long a call waits for another process's write to end.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a file in WAL mode is tried, where others try at the same moment.
const CONVERSIONS: usize = 200;

/// A rollback journal: the only kind that works on every VFS. One that stays costs no directory sync.
const JOURNAL_MODE: &str = "PERSIST";

/// An open database with its host.
pub struct Database {
    connection: Connection,
    host: Box<dyn Host>,
    read_only: bool,
}

impl Database {
    /// Takes over a connection: sets every pragma, creates or upgrades the schema.
    ///
    /// # Errors
    /// When the file is no database, another program's, of a newer version or damaged; it is then unchanged.
    pub fn open(mut connection: Connection, host: Box<dyn Host>, read_only: bool) -> Result<Self> {
        keep_statements(&connection)?;
        set_pragmas(&connection, host.as_ref())?;
        functions::register(&connection)?;
        schema::prepare(&mut connection, read_only)?;
        if !read_only {
            erasing::prepare(&mut connection)?;
        }
        Ok(Self { connection, host, read_only })
    }

    /// Runs a read on one unchanging state of the database.
    ///
    /// # Errors
    /// Those of the work itself, and of the database.
    pub fn read<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.run(TransactionBehavior::Deferred, work)
    }

    /// Runs a change: all of it is stored, or nothing.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], those of the work itself, and of the database; nothing has changed then.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        self.run(TransactionBehavior::Immediate, work)
    }

    /// Runs a change and rolls it back.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn dry_run<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        let now_millis = self.host.now_millis();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answer = work(&Transaction::new(&transaction, now_millis))?;
        transaction.rollback()?;
        Ok(answer)
    }

    /// The clock and the source of random bytes.
    #[must_use]
    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// A number that differs from the one before when another connection has committed a change meanwhile.
    ///
    /// # Errors
    /// Those of the database.
    pub fn data_version(&mut self) -> Result<u32> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Whether changes are refused.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The whole database as the bytes of a SQLite file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn export(&mut self) -> Result<Vec<u8>> {
        Ok(self.connection.serialize("main")?.to_vec())
    }

    /// Puts another database, a SQLite file of so many bytes with its WAL, in the place of this one. What is no database of
    /// ours, of a newer version or damaged changes nothing.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], and as [`open_checked`](super::open_checked).
    pub fn import(&mut self, file: impl Read, bytes: usize, wal: Beside) -> Result<()> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        let source = replace::open_checked(file, bytes, wal)?;
        // A database in memory cannot take pages of another size, and need not outlive this one.
        if self.connection.path().is_none_or(str::is_empty) {
            keep_statements(&source)?;
            set_pragmas(&source, self.host.as_ref())?;
            self.connection = source;
        } else {
            self.connection.flush_prepared_statement_cache();
            replace::copy(&source, &mut self.connection)?;
        }
        erasing::prepare(&mut self.connection)
    }

    /// Runs one statement that somebody typed and that reads. Rows are taken until `takes` declines one.
    ///
    /// # Errors
    /// As [`console::query`].
    pub fn query(
        &mut self,
        sql: &str,
        takes: &mut dyn FnMut(&[console::Cell]) -> bool,
    ) -> Result<console::Table> {
        console::query(&mut self.connection, self.host.stopwatch(), sql, takes)
    }

    /// Writes the file anew, without what earlier versions left of deleted records.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], and as [`erasing::compact`].
    pub fn compact(&mut self) -> Result<erasing::Compacted> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        erasing::compact(&mut self.connection)
    }

    /// Closes the file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn close(self) -> Result<()> {
        self.connection.close().map_err(|(_, error)| error.into())
    }

    fn run<T>(
        &mut self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let now_millis = self.host.now_millis();
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let answer = work(&Transaction::new(&transaction, now_millis))?;
        transaction.commit()?;
        Ok(answer)
    }
}

/// Statements are prepared once. Without the guarantee that plans do not depend on values, SQLite plans most of those
/// with `WHERE a = ? ORDER BY id` anew whenever another value is bound, which takes several times as long as the query.
fn keep_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Every pragma of Limbic. The two builds of SQLite differ in their defaults, so nothing is left to them.
fn set_pragmas(connection: &Connection, host: &dyn Host) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch("PRAGMA page_size = 4096")?;
    leave_wal(connection, host)?;
    connection.pragma_update_and_check(None, "journal_mode", JOURNAL_MODE, |_| Ok(()))?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA cache_size = -64000;
         PRAGMA temp_store = MEMORY;
         PRAGMA foreign_keys = ON;
         PRAGMA recursive_triggers = OFF;
         PRAGMA secure_delete = ON;
         PRAGMA trusted_schema = OFF;",
    )?;
    Ok(())
}

/// Converts a file that another program left in WAL mode: without shared memory, only a connection that has the
/// file to itself can read it.
///
/// Two that try at the same moment stand in each other's way: each holds a shared lock and needs the other's gone. So
/// nobody waits with a lock; who fails comes again after a pause of chance, and then waits for the one that succeeded.
fn leave_wal(connection: &Connection, host: &dyn Host) -> Result<()> {
    for _ in 0..CONVERSIONS {
        let first_read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        match first_read.map_err(Error::from) {
            Err(Error::CannotOpen(_)) => {}
            other => return other,
        }
        connection.busy_timeout(Duration::ZERO)?;
        let converted = convert_wal(connection);
        connection.busy_timeout(BUSY_TIMEOUT)?;
        match converted {
            Err(Error::Busy) => pause(connection, host)?,
            other => return other,
        }
    }
    Err(Error::Busy)
}

fn convert_wal(connection: &Connection) -> Result<()> {
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    connection.pragma_update_and_check(None, "journal_mode", JOURNAL_MODE, |_| Ok(()))?;
    connection.execute_batch("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema")?;
    Ok(())
}

/// Lets the lock of a failed conversion go, and counts for some milliseconds, longer or shorter by chance: the core has
/// no way to sleep.
fn pause(connection: &Connection, host: &dyn Host) -> Result<()> {
    connection.execute_batch("PRAGMA locking_mode = NORMAL")?;
    let _fails = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    let mut chance = [0];
    host.fill_random(&mut chance);
    (0..u32::from(chance[0]) * 20_000).for_each(|step| _ = black_box(step));
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn other_values_do_not_make_sqlite_plan_anew() -> Result<()> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE links (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL, UNIQUE (a, b));
             CREATE INDEX by_a ON links(a); CREATE INDEX by_b ON links(b);",
        )?;
        keep_statements(&connection)?;
        let mut statement = connection.prepare("SELECT id FROM links WHERE b = ?1 ORDER BY id")?;
        for value in 0..10 {
            statement.exists([value])?;
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        Ok(())
    }
}
