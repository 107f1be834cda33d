//! A transaction with its timestamp.

use std::ops::Deref;

use rusqlite::Connection;

/// An open transaction and its timestamp, which all rows that it stores have.
pub struct Transaction<'a> {
    transaction: &'a rusqlite::Transaction<'a>,
    now_millis: i64,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(transaction: &'a rusqlite::Transaction<'a>, now_millis: i64) -> Self {
        Self { transaction, now_millis }
    }

    /// The timestamp, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_millis(&self) -> i64 {
        self.now_millis
    }

    /// The timestamp in whole seconds, as SQL's `datetime(?, 'unixepoch')` takes it.
    #[must_use]
    pub(crate) fn now_seconds(&self) -> i64 {
        self.now_millis.div_euclid(1000)
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.transaction
    }
}
