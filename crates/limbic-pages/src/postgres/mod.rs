//! PostgreSQL as the store.
//!
//! | operation | statements | round trips |
//! |---|---|---|
//! | snapshot | `BEGIN ISOLATION LEVEL REPEATABLE READ`, the head, the format, the changed pages | 1 |
//! | lock in a snapshot | `SELECT ... FOR UPDATE NOWAIT` behind a savepoint, so that a miss keeps the snapshot | 1 |
//! | lock in the queue | `BEGIN ISOLATION LEVEL READ COMMITTED`, `lock_timeout`, `SELECT ... FOR UPDATE`, the
//! format, the changed pages | 1 |
//! | pages | `page = ANY($2)` | 1 |
//! | commit | `INSERT ... ON CONFLICT DO UPDATE` for up to 1,024 pages, the head, `COMMIT` | 1, and 1 for each further
//! 1,024 pages |
//! | end | `ROLLBACK`, which is not waited for | 0 |
//!
//! A new connection takes two round trips after PostgreSQL's own: the settings with a look for the tables, then the
//! checks with the preparation of statements. Behind a pooler, the first one needs another connection for its sessions
//! (see `pooling`).
//!
//! Contents of pages are parameters of prepared statements, and each session asks for no log of the parameters of those
//! that fail. A server that logs all or slow statements logs them with their parameters, unless a superuser sets
//! `log_parameter_max_length` to 0.
//!
//! No answer is waited for without a limit: `answer_timeout` of the address, one second for each 64 KiB that the
//! request moves, and the time that it may wait for the lock. A connection without an answer by then is given up, as
//! one that breaks.

mod announcement;
mod connection;
mod failure;
mod holder;
mod interrupt;
mod memories;
mod outcome;
mod pooling;
mod probe;
mod removal;
mod rows;
mod schema;
mod servers;
mod statements;
mod tokens;
mod vacuum;

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};

use tokio_postgres::{SimpleQueryMessage, Statement};

use crate::{
    address::Address,
    outage::Need,
    repeated::{MAX_REPEATS, PAUSE},
    store::{Head, Locked, PAGE_BYTES, PageStore, StoreError, Token, page_count},
    troubles::Step,
};
use connection::{Connection, time_to_move};
use failure::{Failure, RequestError, as_i64, as_u64, note};
pub use interrupt::interrupt;
pub use memories::{StoredMemory, memories};
use rows::{Begun, Written, token_row, tokens};
pub use schema::FORMAT;
use schema::IfMissing;
pub use tokens::{TokenRow, TokenTable};
pub use vacuum::vacuum;

/// A memory in PostgreSQL.
pub struct PostgresStore {
    address: Address,
    read_only: bool,
    /// What to do if the next connection does not find the memory.
    if_missing: IfMissing,
    connection: Option<Prepared>,
    /// The state that the transaction began with; `None` without a transaction.
    base: Option<Head>,
    /// The changes since a version that the start of the transaction has found.
    changed: Option<(u64, Vec<u64>)>,
}

struct Prepared {
    client: Connection,
    read: Statement,
    write: Statement,
    /// The number of the process of PostgreSQL that serves the connection.
    process: String,
}

/// How long a writer waits for a lock of a table that it has the memory's lock for: another session's `REINDEX`.
const MAX_TABLE_WAIT: &str = "10s";

const READ: &str = "SELECT page, content FROM limbic_pages WHERE memory = $1 AND page = ANY($2)";

const WRITE: &str = "INSERT INTO limbic_pages (memory, page, version, content) \
    SELECT $1, new.page, $2, new.content FROM unnest($3::bigint[], $4::bytea[]) AS new (page, content) \
    ON CONFLICT (memory, page) DO UPDATE SET version = excluded.version, content = excluded.content";

impl PostgresStore {
    /// Connects, creates the tables and the memory if they are missing, and checks the format. With `read_only` nothing
    /// is created, and a standby is accepted.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], [`StoreError::Refused`] for a store of a newer format, missing rights and missing
    /// memories.
    pub fn open(address: &Address, read_only: bool) -> Result<PostgresStore, StoreError> {
        let if_missing = match read_only {
            true => IfMissing::Fail,
            false if address.was_found() => IfMissing::Removed,
            false => IfMissing::Create,
        };
        PostgresStore::open_if(address, read_only, if_missing)
    }

