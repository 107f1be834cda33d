//! VACUUM after all pages of a memory were written again: each left its former row behind.

use std::time::Duration;

use super::{
    connection::Connection,
    failure::{RequestError, classify},
    rows::first,
};
use crate::{address::Address, store::StoreError};

/// It reads the tables of all memories once. A program that is to end ends the wait earlier.
const MAX_TIME: Duration = Duration::from_secs(60 * 60);

/// Frees the rows that writes have left behind, for later ones; others read and write meanwhile. Returns `false` where
/// the role is not the owner of the tables, so that PostgreSQL leaves it to autovacuum.
///
/// # Errors
/// [`StoreError::Unreachable`], and [`StoreError::Refused`].
pub fn vacuum(address: &Address) -> Result<bool, StoreError> {
    let mut client = Connection::open(address, address.login_limit())?;
    let failed = |error: RequestError| StoreError::from(classify(&error, address));
    let asked = client.simple_query(
        "SET client_min_messages = error; SET statement_timeout = 0; SET lock_timeout = '10s'; \
         SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('limbic_pages')",
    );
    if first(&asked.map_err(failed)?) != Some("t") {
        return Ok(false);
    }
    client.set_limit(MAX_TIME);
    for table in ["limbic_pages", "limbic_memories"] {
        // In a message of its own: one with several statements is a transaction, in which it is refused.
        client.batch_execute(&format!("VACUUM {table}")).map_err(failed)?;
    }
    Ok(true)
}
