//! A transaction with its timestamp.

use std::{
    cell::{Cell, OnceCell, RefCell},
    ops::Deref,
};

use rusqlite::Connection;

use crate::{
    Result,
    model::{origin::Origin, timestamps::stored_form},
};

/// An open transaction with its timestamp, which all rows that it stores have, and its origin, which the graph's
/// records that it stores have.
pub struct Transaction<'a> {
    transaction: &'a rusqlite::Transaction<'a>,
    now_millis: i64,
    /// The timestamp as text, once it was needed.
    now: OnceCell<String>,
    origin: RefCell<Option<Origin>>,
    /// The row number of the origin, once it was needed.
    origin_id: Cell<Option<i64>>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(transaction: &'a rusqlite::Transaction<'a>, now_millis: i64) -> Self {
        Self {
            transaction,
            now_millis,
            now: OnceCell::new(),
            origin: RefCell::default(),
            origin_id: Cell::default(),
        }
    }

    /// Sets the origin of the graph's records that it stores from now on; `None` if it is unknown.
    pub fn set_origin(&self, origin: Option<Origin>) {
        self.origin.replace(origin);
        self.origin_id.set(None);
    }

    /// Returns the row number of the origin, which `find` returns the first time; `None` if the origin is unknown.
    pub(crate) fn origin_id(&self, find: impl FnOnce(&Origin) -> Result<i64>) -> Result<Option<i64>> {
        if self.origin_id.get().is_none()
            && let Some(origin) = self.origin.borrow().as_ref()
        {
            self.origin_id.set(Some(find(origin)?));
        }
        Ok(self.origin_id.get())
    }

    /// The timestamp, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_millis(&self) -> i64 {
        self.now_millis
    }

    /// Returns the timestamp as text, with which validity and expiry are compared. It may be before stored times: see
    /// `store/memories/validity.rs`.
    #[must_use]
    pub fn now_text(&self) -> &str {
        self.now.get_or_init(|| stored_form(self.now_millis))
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
