//! Recognises a pooler that gives the sessions of PostgreSQL to one connection after the other, before two connections
//! meet in one of them.
//!
//! A pooler announces a number of its own as that of the process, since it has to know which connection a cancellation
//! means. Only then a second connection is made while the first one is idle: a session that belongs to the first one
//! cannot serve it.

use std::time::Duration;

use super::{
    connection::Connection,
    failure::{Failure, classify, pooled},
    rows,
};
use crate::address::Address;

/// Time for the second connection: a pool of sessions may have none left.
const LIMIT: Duration = Duration::from_secs(2);

/// The process, and when it began: processes of two servers may have the same number.
const SESSION: &str = "SELECT pid || ' ' || extract(epoch FROM backend_start) FROM pg_stat_activity \
    WHERE pid = pg_backend_pid()";

/// Fails if the sessions of the pooler that `client` leads to are shared. `client` is idle, and `process` has served
/// it.
///
/// # Errors
/// [`Failure::Refused`] for such a pooler; the failures of `client`. Where the second connection is not served, the
/// mode stays unknown: each transaction checks the process as well.
pub fn require_session(client: &mut Connection, process: &str, address: &Address) -> Result<(), Failure> {
    if client.announced_process().is_none_or(|announced| announced == process) {
        return Ok(());
    }
    let of_first = client.simple_query(SESSION).map_err(|error| classify(&error, address))?;
    let Ok(mut second) = Connection::open(address, LIMIT) else { return Ok(()) };
    let Ok(of_second) = second.simple_query(SESSION) else { return Ok(()) };
    let is_shared = rows::first(&of_first).is_some_and(|session| rows::first(&of_second) == Some(session));
    if is_shared { Err(pooled(address)) } else { Ok(()) }
}
