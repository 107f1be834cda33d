//! A stored project as the input of name resolution.

use std::{cell::RefCell, sync::Arc};

use limbic_code::{Outline, ProjectView};
use rusqlite::{OptionalExtension, params};

use super::files;
use crate::{Error, Result, Transaction};

/// A stored project. After a failure of the database all lists are empty; [`StoredProject::end`] returns the failure.
pub(crate) struct StoredProject<'a> {
    tx: &'a Transaction<'a>,
    project: i64,
    failure: RefCell<Option<Error>>,
}

impl<'a> StoredProject<'a> {
    /// The project of a row number.
    #[must_use]
    pub(crate) fn new(tx: &'a Transaction<'a>, project: i64) -> Self {
        Self { tx, project, failure: RefCell::new(None) }
    }

    /// Ends the use of the project.
    ///
    /// # Errors
    /// The first failure of the database.
    pub(crate) fn end(self) -> Result<()> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }

    fn or_default<T: Default>(&self, result: Result<T>) -> T {
        result.unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    fn paths(&self, sql: &str, key: &str) -> Vec<String> {
        let list = || -> Result<Vec<String>> {
            let mut statement = self.tx.prepare_cached(sql)?;
            let rows = statement.query_map(params![self.project, key], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        self.or_default(list())
    }

    fn stored_outline(&self, path: &str) -> Result<Option<Outline>> {
        let file: Option<i64> = self
            .tx
            .prepare_cached("SELECT id FROM code_files WHERE project = ?1 AND path = ?2")?
            .query_row(params![self.project, path], |row| row.get(0))
            .optional()?;
        file.map_or(Ok(None), |file| files::outline(self.tx, file))
    }
}

impl ProjectView for StoredProject<'_> {
    fn outline(&self, path: &str) -> Option<Arc<Outline>> {
        self.or_default(self.stored_outline(path)).map(Arc::new)
    }

    fn paths_defining(&self, name: &str) -> Vec<String> {
        self.paths(
            "SELECT f.path FROM code_names AS n JOIN code_files AS f ON f.id = n.file
             WHERE n.project = ?1 AND n.name = ?2 ORDER BY f.path",
            name,
        )
    }

    // Without the plus sign, SQLite reads all files of the project in the order of their paths.
    fn paths_in(&self, folder: &str) -> Vec<String> {
        self.paths(
            "SELECT path FROM code_files WHERE project = ?1 AND folder = ?2 AND outline IS NOT NULL ORDER BY +path",
            folder,
        )
    }

    fn paths_named(&self, file_name: &str) -> Vec<String> {
        self.paths(
            "SELECT path FROM code_files WHERE project = ?1 AND name = ?2 AND outline IS NOT NULL ORDER BY +path",
            file_name,
        )
    }
}
