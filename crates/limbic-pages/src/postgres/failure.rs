//! Converts errors of PostgreSQL into messages with the next step.

use std::{io, time::Duration};

use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};

use crate::{address::Address, purpose::Purpose, store::StoreError, tls, troubles::Step};

/// The privileges that a role needs.
pub const RIGHTS: &str = "The role needs CONNECT on the database, USAGE of the schema and SELECT, INSERT, UPDATE and \
    DELETE on limbic_store, limbic_memories, limbic_pages and, for named tokens, limbic_tokens; to create them it \
    needs CREATE on the schema, which the owner of the database has (createdb --owner ROLE)";

/// What to do if the tables, or their schema, are not found.
pub const SCHEMA: &str = "Check that the tables were not dropped, that the role has USAGE of their schema, and that its \
    search_path names it";

/// Why a request was not answered, or a connection not made.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// An error of PostgreSQL or of the client library.
    #[error("{0}")]
    Postgres(#[from] Error),
    /// The name of a server cannot be resolved.
    #[error("{0}")]
    Unresolved(String),
    /// The server closed the connection.
    #[error("the connection was closed")]
    Closed,
    /// Nothing came in this time.
    #[error("no answer within {} seconds", .0.as_secs())]
    Silent(Duration),
    /// Nothing came in this time after the login: a pooler lets clients log in before it has a connection for them.
    #[error("no answer within {} seconds after the login. If a pooler has no connection left, {CONNECTIONS}", .0.as_secs())]
    Unserved(Duration),
    /// The server does not meet `target_session_attrs`.
    #[error("it {}", .0.unmet())]
    Unsuited(Purpose),
    /// The program ends: see [`super::interrupt`].
    #[error("the program is stopping")]
    Interrupted,
}

impl RequestError {
    /// The code of an error of PostgreSQL.
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            RequestError::Postgres(error) => error.code(),
            _ => None,
        }
    }

    /// Whether PostgreSQL refused one statement, and the session goes on. Otherwise what was sent with it may have
    /// taken effect.
    pub fn ends_statement_only(&self) -> bool {
        let RequestError::Postgres(error) = self else { return false };
        error.as_db_error().is_some_and(|error| error.parsed_severity() == Some(Severity::Error))
    }
}

/// Why the servers of an address cannot be used: each as it is shown, with its error.
pub type Refusals = Vec<(String, RequestError)>;

/// What to do where no server writes.
const READING_ONLY: &str = "It is a standby or open for reading only: name a server that writes; limbic serve and limbic \
    call read it with --read-only and without target_session_attrs";

/// A failure of a statement or a connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The connection broke or cannot be made; it may work later.
    #[error("{0}")]
    Broken(String),
    /// The lock is another's.
    #[error("another transaction holds the lock")]
    NotAvailable,
    /// Another transaction was in the way of this one: it has committed since the snapshot, or a standby has ended this
    /// one to apply what its primary has removed.
    #[error("{0}")]
    Conflict(String),
    /// The server's disk is full.
    #[error("the disk of the database server is full")]
    Full,
    /// The server only reads, and another one may write.
    #[error("{0}")]
    ReadOnly(String),
    /// It will not work without a change.
    #[error("{0}")]
    Refused(String),
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Broken(text) => StoreError::Unreachable(text),
            Failure::Full => StoreError::Full,
            Failure::Conflict(text) => StoreError::Cancelled(text),
            Failure::NotAvailable | Failure::ReadOnly(_) | Failure::Refused(_) => {
                StoreError::Refused(failure.to_string())
            }
        }
    }
}

/// Records whether a step was refused. Other failures say nothing about it, except that a lock of another transaction
/// could be asked for.
pub fn note<T>(address: &Address, step: Step, result: Result<&T, &Failure>) {
    match result {
        Ok(_) | Err(Failure::NotAvailable) => address.troubles.end(step),
        Err(failure @ (Failure::Refused(_) | Failure::ReadOnly(_) | Failure::Full)) => {
            address.troubles.begin(step, failure.to_string());
        }
        Err(Failure::Broken(_) | Failure::Conflict(_)) => {}
    }
}

/// What to do where a transaction was in the way of another one. Only a standby ends those that read.
const CONFLICT: &str = "Try again; if a standby often reports this, set hot_standby_feedback = on there, or a longer \
    max_standby_streaming_delay";

/// Classes of errors after which a connection may work again: it broke, the server stops or starts, or it has too many.
const PASSING: [&str; 3] = ["08", "57P", "53300"];

/// How the client library describes what fails again: TLS that the server has not or that is not trusted, a password
/// that is missing.
const LASTING: [&str; 3] =
    ["error performing TLS handshake", "authentication error", "invalid configuration"];

/// Converts an error. The message names the server, without the password of its address.
pub fn classify(error: &RequestError, address: &Address) -> Failure {
    described(error, &format!("the database server of {address}"), address)
}

