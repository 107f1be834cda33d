//! Which rows with texts of entities this connection has changed, for copies of them in memory.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::Connection;

use crate::Result;

/// Maximum number of rows that are recorded; for more, reading all is faster.
const MAX_ROWS: usize = 4_096;

/// The changed rows of one connection since they were last taken. Clones share them.
///
/// A row stays recorded if its change is rolled back: the code that takes it must read it, and finds what is stored.
#[derive(Debug, Clone, Default)]
pub struct RowChanges(Arc<Mutex<Option<ChangedRows>>>);

/// Numbers of rows that were inserted, updated or deleted.
#[derive(Debug, Default)]
pub struct ChangedRows {
    /// Rows of the table `entities`.
    pub entities: BTreeSet<i64>,
    /// Rows of the table `observations`.
    pub observations: BTreeSet<i64>,
}

impl RowChanges {
    /// Returns the rows that were recorded, and records from now on. `None`: any row may have changed.
    #[must_use]
    pub fn take(&self) -> Option<ChangedRows> {
        self.lock().replace(ChangedRows::default())
    }

    /// Stops recording until the next [`RowChanges::take`], which returns `None`.
    pub fn clear(&self) {
        *self.lock() = None;
    }

    /// Records the changes of this connection. SQLite reports every changed row but those of a `DELETE` without `WHERE`
    /// and those that `REPLACE` deletes; no statement does either to these two tables.
    pub(super) fn watch(&self, connection: &mut Connection) -> Result<()> {
        let changes = self.clone();
        connection.update_hook(Some(move |_, database: &str, table: &str, row| {
            if database == "main" {
                changes.record(table, row);
            }
        }))?;
        Ok(())
    }

    fn record(&self, table: &str, row: i64) {
        let mut changes = self.lock();
        let Some(rows) = changes.as_mut() else { return };
        match table {
            "entities" => _ = rows.entities.insert(row),
            "observations" => _ = rows.observations.insert(row),
            _ => return,
        }
        if rows.entities.len() + rows.observations.len() > MAX_ROWS {
            *changes = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<ChangedRows>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
