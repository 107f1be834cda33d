//! A transaction with its timestamp.

use std::{cell::OnceCell, ops::Deref};

use rusqlite::Connection;

use crate::Result;

/// An open transaction and its timestamp, which all rows that it stores have.
pub struct Transaction<'a> {
    transaction: &'a rusqlite::Transaction<'a>,
    now_millis: i64,
    /// The timestamp as text, once it was needed.
    now: OnceCell<String>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(transaction: &'a rusqlite::Transaction<'a>, now_millis: i64) -> Self {
        Self { transaction, now_millis, now: OnceCell::new() }
    }

    /// The timestamp, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_millis(&self) -> i64 {
        self.now_millis
    }

    /// Returns the timestamp as text, which `format` returns the first time.
    pub(crate) fn now_as_text(&self, format: impl FnOnce() -> Result<String>) -> Result<String> {
        if let Some(text) = self.now.get() {
            return Ok(text.clone());
        }
        let text = format()?;
        Ok(self.now.get_or_init(|| text).clone())
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