/// Converts the errors of all servers of an address: each with its own cause, where there are several. They are refused
/// for good if each of them is: one that is passing may be over for the next attempt.
pub fn classify_all(refusals: &Refusals, address: &Address) -> Failure {
    if let [place] = address.places.as_slice() {
        // One name may have several IP addresses: an answer of one server says more than the silence of another.
        let failures =
            || refusals.iter().filter(|(of, _)| of == place).map(|(_, error)| classify(error, address));
        let answered = failures().find(|failure| matches!(failure, Failure::Refused(_)));
        return answered
            .or_else(|| failures().next_back())
            .unwrap_or_else(|| Failure::Broken(format!("the database server of {address} has no address")));
    }
    let is_unsuited = |(_, error): &(String, RequestError)| matches!(error, RequestError::Unsuited(_));
    if address.purpose == Purpose::ReadWrite && refusals.iter().all(is_unsuited) {
        return Failure::Broken(format!("no database server of {address} allows writes. {READING_ONLY}"));
    }
    let failures: Vec<(&String, Failure)> =
        refusals.iter().map(|(place, error)| (place, described(error, place, address))).collect();
    let mut causes: Vec<String> = failures.iter().map(|(_, failure)| failure.to_string()).collect();
    causes.dedup();
    let said = format!("no database server of {address} can be used: {}", causes.join("; "));
    let is_refused = |place: &String| {
        failures.iter().any(|(of, failure)| *of == place && matches!(failure, Failure::Refused(_)))
    };
    if address.places.iter().all(is_refused) { Failure::Refused(said) } else { Failure::Broken(said) }
}

/// Converts an error of a server that is called `server`.
fn described(error: &RequestError, server: &str, address: &Address) -> Failure {
    let error = match error {
        RequestError::Postgres(error) => error,
        // A standby may be about to be promoted.
        RequestError::Unsuited(Purpose::ReadWrite) if address.places.len() == 1 => {
            return Failure::Broken(format!("no database server of {address} allows writes. {READING_ONLY}"));
        }
        RequestError::Unsuited(purpose) => return Failure::Broken(format!("{server} {}", purpose.unmet())),
        other => return Failure::Broken(format!("{server} does not answer ({other})")),
    };
    let Some(database) = error.as_db_error() else {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let said = format!("({error}{cause})");
        let is_lasting = LASTING.contains(&error.to_string().as_str()) && !is_interrupted(error);
        if is_lasting || is_alert(error) {
            let next = if cause.ends_with("password missing") {
                format!(": {}", address.logins.advice())
            } else if cause.ends_with("server does not support TLS") {
                format!(": {NO_TLS}")
            } else {
                let advice = tls_error(error).and_then(tls::advice);
                advice.map(|advice| format!(": {advice}")).unwrap_or_default()
            };
            return Failure::Refused(format!("there is no connection to {server} {said}{next}"));
        }
        return Failure::Broken(format!("{server} does not answer {said}"));
    };
    let code = database.code();
    let said = format!("{server} reported: {}", database.message());
    if has_no_room(database) {
        return Failure::Broken(format!("{said}: {CONNECTIONS}"));
    }
    if is_unsupported_parameter(database) {
        return Failure::Refused(format!("{said}. {IGNORE_PARAMETERS}"));
    }
    if PASSING.iter().any(|passing| code.code().starts_with(passing)) && !is_statement_pooling(database) {
        return Failure::Broken(said);
    }
    match *code {
        SqlState::LOCK_NOT_AVAILABLE => Failure::NotAvailable,
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
            Failure::Conflict(format!("{said}. {CONFLICT}"))
        }
        SqlState::DISK_FULL => Failure::Full,
        SqlState::INSUFFICIENT_PRIVILEGE => Failure::Refused(format!("{said}. {RIGHTS}")),
        SqlState::READ_ONLY_SQL_TRANSACTION => Failure::ReadOnly(format!("{said}. {READING_ONLY}")),
        SqlState::INVALID_CATALOG_NAME => {
            Failure::Refused(format!("{said}. Create it with createdb --owner ROLE, or correct the address"))
        }
        SqlState::INVALID_PASSWORD => Failure::Refused(format!("{said}: {}", address.logins.source())),
        SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => {
            Failure::Refused(format!("{said} ({}). {SCHEMA}", code.code()))
        }
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Failure::Broken(said),
        ref ended if ended.code() == TRANSACTION_TIMEOUT => Failure::Broken(said),
        SqlState::INVALID_SQL_STATEMENT_NAME
        | SqlState::DUPLICATE_PSTATEMENT
        | SqlState::PROTOCOL_VIOLATION => pooled(address),
        _ => Failure::Refused(format!("{said} ({})", code.code())),
    }
}

