//! The tables, and the checks of a new connection.

use tokio_postgres::{Row, SimpleQueryMessage, error::SqlState};

use super::{
    connection::Connection,
    failure::{Failure, RIGHTS, RequestError, SCHEMA, classify},
    pooling,
};
use crate::{address::Address, store::PAGE_BYTES};

/// Time after which PostgreSQL ends an idle transaction, so that a stopped process keeps neither the lock of writers
/// nor the rows of its snapshot.
const MAX_SILENCE: &str = "5min";

/// Since PostgreSQL 17 a role can have a limit for whole transactions, which would end the connection in the middle of
/// a long read or import. Earlier versions do not know the setting.
const NO_TRANSACTION_TIMEOUT: &str =
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'";

/// The parameters of statements are contents of pages, and rights of tokens. A server may be set up to log those of
/// statements that fail. Only a superuser can limit the log of slow ones (`log_min_duration_statement`).
pub const LOGS_NO_CONTENT: &str = "SET log_parameter_max_length_on_error = 0";

/// Commits of the session are durable when they are confirmed, also if the default is changed while it lasts.
const DURABLE: &str = "SELECT set_config('synchronous_commit', \
    replace(current_setting('synchronous_commit'), 'off', 'on'), false)";

/// The format of the tables. A store of a later one is left as it is.
pub const FORMAT: u32 = 1;

/// The tables of format 1. `memory` is part of both keys, so that the tables can be distributed by it.
///
/// Rows of `limbic_pages` whose `page` is below zero are not pages: number -n has the tokens of commits up to version
/// 64 n, the last one first. A store of an earlier program may lack some.
///
/// A page is stored apart from its row and not compressed (`EXTERNAL`): most writes change a page as a whole. Every
/// commit leaves the old content of each page behind for VACUUM, so the tables are vacuumed after a hundredth of their
/// rows rather than a fifth, and without pauses.
const TABLES: &str = "
CREATE TABLE limbic_store (format integer NOT NULL);
CREATE TABLE limbic_memories (
    memory text PRIMARY KEY,
    version bigint NOT NULL,
    size_bytes bigint NOT NULL,
    truncated bigint NOT NULL,
    recent bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
        autovacuum_vacuum_cost_delay = 0);
ALTER TABLE limbic_memories ALTER recent SET STORAGE PLAIN;
CREATE TABLE limbic_pages (
    memory text NOT NULL,
    page bigint NOT NULL,
    version bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (memory, page)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0,
        toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 1500,
        toast.autovacuum_vacuum_cost_delay = 0);
ALTER TABLE limbic_pages ALTER content SET STORAGE EXTERNAL;
CREATE INDEX limbic_pages_by_version ON limbic_pages (memory, version);
";

const FORMAT_SQL: &str = "SELECT max(format) FROM limbic_store";
/// The format as a row among those that a transaction begins with.
pub const FORMAT_OF_HEAD: &str = "SELECT 'format', max(format) FROM limbic_store";

/// Held while the tables are created, so that two servers do not create them at once. A failure ends the connection,
/// and with it the lock.
const CREATION_LOCK: i64 = 0x6c69_6d62_6963;

/// What to do if a memory does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create it, and the tables.
    Create,
    /// Report that.
    Fail,
    /// Report that it has been removed: an empty one would be taken for it.
    Removed,
}

