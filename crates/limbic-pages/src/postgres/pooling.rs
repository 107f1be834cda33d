//! Detects a pooler that shares PostgreSQL's sessions between connections, before two connections meet in one.
//!
//! A pooler announces a process number of its own, to route cancel requests. Only then a second connection is made
//! while the first one is idle: a session that belongs to the first one cannot serve it.

use std::time::Duration;

use super::{
    connection::Connection,
    failure::{Failure, pooled},
    rows,
};
use crate::address::Address;

/// Time for the second connection: a pool of sessions may have none left.
const LIMIT: Duration = Duration::from_secs(2);

/// The process, and when its server was started: processes of two servers may have the same number.
const SESSION: &str = "SELECT pg_backend_pid() || ' ' || extract(epoch FROM pg_postmaster_start_time())";

/// Fails if the sessions of the pooler that `client` leads to are shared. `client` is idle, and `process` has served
/// it.
///
/// # Errors
/// [`Failure::Refused`] for such a pooler. Where the server does not answer the question, or the second connection is
/// not served, the mode stays unknown: each transaction checks the process as well.
pub fn require_session(client: &mut Connection, process: &str, address: &Address) -> Result<(), Failure> {
    if client.announced_process().is_none_or(|announced| announced == process) {
        return Ok(());
    }
    let Some(first) = session(client) else { return Ok(()) };
    if first.split(' ').next() != Some(process) {
        return Err(pooled(address));
    }
    let second = Connection::open(address, LIMIT).ok().and_then(|mut second| session(&mut second));
    if second == Some(first) { Err(pooled(address)) } else { Ok(()) }
}

/// The session that serves a connection: the process and the start of its server.
fn session(client: &mut Connection) -> Option<String> {
    let answer = client.simple_query(SESSION).ok()?;
    rows::first(&answer).map(str::to_owned)
}
