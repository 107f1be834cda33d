//! An open database: pragmas, extensions, transactions.

use std::{hint::black_box, io::Read, time::Duration};

use rusqlite::{Connection, TransactionBehavior, config::DbConfig};

use super::{
    CallLimit, RowChanges, Transaction, console, erasing, functions,
    integrity::{self, Integrity},
    page_cache, replace, schema,
    wal::WalFile,
};
use crate::{Error, Host, Result};

/// Capacity of the cache of prepared statements: more than the store modules have.
const STATEMENTS: usize = 128;

/// How long a call waits for another process's write transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The busy timeout of a write that may be left out: most transactions take less, and an answer may take this long.
const BRIEF_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum size of a database that a dry run copies, in bytes: the memory of a WebAssembly module is limited.
const MAX_COPY_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum number of attempts to convert a file from WAL mode, since another process may attempt the same.
const MAX_CONVERSIONS: usize = 200;

/// A rollback journal, the only kind that works on every VFS. A journal that is kept needs no directory sync.
const JOURNAL_MODE: &str = "PERSIST";

/// An open database with its host.
pub struct Database {
    connection: Connection,
    host: Box<dyn Host>,
    read_only: bool,
    /// Whether the call that runs may not write, although the database may be written.
    refuses_writes: bool,
    changes: RowChanges,
    /// The limits of the call that runs.
    limit: Option<CallLimit>,
    /// The maximum time that a write transaction waits for those of other processes before it fails.
    patience: Duration,
}

impl Database {
    /// Opens a database on a connection: sets every pragma, creates or upgrades the schema. A read-only database
    /// refuses statements that write. Its connection should be able to write the file all the same: SQLite must undo
    /// the write of a program that was killed before it can read.
    ///
    /// # Errors
    /// If the file is not a database, belongs to another program, has a newer version or is damaged; it is not changed.
    pub fn open(connection: Connection, host: Box<dyn Host>, read_only: bool) -> Result<Self> {
        Self::open_or_begin(connection, host, read_only, |_| Ok(()))
    }

    /// As [`Database::open`]; `begin` adds the first rows to a new database, in the transaction that creates its
    /// schema: each transaction waits for the disk several times.
    ///
    /// # Errors
    /// As [`Database::open`], and errors of `begin`.
    pub(crate) fn open_or_begin(
        mut connection: Connection,
        host: Box<dyn Host>,
        read_only: bool,
        begin: impl FnOnce(&Transaction<'_>) -> Result<()>,
    ) -> Result<Self> {
        keep_statements(&connection)?;
        if read_only {
            refuse_wal(&connection)?;
        }
        set_pragmas(&connection, host.as_ref())?;
        functions::register(&connection)?;
        let now_millis = host.now_millis();
        schema::prepare(&mut connection, read_only, |transaction| {
            erasing::enable(transaction)?;
            begin(&Transaction::new(transaction, now_millis))
        })?;
        if read_only {
            connection.execute_batch("PRAGMA query_only = ON")?;
        } else {
            erasing::prepare(&mut connection)?;
        }
        let changes = RowChanges::default();
        changes.watch(&mut connection)?;
        Ok(Self {
            connection,
            host,
            read_only,
            refuses_writes: false,
            changes,
            limit: None,
            patience: BUSY_TIMEOUT,
        })
    }

    /// Sets the limits of the call that follows; `None` for work that takes as long as it needs. A transaction that
    /// exceeds them is rolled back and fails with [`Error::Timeout`], [`Error::CallAbandoned`] or [`Error::Stopping`].
    /// Only statements are interrupted: not what is computed between them, a single step of SQLite, or a copy of a
    /// whole database.
    ///
    /// # Errors
    /// If SQLite cannot store the limits.
    pub fn limit_call(&mut self, limit: Option<CallLimit>) -> Result<()> {
        self.limit = limit;
        CallLimit::install(self.limit.as_ref(), &mut self.connection)
    }

    /// Runs a read transaction.
    ///
    /// # Errors
    /// Errors of `work`; [`Error::Timeout`].
    pub fn read<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.run(None, work)
    }