    /// As [`PostgresStore::open`], for writing, but creates nothing.
    ///
    /// # Errors
    /// As [`PostgresStore::open`].
    pub fn open_existing(address: &Address) -> Result<PostgresStore, StoreError> {
        PostgresStore::open_if(address, false, IfMissing::Fail)
    }

    fn open_if(
        address: &Address,
        read_only: bool,
        if_missing: IfMissing,
    ) -> Result<PostgresStore, StoreError> {
        let address = if read_only { address.clone().for_reading() } else { address.clone() };
        let mut store =
            PostgresStore { address, read_only, if_missing, connection: None, base: None, changed: None };
        store.connected(store.deadline()?)?;
        store.address.note_found();
        store.if_missing = IfMissing::Removed;
        Ok(store)
    }

    fn connect(&self) -> Result<Prepared, Failure> {
        let limit = self.need().attempt_limit(self.address.login_limit());
        let client = Connection::open(&self.address, limit)?;
        let prepared = self.prepare(client);
        note(&self.address, Step::SetUp, prepared.as_ref());
        prepared
    }

    fn prepare(&self, mut client: Connection) -> Result<Prepared, Failure> {
        let process = schema::prepare(&mut client, &self.address, self.read_only, self.if_missing)?;
        let prepared = client.prepare(READ, WRITE);
        let [read, write] = prepared.map_err(|error| failure::classify(&error, &self.address))?;
        client.set_limit(self.address.answer_limit());
        Ok(Prepared { client, read, write, process })
    }

    fn need(&self) -> Need {
        Need::of_caller(self.address.patience())
    }

    fn is_connected(&self) -> bool {
        self.connection.as_ref().is_some_and(|found| !found.client.is_closed())
    }

    /// Until when a connection is tried again at the beginning of a transaction. By default that is longer than a
    /// restart takes. Fails if the store was found to be away just now.
    fn deadline(&self) -> Result<Instant, Failure> {
        let now = Instant::now();
        match self.need() {
            Need::Call(patience) if self.is_connected() => Ok(now + patience),
            Need::Background if self.is_connected() => Ok(now),
            need => self.address.outage.deadline(now, need).map_err(Failure::Broken),
        }
    }

    /// The connection, made again until the deadline if it has broken, and once at least.
    fn connected(&mut self, deadline: Instant) -> Result<&mut Prepared, Failure> {
        if !self.is_connected() {
            self.connection = None;
        }
        while self.connection.is_none() {
            let begun = Instant::now();
            match self.connect() {
                Ok(connection) => {
                    self.address.outage.note_success();
                    self.connection = Some(connection);
                }
                Err(Failure::Broken(why)) => {
                    self.address.outage.note_failure(self.need(), begun, Instant::now(), &why);
                    if !may_repeat(deadline) {
                        probe::begin(&self.address);
                        return Err(Failure::Broken(why));
                    }
                    thread::sleep(PAUSE);
                }
                Err(failure) => return Err(failure),
            }
        }
        self.connection.as_mut().ok_or_else(|| Failure::Broken("there is no connection".to_owned()))
    }

    /// As [`PostgresStore::try_begin`], and records whether it was refused.
    fn begin(
        &mut self,
        step: Step,
        sql: &str,
        wait: Duration,
        known: Option<u64>,
        deadline: Instant,
    ) -> Result<Begun, Failure> {
        let begun = self.try_begin(sql, wait, known, deadline);
        // Those of a connection are recorded where it is made.
        if begun.is_ok() || self.is_connected() {
            note(&self.address, step, begun.as_ref());
        }
        begun
    }

