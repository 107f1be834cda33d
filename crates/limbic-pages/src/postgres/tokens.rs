//! Named tokens of a memory's clients, in a table of their own, so that all servers of the memory know the same ones.
//!
//! Nothing is cached: a token that was revoked at one server is refused by the next request to any of them.

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant, SystemTime},
};

use tokio_postgres::Row;

use super::{
    connection::Connection,
    failure::{Failure, RequestError, classify},
    probe, rows,
    schema::{self, Found, LOGS_NO_CONTENT},
};
use crate::{
    address::Address,
    outage::Need,
    repeated::{MAX_REPEATS, PAUSE},
    store::StoreError,
};

/// `rights` is JSON, as in the files beside a database.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS limbic_tokens (
    memory text NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    rights text NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (memory, name)
);
CREATE UNIQUE INDEX IF NOT EXISTS limbic_tokens_by_digest ON limbic_tokens (memory, sha256)";

/// Held while the table is created, so that two commands do not create it at once.
const CREATION_LOCK: i64 = 0x6c69_6d62_746f;

/// A token as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Unique in the memory.
    pub name: String,
    /// JSON, with the digest of the token.
    pub rights: String,
    /// Time since 1970 of its last use.
    pub used: Option<Duration>,
}

/// The tokens of a memory, over a connection of their own.
pub struct TokenTable {
    address: Address,
    read_only: bool,
    client: Option<Connection>,
}

impl TokenTable {
    /// Tokens of the memory at this address; the connection is made by the first request. With `read_only`, a standby
    /// is accepted.
    #[must_use]
    pub fn new(address: &Address, read_only: bool) -> Self {
        let address = if read_only { address.clone().for_reading() } else { address.clone() };
        Self { address, read_only, client: None }
    }

    /// Adds a token; creates the table if it is missing. Returns `false` if the name is taken.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], and [`StoreError::Refused`] for missing rights.
    pub fn add(&mut self, name: &str, sha256: &str, rights: &str) -> Result<bool, StoreError> {
        let memory = self.address.memory.clone();
        let was_sent = Cell::new(false);
        self.run(|client| {
            if !client.query("SELECT 1 WHERE to_regclass('limbic_tokens') IS NULL", &[])?.is_empty() {
                // One transaction, which a failure of any statement ends.
                client.batch_execute(&format!("SELECT pg_advisory_xact_lock({CREATION_LOCK}); {TABLE}"))?;
            }
            let add = "INSERT INTO limbic_tokens (memory, name, sha256, rights) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (memory, name) DO NOTHING";
            let is_repeated = was_sent.replace(true);
            if client.execute(add, &[&memory, &name, &sha256, &rights])? == 1 {
                return Ok(true);
            }
            // The row may be that of the first attempt, whose answer was lost.
            let own = "SELECT 1 FROM limbic_tokens WHERE memory = $1 AND name = $2 AND sha256 = $3";
            Ok(is_repeated && !client.query(own, &[&memory, &name, &sha256])?.is_empty())
        })
    }

    /// Fails if there is no such memory in the store.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for that, and as [`TokenTable::add`].
    pub fn require_memory(&mut self) -> Result<(), StoreError> {
        let memory = self.address.memory.clone();
        let find = "SELECT 1 FROM limbic_memories WHERE memory = $1";
        let found =
            self.run(|client| schema::rows_or_no_table(client, |client| client.query(find, &[&memory])))?;
        if found.is_empty() { Err(schema::missing(&self.address).into()) } else { Ok(()) }
    }

    /// Checks whether the store answers, the role has the rights that calls need, and the memory exists: unless this
    /// process has not found it yet, and its next call creates it.
    ///
    /// # Errors
    /// As [`TokenTable::require_memory`].
    pub fn check(&mut self) -> Result<(), StoreError> {
        let (address, read_only) = (self.address.clone(), self.read_only);
        match self.run(|client| schema::find_memory(client, &address, read_only))? {
            Found::Memory => address.note_found(),
            Found::Forbidden(failure) => return Err(failure.into()),
            Found::Nothing if address.was_found() => return Err(schema::removed(&address).into()),
            Found::Nothing if read_only => return Err(schema::missing(&address).into()),
            Found::Nothing => {}
        }
        Ok(())
    }

    /// Every token, by name.
    ///
    /// # Errors
    /// As [`TokenTable::add`].
    pub fn list(&mut self) -> Result<Vec<TokenRow>, StoreError> {
        let memory = self.address.memory.clone();
        let sql =
            "SELECT name, rights, used_at FROM limbic_tokens WHERE memory = $1 ORDER BY name COLLATE \"C\"";
        let rows =
            self.run(|client| schema::rows_or_no_table(client, |client| client.query(sql, &[&memory])))?;
        Ok(rows.iter().map(row).collect())
    }

    /// The token with this digest.
    ///
    /// # Errors
    /// As [`TokenTable::add`].
    pub fn find(&mut self, sha256: &str) -> Result<Option<TokenRow>, StoreError> {
        let memory = self.address.memory.clone();
        let sql = "SELECT name, rights, used_at FROM limbic_tokens WHERE memory = $1 AND sha256 = $2";
        let rows = self.run(|client| {
            schema::rows_or_no_table(client, |client| client.query(sql, &[&memory, &sha256]))
        })?;
        Ok(rows.first().map(row))
    }