    /// Runs a write transaction; it is committed if `work` succeeds, else rolled back.
    ///
    /// # Errors
    /// [`Error::ReadOnly`]; [`Error::NewerVersion`] if another program has upgraded the database since it was opened;
    /// [`Error::Timeout`]; and errors of `work`. Nothing has changed then.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        self.connection.busy_timeout(self.patience)?;
        let result = self.run(Some(self.patience), work);
        // Reads wait for the commits of others however brief a write is to be. What was committed is no failure.
        let _ = self.connection.busy_timeout(BUSY_TIMEOUT);
        result
    }

    /// Sets whether the following write transactions wait only briefly for those of other processes; then they fail
    /// with [`Error::Busy`]. Returns whether they did before.
    pub(crate) fn set_brief(&mut self, is_brief: bool) -> bool {
        let was_brief = self.patience == BRIEF_TIMEOUT;
        self.patience = if is_brief { BRIEF_TIMEOUT } else { BUSY_TIMEOUT };
        was_brief
    }

    /// Keeps the cache of pages from growing much, as [`page_cache::limit`], until [`Database::restore_cache`].
    pub(crate) fn limit_cache(&self) -> Result<i64> {
        page_cache::limit(&self.connection)
    }

    /// Restores the limit that [`Database::limit_cache`] has returned.
    pub(crate) fn restore_cache(&self, former: i64) -> Result<()> {
        page_cache::restore(&self.connection, former)
    }

    /// Runs `work` in a transaction that is not committed: on a copy of the database in memory, so that other processes
    /// may write meanwhile. A larger one than [`MAX_COPY_BYTES`] is not copied: other processes then wait until the
    /// transaction of this call is rolled back. Of a memory in PostgreSQL, the copy fetches all pages.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn dry_run<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        if self.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let limit = self.limit.as_ref();
        in_time(limit, || {
            let (mut copy, wait);
            let connection = if replace::page_bytes(&self.connection)? > MAX_COPY_BYTES {
                wait = Some(self.patience);
                &mut self.connection
            } else {
                copy = replace::copied(&self.connection)?;
                keep_statements(&copy)?;
                set_pragmas(&copy, self.host.as_ref())?;
                CallLimit::install(limit, &mut copy)?;
                wait = None;
                &mut copy
            };
            let transaction = begin(connection, self.host.as_ref(), wait)?;
            let now_millis = self.host.now_millis();
            schema::require_known(&transaction)?;
            let answer = work(&Transaction::new(&transaction, now_millis))?;
            transaction.rollback()?;
            Ok(answer)
        })
    }

    /// The clock and the source of random bytes.
    #[must_use]
    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// Returns `PRAGMA data_version`, which changes when another connection commits a change.
    pub fn data_version(&mut self) -> Result<u32> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Returns the rows that this connection changes.
    #[must_use]
    pub fn row_changes(&self) -> RowChanges {
        self.changes.clone()
    }

    /// Whether changes are refused: by the database, or to the call that runs.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only || self.refuses_writes
    }

    /// Sets whether the call that follows may not write, as if the database were opened for reading.
    pub fn refuse_writes(&mut self, refuses: bool) {
        self.refuses_writes = refuses;
    }

    /// Returns the whole database as the bytes of a SQLite file.
    pub fn export(&mut self) -> Result<Vec<u8>> {
        Ok(self.connection.serialize("main")?.to_vec())
    }

    /// Replaces the content by another database: a SQLite file of `bytes` bytes with its WAL. Nothing changes if it is
    /// not a Limbic database, has a newer version or is damaged.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], and as [`open_checked`](super::open_checked).
    pub fn import(&mut self, file: impl Read, bytes: usize, wal: WalFile) -> Result<()> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        let mut source = replace::open_checked(file, bytes, wal)?;
        // A database in memory cannot change its page size; it is replaced instead.
        if self.connection.path().is_none_or(str::is_empty) {
            keep_statements(&source)?;
            set_pragmas(&source, self.host.as_ref())?;
            self.changes.watch(&mut source)?;
            self.connection = source;
        } else {
            self.connection.flush_prepared_statement_cache();
            replace::copy(&source, &mut self.connection)?;
        }
        self.changes.clear();
        erasing::prepare(&mut self.connection)
    }

    /// Runs one read-only SQL statement of a user. Rows are read until `takes` declines one.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it is not a single SQL statement, or too long, [`Error::SqlRefused`] if it would
    /// do more than read, [`Error::FullTextRefused`], [`Error::SqlStopped`] if it exceeds a limit of the console,
    /// [`Error::Timeout`].
    pub fn query(
        &mut self,
        sql: &str,
        takes: &mut dyn FnMut(&[console::Cell]) -> bool,
    ) -> Result<console::Table> {
        let stopwatch = self.host.stopwatch();
        let limit = self.limit.as_ref();
        let answer = in_time(limit, || console::query(&mut self.connection, stopwatch, limit, sql, takes));
        CallLimit::install(limit, &mut self.connection)?;
        answer
    }

    /// Rebuilds the file, without remains of records that earlier versions deleted.
    ///
    /// # Errors
    /// [`Error::ReadOnly`].
    pub fn compact(&mut self) -> Result<erasing::Compacted> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        erasing::compact(&mut self.connection)
    }

    /// Checks the file for damage.
    pub fn check_integrity(&self) -> Result<Integrity> {
        integrity::check(&self.connection)
    }

    /// Closes the file.
    pub fn close(self) -> Result<()> {
        self.connection.close().map_err(|(_, error)| error.into())
    }

    /// Runs a transaction. `wait` is the maximum time that one that writes waits for others; `None` for one that reads.
    fn run<T>(
        &mut self,
        wait: Option<Duration>,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        in_time(self.limit.as_ref(), || {
            let transaction = begin(&mut self.connection, self.host.as_ref(), wait)?;
            // After the wait for other writers, whose leases would otherwise seem to come from a clock that is ahead.
            let now_millis = self.host.now_millis();
            if wait.is_some() {
                schema::require_known(&transaction)?;
            }
            let answer = work(&Transaction::new(&transaction, now_millis))?;
            transaction.commit()?;
            Ok(answer)
        })
    }
}