/// Sets up a connection, checks for a pooler that shares sessions, and checks the store and the memory. Returns the
/// number of the process that serves the connection.
pub fn prepare(
    client: &mut Connection,
    address: &Address,
    read_only: bool,
    if_missing: IfMissing,
) -> Result<String, Failure> {
    let failed = |error: RequestError| classify(&error, address);
    let answer = client
        .simple_query(&format!(
            "SET client_min_messages = warning; SET statement_timeout = 0; SET lock_timeout = 0; \
             SET idle_in_transaction_session_timeout = '{MAX_SILENCE}'; \
             SET default_transaction_isolation = 'read committed'; {LOGS_NO_CONTENT}; \
             SELECT to_regclass('limbic_store') IS NOT NULL, pg_backend_pid(); {DURABLE}; {NO_TRANSACTION_TIMEOUT}",
        ))
        .map_err(|error| unserved(error, address))?;
    let is_there = text(&answer, 0, 0) == Some("t");
    let process = text(&answer, 0, 1).unwrap_or_default().to_owned();
    pooling::require_session(client, &process, address)?;
    let none = match if_missing {
        IfMissing::Create => None,
        IfMissing::Fail => Some(missing(address)),
        IfMissing::Removed => Some(removed(address)),
    };
    if let Some(none) = none.clone().filter(|_| !is_there) {
        return Err(if is_hidden(client).map_err(failed)? { hidden(address) } else { none });
    }
    if !is_there {
        client.set_limit(address.answer_limit());
        create(client).map_err(failed)?;
        client.set_limit(address.login_limit());
    }
    // The name of a memory has no quotation marks: see `Address`.
    let memory = format!("'{}'", address.memory);
    let checks = format!(
        "{FORMAT_SQL}; SELECT {}, current_user; SELECT count(*) FROM limbic_memories WHERE memory = {memory}",
        has_rights_sql(read_only)
    );
    let answer = match client.simple_query(&checks) {
        Ok(answer) => answer,
        Err(error) => {
            require_format_after_failure(client, address)?;
            return Err(failed(error));
        }
    };
    require_format(text(&answer, 0, 0), address)?;
    if text(&answer, 1, 0) != Some("t") {
        return Err(forbidden(text(&answer, 1, 1).unwrap_or_default(), address, read_only));
    }
    if text(&answer, 2, 0) != Some("0") {
        return Ok(process);
    }
    if let Some(none) = none {
        return Err(none);
    }
    let add = format!(
        "INSERT INTO limbic_memories (memory, version, size_bytes, truncated, recent) VALUES ({memory}, 0, 0, 0, '') \
         ON CONFLICT DO NOTHING"
    );
    client.batch_execute(&add).map_err(failed)?;
    Ok(process)
}

/// Sets up a connection that is for tokens alone by the statements `settings`, and checks a pooler before it and the
/// format of the store, if there is one yet.
pub fn require_known(client: &mut Connection, address: &Address, settings: &str) -> Result<(), Failure> {
    let failed = |error: RequestError| classify(&error, address);
    let question = "SELECT to_regclass('limbic_store') IS NOT NULL, pg_backend_pid()";
    let answer = client.simple_query(&format!("{settings}; {question}; {DURABLE}"));
    let answer = answer.map_err(|error| unserved(error, address))?;
    pooling::require_session(client, text(&answer, 0, 1).unwrap_or_default(), address)?;
    if text(&answer, 0, 0) != Some("t") {
        return Ok(());
    }
    match client.simple_query(FORMAT_SQL) {
        Ok(answer) => require_format(text(&answer, 0, 0), address),
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_COLUMN) => require_format(None, address),
        Err(error) => Err(failed(error)),
    }
}

/// Whether the role has the rights to the tables that reading or writing needs.
fn has_rights_sql(read_only: bool) -> String {
    let needed: &[&str] = if read_only { &["SELECT"] } else { &["SELECT", "INSERT", "UPDATE", "DELETE"] };
    let rights = ["limbic_memories", "limbic_pages"].iter().flat_map(|table| {
        needed.iter().map(move |right| format!("has_table_privilege('{table}', '{right}')"))
    });
    rights.collect::<Vec<_>>().join(" AND ")
}

/// Whether a statement names a table or column that there is not.
pub fn is_other_schema(error: &RequestError) -> bool {
    error.code().is_some_and(|code| [SqlState::UNDEFINED_COLUMN, SqlState::UNDEFINED_TABLE].contains(code))
}

/// Refuses a store of another format where a statement has failed: tables of a newer one may have other names.
pub fn require_format_after_failure(client: &mut Connection, address: &Address) -> Result<(), Failure> {
    match client.simple_query(FORMAT_SQL) {
        Ok(answer) => require_format(text(&answer, 0, 0), address),
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_COLUMN) => require_format(None, address),
        Err(_) => Ok(()),
    }
}

/// Whether there are tables of a store that the role does not find, because it may not use their schema or its
/// search_path does not name it. All roles can read the catalogue.
pub fn is_hidden(client: &mut Connection) -> Result<bool, RequestError> {
    let sql = "SELECT 1 FROM pg_catalog.pg_class \
        WHERE relname IN ('limbic_store', 'limbic_tokens') AND to_regclass('limbic_store') IS NULL \
        AND to_regclass(relname::text) IS NULL LIMIT 1";
    Ok(!client.query(sql, &[])?.is_empty())
}

