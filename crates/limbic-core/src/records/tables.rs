//! A database to read records from: which of the tables and columns it has.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::Result;

/// The tables that records lie in.
const TABLES: [&str; 24] = [
    "entities",
    "observations",
    "relations",
    "reflections",
    "entity_access",
    "entity_access_log",
    "co_occurrences",
    "db_metadata",
    "DOMAINS",
    "PERSISTENCE",
    "MEMORY_NODES",
    "MEMORY_TAGS",
    "MEMORY_EDGES",
    "DOMAIN_REFS",
    "memory_entities",
    "memory_history",
    "memory_sessions",
    "memories",
    "memory_relations",
    "search_events",
    "search_results",
    "implicit_feedback",
    "audit_log",
    "origins",
];

/// A connection, the columns that are there, and whose memories are read.
pub struct Tables<'a> {
    connection: &'a Connection,
    user: Option<&'a str>,
    columns: BTreeMap<&'static str, Vec<String>>,
}

impl<'a> Tables<'a> {
    /// Looks at what a database has.
    pub fn new(connection: &'a Connection) -> Result<Self> {
        Self::of_user(connection, None)
    }

    /// Looks at what a database has. Only this user's memories are read, and what hangs on them.
    pub fn of_user(connection: &'a Connection, user: Option<&'a str>) -> Result<Self> {
        let mut columns = BTreeMap::new();
        for table in TABLES {
            // Our views bear the names of another program's tables.
            let mut statement = connection.prepare_cached(
                "SELECT name FROM pragma_table_info(?1) WHERE EXISTS (
                     SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?1)) ORDER BY cid",
            )?;
            let names = statement.query_map([table], |row| row.get(0))?;
            columns.insert(table, names.collect::<rusqlite::Result<_>>()?);
        }
        Ok(Self { connection, user, columns })
    }

    /// The connection itself.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        self.connection
    }

    /// The user whose memories are read; `None` reads those of all users.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.user
    }

    /// Whether the table is there, with all of these columns.
    #[must_use]
    pub fn has(&self, table: &str, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.has_column(table, column))
    }

    /// The tables that are there.
    pub(super) fn present(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().filter(|(_, columns)| !columns.is_empty()).map(|(table, _)| *table)
    }

    /// What is wrong with the tables, nothing when they are sound. A reader would not see it all: an index that lacks a
    /// row hides that row.
    pub fn damage(&self) -> Result<Option<String>> {
        for table in self.present() {
            let found: String = self.connection.query_row(
                &format!(
                    "SELECT integrity_check FROM pragma_integrity_check('{table}') ORDER BY rowid LIMIT 1"
                ),
                [],
                |row| row.get(0),
            )?;
            if found != "ok" {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// SQL for a column as text, NULL where this database lacks it.
    pub(super) fn text(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "TEXT")
    }

    /// SQL for a column as a whole number, NULL where this database lacks it.
    pub(super) fn integer(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "INTEGER")
    }

    /// SQL for a column as a number, NULL where this database lacks it.
    pub(super) fn real(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "REAL")
    }

    /// Columns may hold values of any type: other programs are not as strict as the reader.
    fn cast(&self, table: &str, alias: &str, column: &str, sql_type: &str) -> String {
        if self.has_column(table, column) {
            format!("CAST({alias}.{column} AS {sql_type})")
        } else {
            "NULL".to_owned()
        }
    }

    fn has_column(&self, table: &str, column: &str) -> bool {
        self.columns.get(table).is_some_and(|columns| columns.iter().any(|name| name == column))
    }
}