/// Begins a transaction. `wait` is the maximum time that one that writes waits for others, and the host is notified of
/// it before it begins; `None` for one that reads.
fn begin<'a>(
    connection: &'a mut Connection,
    host: &dyn Host,
    wait: Option<Duration>,
) -> Result<rusqlite::Transaction<'a>> {
    let behavior =
        if wait.is_some() { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
    host.expect_write(wait);
    let begun = connection.transaction_with_behavior(behavior);
    host.expect_write(None);
    Ok(begun?)
}

/// Runs `work` within the limits of a call: an interrupted statement is reported as the limit that was exceeded.
fn in_time<T>(limit: Option<&CallLimit>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(limit) = limit else { return work() };
    if let Some(error) = limit.exceeded() {
        return Err(error);
    }
    work().map_err(|error| match error {
        Error::SqlStopped(_) => limit.exceeded().unwrap_or(error),
        other => other,
    })
}

/// Caches prepared statements. Without the query planner's stability guarantee, SQLite prepares most statements with
/// `WHERE a = ? ORDER BY id` again whenever another value is bound, which takes several times as long as the query.
fn keep_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Sets every pragma explicitly, since the two builds of SQLite have different defaults.
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

/// Refuses a file that another program left in WAL mode: it would have to be converted before it is read.
fn refuse_wal(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(Error::from) {
        Err(Error::CannotOpen(_)) => Err(Error::ReadOnly),
        other => other,
    }
}

/// Converts a file that another program left in WAL mode: without shared memory, only a connection with an exclusive
/// lock can read it.
///
/// Two processes that try at the same time block each other: each holds a shared lock and needs the other one released.
/// So none waits while it holds a lock; one that fails tries again after a pause of random length.
fn leave_wal(connection: &Connection, host: &dyn Host) -> Result<()> {
    for _ in 0..MAX_CONVERSIONS {
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

/// Releases the lock of a failed conversion and pauses for a random number of milliseconds in a counting query, because
/// the core cannot sleep.
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
    use std::{cell::RefCell, rc::Rc};

    use rusqlite::StatementStatus;

    use super::*;

    /// Records the writes of which it is notified.
    struct Listening(Rc<RefCell<Vec<Option<Duration>>>>);

    impl Host for Listening {
        fn now_millis(&self) -> i64 {
            0
        }

        fn expect_write(&self, wait: Option<Duration>) {
            self.0.borrow_mut().push(wait);
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }

    #[test]
    fn the_host_is_told_of_a_write_before_it_begins() -> Result<()> {
        limbic_vfs::register_vec0();
        let heard = Rc::new(RefCell::new(Vec::new()));
        let mut database =
            Database::open(Connection::open_in_memory()?, Box::new(Listening(heard.clone())), false)?;
        heard.borrow_mut().clear();
        let during = |_: &Transaction<'_>| Ok(heard.borrow().last() == Some(&None));
        assert!(database.write(during)?, "within a transaction, no other one begins");
        database.dry_run(|_| Ok(()))?;
        database.read(|_| Ok(()))?;
        database.set_brief(true);
        database.write(|_| Ok(()))?;
        let (long, brief) = (Some(BUSY_TIMEOUT), Some(BRIEF_TIMEOUT));
        assert_eq!(*heard.borrow(), [long, None, None, None, None, None, brief, None]);
        Ok(())
    }

    #[test]
    fn other_values_do_not_make_sqlite_plan_again() -> Result<()> {
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