    /// Deletes a token. Returns whether there was one.
    ///
    /// # Errors
    /// As [`TokenTable::add`].
    pub fn remove(&mut self, name: &str) -> Result<bool, StoreError> {
        let memory = self.address.memory.clone();
        let find = "SELECT sha256 FROM limbic_tokens WHERE memory = $1 AND name = $2";
        let remove = "DELETE FROM limbic_tokens WHERE memory = $1 AND name = $2 AND sha256 = $3";
        let was_found = Cell::new(false);
        self.run(|client| {
            let rows = schema::rows_or_no_table(client, |client| client.query(find, &[&memory, &name]))?;
            // The first attempt, whose answer was lost, may have deleted it.
            let Some(row) = rows.first() else { return Ok(was_found.get()) };
            was_found.set(true);
            let sha256: String = row.get(0);
            client.execute(remove, &[&memory, &name, &sha256])?;
            Ok(true)
        })
    }

    /// Stores when a token was last used.
    ///
    /// # Errors
    /// As [`TokenTable::add`]; a server that may only read cannot.
    pub fn note_use(&mut self, name: &str, since_1970: Duration) -> Result<(), StoreError> {
        let memory = self.address.memory.clone();
        let at = SystemTime::UNIX_EPOCH + since_1970;
        // The request waits for it, so no standby does: an earlier time after a crash does no harm.
        let sql = "WITH quick AS (SELECT set_config('synchronous_commit', 'off', true)) \
                   UPDATE limbic_tokens SET used_at = $3 FROM quick WHERE memory = $1 AND name = $2 RETURNING name";
        self.run(|client| {
            schema::rows_or_no_table(client, |client| client.query(sql, &[&memory, &name, &at]))
        })
        .map(drop)
    }

    /// Runs statements, which may be repeated, on a new connection if this one breaks.
    fn run<T>(&mut self, work: impl Fn(&mut Connection) -> Result<T, RequestError>) -> Result<T, StoreError> {
        let was_connected = Cell::new(false);
        let work = |client: &mut Connection| {
            was_connected.set(true);
            work(client)
        };
        let mut done = self.attempt(work);
        if was_connected.get() && done.as_ref().is_err_and(|failure| self.gives_up(failure)) {
            done = self.attempt(work);
        }
        for _ in 0..MAX_REPEATS {
            if !matches!(done, Err(Failure::Conflict(_))) {
                break;
            }
            thread::sleep(PAUSE);
            done = self.attempt(work);
        }
        done.map_err(StoreError::from)
    }

    fn attempt<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, RequestError>,
    ) -> Result<T, Failure> {
        let kept = self.client.take().filter(|client| !client.is_closed());
        let mut client = match kept.and_then(|client| self.if_suited(client)) {
            Some(client) => client,
            None => self.connect()?,
        };
        let done = work(&mut client).map_err(|error| classify(&error, &self.address));
        if !done.as_ref().is_err_and(|failure| self.gives_up(failure)) {
            self.client = Some(client);
        }
        done
    }

    /// Whether a failure ends the connection, or shows that another server may write now. A single server that only
    /// reads still knows the tokens.
    fn gives_up(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Broken(_) => true,
            Failure::ReadOnly(_) => self.address.may_have_moved(),
            _ => false,
        }
    }

    /// The connection, if its server still writes: one that was replaced by another answers with the tokens of before.
    fn if_suited(&self, mut client: Connection) -> Option<Connection> {
        if !self.address.may_have_moved() {
            return Some(client);
        }
        let (question, accepted) = self.address.purpose.question()?;
        let answer = client.simple_query(question).ok()?;
        (rows::first(&answer) == Some(accepted)).then_some(client)
    }

    fn connect(&self) -> Result<Connection, Failure> {
        let begun = Instant::now();
        self.address.outage.deadline(begun, Need::Lookup).map_err(Failure::Broken)?;
        let connected = self.try_connect();
        match &connected {
            Ok(_) => self.address.outage.note_success(),
            Err(Failure::Broken(why)) => {
                self.address.outage.note_failure(Need::Lookup, begun, Instant::now(), why);
                probe::begin(&self.address);
            }
            Err(_) => {}
        }
        connected
    }

    fn try_connect(&self) -> Result<Connection, Failure> {
        let mut client = Connection::open(&self.address, self.address.login_limit())?;
        let settings = format!(
            "SET client_min_messages = warning; SET statement_timeout = '10s'; SET lock_timeout = '10s'; \
             SET default_transaction_isolation = 'read committed'; {LOGS_NO_CONTENT}"
        );
        schema::require_known(&mut client, &self.address, &settings)?;
        client.set_limit(self.address.answer_limit());
        Ok(client)
    }
}

fn row(row: &Row) -> TokenRow {
    let used: Option<SystemTime> = row.get(2);
    let used = used.and_then(|used| used.duration_since(SystemTime::UNIX_EPOCH).ok());
    TokenRow { name: row.get(0), rights: row.get(1), used }
}