    /// Begins a transaction by these statements, which wait for at most `wait`, on a new connection if this one turns
    /// out to be broken. Connecting is repeated until the deadline.
    fn try_begin(
        &mut self,
        sql: &str,
        wait: Duration,
        known: Option<u64>,
        deadline: Instant,
    ) -> Result<Begun, Failure> {
        self.end();
        let mut repeats = 0;
        loop {
            let address = self.address.clone();
            let was_connected = self.is_connected();
            let begun = Instant::now();
            let connection = self.connected(deadline)?;
            match connection.client.allowing(wait).simple_query(sql) {
                // It continued the transaction that was to be rolled back.
                Ok(_) if !connection.client.has_rolled_back() => self.connection = None,
                Ok(answer) => {
                    let process = connection.process.clone();
                    let Some(begun) = Begun::from(answer) else {
                        self.rollback();
                        return Err(schema::removed(&address));
                    };
                    // Settings and statements that were prepared are those of another session.
                    if begun.process != process {
                        self.rollback();
                        return Err(failure::pooled(&address));
                    }
                    // It was replaced by another server, and has what was stored before that.
                    if begun.is_read_only && was_connected && address.may_have_moved() {
                        self.give_up_connection();
                        continue;
                    }
                    if let Err(failure) = schema::require_format(begun.format.as_deref(), &address) {
                        self.rollback();
                        return Err(failure);
                    }
                    self.base = Some(begun.head.clone());
                    self.changed = known.map(|version| (version, begun.changed.clone()));
                    return Ok(begun);
                }
                Err(error) => match failure::classify(&error, &address) {
                    Failure::Broken(why) => {
                        self.give_up_connection();
                        // A connection that broke while nothing was sent is replaced even by background work.
                        let is_silent = matches!(error, RequestError::Silent(_));
                        if is_silent {
                            address.outage.note_silence(begun, Instant::now(), &why);
                        }
                        if !may_repeat(deadline) && (!was_connected || is_silent) {
                            return Err(Failure::Broken(why));
                        }
                        if !was_connected {
                            thread::sleep(PAUSE);
                        }
                    }
                    // Another server may write now; a new connection to this one would not.
                    Failure::ReadOnly(_) if was_connected => self.give_up_connection(),
                    // Nothing was read in this transaction yet.
                    Failure::Conflict(_) if repeats < MAX_REPEATS && !interrupt::is_requested() => {
                        repeats += 1;
                        self.rollback();
                        thread::sleep(PAUSE);
                    }
                    failure => {
                        self.rollback();
                        if let Some(connection) =
                            self.connection.as_mut().filter(|_| schema::is_other_schema(&error))
                        {
                            schema::require_format_after_failure(&mut connection.client, &address)?;
                        }
                        return Err(failure);
                    }
                },
            }
        }
    }

    /// The lock for a caller that is in no transaction.
    fn queue(&mut self, wait: Duration, known: Option<u64>, deadline: Instant) -> Result<Locked, StoreError> {
        let wait_millis = wait.as_millis();
        let how = if wait_millis == 0 {
            ("", " NOWAIT")
        } else {
            (&*format!("; SET LOCAL lock_timeout = {wait_millis}"), "")
        };
        let sql = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED{}; {} FOR UPDATE{}; SET LOCAL lock_timeout = '{MAX_TABLE_WAIT}'{}",
            how.0,
            self.head_sql(),
            how.1,
            self.rest_sql(known)
        );
        match self.begin(Step::Lock, &sql, wait, known, deadline) {
            Ok(begun) => {
                self.address.troubles.end(Step::Queue);
                Ok(Locked::Yes(begun.head))
            }
            Err(Failure::NotAvailable) => {
                self.note_holder(wait);
                Ok(Locked::Busy)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// The lock in the snapshot that is open.
    fn upgrade(&mut self, base: Head) -> Result<Locked, StoreError> {
        let sql = format!(
            "SAVEPOINT before_lock; SELECT 1 FROM limbic_memories WHERE memory = {} FOR UPDATE NOWAIT; \
             RELEASE SAVEPOINT before_lock; SET LOCAL lock_timeout = '{MAX_TABLE_WAIT}'",
            self.name()
        );
        let locked = self.run(|connection| connection.client.simple_query(&sql));
        note(&self.address, Step::Lock, locked.as_ref());
        let Err(failure) = locked else {
            self.address.troubles.end(Step::Queue);
            return Ok(Locked::Yes(base));
        };
        let missed = match failure {
            Failure::NotAvailable => Locked::Busy,
            Failure::Conflict(_) => Locked::Stale,
            // The next attempt looks for the server that writes now.
            Failure::ReadOnly(_) => {
                self.give_up_connection();
                return Ok(Locked::Stale);
            }
            other => return Err(self.broken(other)),
        };
        let back = "ROLLBACK TO SAVEPOINT before_lock";
        match self.run(|connection| connection.client.simple_query(back)) {
            Ok(_) => Ok(missed),
            Err(other) => Err(self.broken(other)),
        }
    }

    /// Fails if row-level security hides the pages. SQLite has always written the first one, and the others that are
    /// not in the table hold zeros.
    fn require_visible(&mut self) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT current_user WHERE row_security_active('limbic_pages') AND NOT EXISTS \
             (SELECT 1 FROM limbic_pages WHERE memory = {} AND page = 0)",
            self.name()
        );
        let answer = self.run(|connection| connection.client.simple_query(&sql));
        let answer = answer.map_err(|failure| self.broken(failure))?;
        let Some(role) = rows::first(&answer) else { return Ok(()) };
        let refused = format!(
            "row-level security of the table limbic_pages hides the pages of the memory at {} from the role {role}: \
             give it a policy for this memory, or ALTER TABLE limbic_pages DISABLE ROW LEVEL SECURITY",
            self.address
        );
        Err(self.broken(Failure::Refused(refused)))
    }