/// What is said where a connection does not stay with one process of PostgreSQL.
pub fn pooled(address: &Address) -> Failure {
    Failure::Refused(format!(
        "the address {address} leads to a pooler that changes PostgreSQL's sessions under a connection (PgBouncer's \
         pool_mode=transaction or statement): use a pool with pool_mode=session, or the address of PostgreSQL itself"
    ))
}

/// What to do about a server without TLS.
const NO_TLS: &str = "have it offer TLS (ssl = on, with a certificate), or write sslmode=disable where nobody else can \
    read the network";

/// What to do where the server or a pooler has no connection left.
const CONNECTIONS: &str = "each limbic serve needs one, another for named tokens, and one more behind a pooler while it \
    connects: raise max_connections of PostgreSQL or the CONNECTION LIMIT of the role or the database, and \
    default_pool_size of the pooler";

/// Whether the server or a pooler (PgBouncer) has no connection left.
fn has_no_room(error: &DbError) -> bool {
    let (code, message) = (error.code(), error.message());
    *code == SqlState::TOO_MANY_CONNECTIONS
        || (code.code().starts_with("08")
            && ["query_wait_timeout", "no more connections allowed"]
                .iter()
                .any(|part| message.contains(part)))
}

/// The limit for transactions since PostgreSQL 17 (`transaction_timeout`), which ends the connection.
const TRANSACTION_TIMEOUT: &str = "25P04";

/// What to do where a pooler refuses a setting of the address.
const IGNORE_PARAMETERS: &str = "Leave it out of the address (options, PGOPTIONS), or name it in ignore_startup_parameters of \
    the pooler";

/// Whether a pooler (PgBouncer) refused a setting with which a connection begins.
fn is_unsupported_parameter(error: &DbError) -> bool {
    *error.code() == SqlState::PROTOCOL_VIOLATION && error.message().contains("startup parameter")
}

/// What is said where another session locks the tables while pages are written.
pub fn table_locked(address: &Address) -> Failure {
    Failure::Refused(format!(
        "another session locks the tables of {address}, as REINDEX and VACUUM FULL do: try again when it has ended"
    ))
}

/// Whether a pooler refused a transaction.
fn is_statement_pooling(error: &DbError) -> bool {
    *error.code() == SqlState::PROTOCOL_VIOLATION && error.message().contains("statement pooling")
}

/// Whether the cause is the connection itself, such as that of a server that stops. Certificates that are not trusted
/// are invalid data.
fn is_interrupted(error: &Error) -> bool {
    cause(error).is_some_and(|cause| cause.kind() != io::ErrorKind::InvalidData)
}

/// Whether the server ended TLS, such as for the client's certificate. With TLS 1.3 that comes after the handshake.
fn is_alert(error: &Error) -> bool {
    matches!(tls_error(error), Some(rustls::Error::AlertReceived(_)))
}

/// The error of TLS that caused this one.
fn tls_error(error: &Error) -> Option<&rustls::Error> {
    cause(error).and_then(io::Error::get_ref).and_then(|inner| inner.downcast_ref())
}

fn cause(error: &Error) -> Option<&io::Error> {
    std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>())
}

/// Numbers of pages as PostgreSQL has them.
pub fn as_i64(pages: &[u64]) -> Vec<i64> {
    pages.iter().map(|page| i64::try_from(*page).unwrap_or(i64::MAX)).collect()
}

/// A number of PostgreSQL, which is never below zero here.
pub fn as_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error that a further attempt repeats.
    fn lasting() -> RequestError {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("the machine has threads");
        let connected = runtime.block_on(tokio_postgres::Config::new().connect(tokio_postgres::NoTls));
        RequestError::Postgres(connected.err().expect("a configuration without a host is refused"))
    }

    #[test]
    fn a_host_that_refuses_for_good_does_not_end_the_waiting_for_another_one() {
        let address = Address::parse("postgres://ada@a:1,b:2/team", &|_| None).expect("the URL is valid");
        let silent = || RequestError::Silent(Duration::from_secs(1));
        let (a, b) = (|error| ("a:1".to_owned(), error), |error| ("b:2".to_owned(), error));
        for (refusals, is_refused) in [
            (vec![a(lasting()), b(silent())], false),
            (vec![a(silent()), b(lasting())], false),
            (vec![a(RequestError::Unsuited(Purpose::ReadWrite)), b(lasting())], false),
            (vec![a(lasting()), b(lasting())], true),
            // A name with two IP addresses, of which one has the server.
            (vec![a(silent()), a(lasting()), b(lasting())], true),
        ] {
            let failure = classify_all(&refusals, &address);
            assert_eq!(matches!(failure, Failure::Refused(_)), is_refused, "{refusals:?}: {failure:?}");
            assert!(is_refused || matches!(failure, Failure::Broken(_)), "{failure:?}");
            let said = failure.to_string();
            for place in &address.places {
                assert!(said.contains(place) && said.contains("invalid configuration"), "{said}");
            }
        }
    }
}