/// The rows of a query, or none where its table does not exist yet: a database in which nothing was stored has no
/// tables, and a store in which no token was created has no table of tokens.
///
/// # Errors
/// That of the query, also where there may be tables that the role does not find.
pub fn rows_or_no_table(
    client: &mut Connection,
    query: impl FnOnce(&mut Connection) -> Result<Vec<Row>, RequestError>,
) -> Result<Vec<Row>, RequestError> {
    match query(client) {
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) && !is_hidden(client)? => {
            Ok(Vec::new())
        }
        other => other,
    }
}

/// What a connection finds of a memory.
pub enum Found {
    /// The memory, and the rights that reading or writing needs.
    Memory,
    /// No memory, or no store.
    Nothing,
    /// Too few rights, as an error.
    Forbidden(Failure),
}

/// Looks for the memory of this address, and for the rights that reading or writing needs.
pub fn find_memory(
    client: &mut Connection,
    address: &Address,
    read_only: bool,
) -> Result<Found, RequestError> {
    let sql = format!(
        "SELECT {}, current_user::text, EXISTS (SELECT FROM limbic_memories WHERE memory = $1)",
        has_rights_sql(read_only)
    );
    let rows = rows_or_no_table(client, |client| client.query(&sql, &[&address.memory]))?;
    Ok(match rows.first() {
        Some(row) if !row.get::<_, bool>(0) => Found::Forbidden(forbidden(row.get(1), address, read_only)),
        Some(row) if row.get(2) => Found::Memory,
        _ => Found::Nothing,
    })
}

fn hidden(address: &Address) -> Failure {
    Failure::Refused(format!("the role does not find the tables at {address}. {SCHEMA}"))
}

/// The error of the first statement. A pooler lets clients log in before it has a connection for them.
fn unserved(error: RequestError, address: &Address) -> Failure {
    match error {
        RequestError::Silent(time) => classify(&RequestError::Unserved(time), address),
        error => classify(&error, address),
    }
}

/// The error where a memory does not exist.
pub fn missing(address: &Address) -> Failure {
    Failure::Refused(format!(
        "there is no memory at {address}: check its name; limbic serve and limbic call create one, unless they only read"
    ))
}

/// The error where a memory that this process has used does not exist any more.
pub fn removed(address: &Address) -> Failure {
    Failure::Refused(format!(
        "the memory at {address} is no longer in the store: it was removed (limbic pages drop), or the database is another \
         one or an earlier one. Restore it (limbic pages import, or a backup); or start the server again, which creates \
         an empty one"
    ))
}

fn create(client: &mut Connection) -> Result<(), RequestError> {
    // Before the transaction begins, so that it sees what another server has created meanwhile.
    client.batch_execute(&format!("SELECT pg_advisory_lock({CREATION_LOCK})"))?;
    if !client.query("SELECT 1 WHERE to_regclass('limbic_store') IS NULL", &[])?.is_empty() {
        // One transaction, of which a failure of any statement leaves nothing.
        client.batch_execute(&format!("{TABLES} INSERT INTO limbic_store VALUES ({FORMAT})"))?;
    }
    client.batch_execute(&format!("SELECT pg_advisory_unlock({CREATION_LOCK})"))
}

/// Refuses a store of another format than this program writes.
pub fn require_format(found: Option<&str>, address: &Address) -> Result<(), Failure> {
    match found.and_then(|text| text.parse::<u32>().ok()) {
        Some(FORMAT) => Ok(()),
        Some(found) if found > FORMAT => Err(Failure::Refused(format!(
            "the store at {address} is of format {found}, and this program knows formats up to {FORMAT}: install the \
             newest limbic; the store was left as it is"
        ))),
        _ => Err(Failure::Refused(format!(
            "the table limbic_store at {address} has an unknown format, so another program may have created it; \
             nothing was changed"
        ))),
    }
}

fn forbidden(user: &str, address: &Address, read_only: bool) -> Failure {
    let what = if read_only { "read" } else { "write" };
    Failure::Refused(format!("the role {user} may not {what} the memory at {address}. {RIGHTS}"))
}

/// A column of a row.
fn text(answer: &[SimpleQueryMessage], row: usize, column: usize) -> Option<&str> {
    let rows = answer.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.skip(row).map(|row| row.get(column)).next()?
}

// SQLite's pages have this size, and the tables hold one a row.
const _: () = assert!(PAGE_BYTES == 4096);