    /// Runs a statement in the transaction that is open.
    fn run<T>(&mut self, work: impl FnOnce(&mut Prepared) -> Result<T, RequestError>) -> Result<T, Failure> {
        let address = &self.address;
        match &mut self.connection {
            Some(connection) if self.base.is_some() => {
                work(connection).map_err(|error| failure::classify(&error, address))
            }
            _ => Err(Failure::Broken("the transaction has ended".to_owned())),
        }
    }

    fn give_up_connection(&mut self) {
        self.connection = None;
        self.base = None;
        self.changed = None;
    }

    /// Ends a transaction that has failed.
    fn broken(&mut self, failure: Failure) -> StoreError {
        match failure {
            Failure::Broken(text) => {
                self.give_up_connection();
                StoreError::Lost(text)
            }
            Failure::ReadOnly(text) => {
                self.give_up_connection();
                StoreError::Refused(text)
            }
            other => {
                self.rollback();
                other.into()
            }
        }
    }

    /// As [`PostgresStore::broken`], for a transaction whose pages were refused.
    fn uncommitted(&mut self, failure: Failure) -> StoreError {
        let failure = self.while_writing(failure);
        note::<()>(&self.address, Step::Commit, Err(&failure));
        self.broken(failure)
    }

    /// A failure of a statement that writes: the lock of the memory is held, so that one in the way is of a table.
    fn while_writing(&self, failure: Failure) -> Failure {
        match failure {
            Failure::NotAvailable => failure::table_locked(&self.address),
            other => other,
        }
    }

    fn rollback(&mut self) {
        self.base = None;
        self.changed = None;
        if let Some(connection) = &mut self.connection {
            connection.client.roll_back();
        }
    }
}

/// Whether something may be tried again.
fn may_repeat(deadline: Instant) -> bool {
    Instant::now() < deadline && !interrupt::is_requested()
}

/// Returns the maximum time for the transfer of this number of pages.
fn time_for(pages: usize) -> Duration {
    time_to_move(u64::try_from(pages.saturating_mul(PAGE_BYTES)).unwrap_or(u64::MAX))
}

impl PageStore for PostgresStore {
    fn head(&mut self, known: Option<u64>) -> Result<Head, StoreError> {
        let (head, rest) = (self.head_sql(), self.rest_sql(known));
        let sql = format!("BEGIN ISOLATION LEVEL REPEATABLE READ; {head}{rest}");
        let begun = self.begin(Step::Snapshot, &sql, Duration::ZERO, known, self.deadline()?)?;
        Ok(begun.head)
    }

    fn lock(&mut self, wait: Duration, known: Option<u64>) -> Result<Locked, StoreError> {
        match self.base.clone() {
            Some(base) => self.upgrade(base),
            None => self.queue(wait, known, self.deadline()?),
        }
    }

    fn read(&mut self, pages: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let (memory, numbers) = (self.address.memory.clone(), as_i64(pages));
        let rows = self.run(|Prepared { client, read, .. }| {
            client.allowing(time_for(numbers.len())).query(read, &[&memory, &numbers])
        });
        note(&self.address, Step::Pages, rows.as_ref());
        let rows = rows.map_err(|failure| self.broken(failure))?;
        if rows.len() < pages.len() {
            self.require_visible()?;
        }
        Ok(rows.iter().map(|row| (as_u64(row.get(0)), row.get(1))).collect())
    }

