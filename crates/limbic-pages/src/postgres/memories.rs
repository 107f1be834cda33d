//! The memories of a store.

use std::time::{Duration, SystemTime};

use super::{
    connection::Connection,
    failure::{as_u64, classify},
    schema,
};
use crate::{
    address::Address,
    store::{StoreError, page_count},
};

/// A memory of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMemory {
    /// Its name.
    pub name: String,
    /// Length of its database in bytes; 0 if nothing was ever written.
    pub size_bytes: u64,
    /// The number of pages of the database.
    pub pages: u64,
    /// The number of its commits.
    pub commits: u64,
    /// When it was created, since 1970, by the clock of the database server.
    pub created: Duration,
    /// When it was last written.
    pub written: Duration,
}

/// The memories of the store at an address, by name; none where nothing was stored in the database yet.
///
/// # Errors
/// [`StoreError::Unreachable`], [`StoreError::Refused`] for missing rights and a store of another format.
pub fn memories(address: &Address) -> Result<Vec<StoredMemory>, StoreError> {
    let address = address.clone().for_reading();
    let mut client = Connection::open(&address, address.login_limit())?;
    schema::require_known(&mut client, &address, "SET client_min_messages = warning")?;
    client.set_limit(address.answer_limit());
    let sql = "SELECT memory, size_bytes, version, created_at, changed_at FROM limbic_memories \
               ORDER BY memory COLLATE \"C\"";
    let rows = schema::rows_or_no_table(&mut client, |client| client.query(sql, &[]))
        .map_err(|error| classify(&error, &address))?;
    let since_1970 = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let memory = |row: &tokio_postgres::Row| {
        let size_bytes = as_u64(row.get(1));
        StoredMemory {
            name: row.get(0),
            size_bytes,
            pages: page_count(size_bytes),
            commits: as_u64(row.get(2)),
            created: since_1970(row.get(3)),
            written: since_1970(row.get(4)),
        }
    };
    Ok(rows.iter().map(memory).collect())
}