    fn changed_since(&mut self, version: u64) -> Result<Vec<u64>, StoreError> {
        if let Some((_, changed)) = self.changed.take_if(|(known, _)| *known == version) {
            return Ok(changed);
        }
        let sql = self.changed_sql(Some(version));
        let sql = sql.trim_start_matches(';').to_owned();
        let answer = self.run(|connection| connection.client.simple_query(&sql));
        let answer = answer.map_err(|failure| self.broken(failure))?;
        let number = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.get(1)?.parse().ok(),
            _ => None,
        };
        Ok(answer.iter().filter_map(number).collect())
    }

    fn token(&mut self, version: u64) -> Result<Option<Token>, StoreError> {
        let (row, start) = token_row(version);
        let sql = format!(
            "SELECT encode(substring(content FROM {} FOR {}), 'hex') FROM limbic_pages WHERE memory = {} AND page = {row} \
             AND page < 0",
            start + 1,
            size_of::<Token>(),
            self.name()
        );
        let answer = self.run(|connection| connection.client.simple_query(&sql));
        let answer = answer.map_err(|failure| self.broken(failure))?;
        Ok(tokens(rows::first(&answer).unwrap_or_default()).first().copied())
    }

    fn write(&mut self, pages: &[(u64, &[u8])]) -> Result<(), StoreError> {
        let next = self.base.clone().unwrap_or_default().next(0, Token::default());
        let memory = self.address.memory.clone();
        let written = Written::new(&memory, &next, pages);
        let written = self.run(|Prepared { client, write, .. }| {
            client.allowing(time_for(pages.len())).execute(write, &written.parameters())
        });
        written.map(drop).map_err(|failure| self.uncommitted(failure))
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        let name = self.name();
        let sql = format!(
            "DELETE FROM limbic_pages WHERE memory = {name}; UPDATE limbic_memories SET recent = '' WHERE memory = {name}"
        );
        let pages = self.base.as_ref().map_or(0, |base| page_count(base.size_bytes));
        let limit = time_for(usize::try_from(pages).unwrap_or(usize::MAX));
        let cleared = self.run(|connection| connection.client.allowing(limit).batch_execute(&sql));
        cleared.map_err(|failure| self.uncommitted(failure))?;
        self.base = Some(Head::default());
        Ok(())
    }

    fn commit(&mut self, pages: &[(u64, &[u8])], size_bytes: u64) -> Result<Head, StoreError> {
        let Some(base) = self.base.clone() else {
            return Err(StoreError::Lost("the transaction has ended".to_owned()));
        };
        let mut token = Token::default();
        getrandom::fill(&mut token).map_err(|error| StoreError::Lost(error.to_string()))?;
        let next = base.next(size_bytes, token);
        let sql = self.commit_sql(&base, &next, token);
        let memory = self.address.memory.clone();
        let written = Written::new(&memory, &next, pages);
        // A database that becomes shorter loses pages.
        let removed = page_count(base.size_bytes).saturating_sub(page_count(size_bytes));
        let removed = usize::try_from(removed).unwrap_or(usize::MAX);
        let limit = time_for(pages.len().saturating_add(removed));
        let is_refused = Cell::new(false);
        let sent = self.run(|Prepared { client, write, .. }| {
            let client = client.allowing(limit);
            if pages.is_empty() {
                return Ok(client.batch_execute(&sql));
            }
            let sent = client.execute_and(write, &written.parameters(), &sql);
            let is_open = !client.is_closed();
            sent.inspect_err(|error| is_refused.set(is_open && error.ends_statement_only()))
        });
        let failure = match sent {
            Ok(Ok(())) => {
                self.base = None;
                self.address.troubles.end(Step::Commit);
                return Ok(next);
            }
            Ok(Err(error)) => self.while_writing(failure::classify(&error, &self.address)),
            // What PostgreSQL refuses is not committed; of what it did not answer, and where a pooler or TLS did, that
            // is unknown.
            Err(failure) if is_refused.get() => return Err(self.uncommitted(failure)),
            Err(failure) => failure,
        };
        note::<()>(&self.address, Step::Commit, Err(&failure));
        self.resolve(&next, token, failure).map(|()| next)
    }

    fn end(&mut self) {
        if self.base.is_some() {
            self.rollback();
        }
    }
}
