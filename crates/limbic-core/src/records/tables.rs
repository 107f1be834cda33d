//! A database to read records from: its tables and columns.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::Result;

/// The tables that records lie in.
pub(super) const TABLES: [&str; 26] = [
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
    "memory_symbols",
    "memories",
    "memory_relations",
    "memory_graph",
    "search_events",
    "search_results",
    "implicit_feedback",
    "audit_log",
    "origins",
];

/// A connection, its existing columns, and the user whose memories are read.
pub struct Tables<'a> {
    connection: &'a Connection,
    user: Option<&'a str>,
    columns: BTreeMap<&'static str, Vec<String>>,
}

impl<'a> Tables<'a> {
    /// Reads the tables and columns of a database.
    pub fn new(connection: &'a Connection) -> Result<Self> {
        Self::of_user(connection, None)
    }

    /// Reads the tables and columns of a database. Only this user's memories are read, and the records that belong to
    /// them.
    pub fn of_user(connection: &'a Connection, user: Option<&'a str>) -> Result<Self> {
        let mut columns = BTreeMap::new();
        for table in TABLES {
            // Our views have the names of another program's tables.
            let mut statement = connection.prepare_cached(
                "SELECT name FROM pragma_table_info(?1) WHERE EXISTS (
                     SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?1)) ORDER BY cid",
            )?;
            let names = statement.query_map([table], |row| row.get(0))?;
            columns.insert(table, names.collect::<rusqlite::Result<_>>()?);
        }
        Ok(Self { connection, user, columns })
    }

    /// The connection.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        self.connection
    }

    /// The user whose memories are read; `None` reads those of all users.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.user
    }

    /// Whether the table exists with all of these columns.
    #[must_use]
    pub fn has(&self, table: &str, columns: &[&str]) -> bool {
        columns.iter().all(|column| self.has_column(table, column))
    }

    /// Returns the existing tables.
    pub(super) fn present(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().filter(|(_, columns)| !columns.is_empty()).map(|(table, _)| *table)
    }

    /// Returns the damage of the tables; empty if there is none. Reading would not detect all of it: a row that an
    /// index lacks stays hidden.
    pub(crate) fn damage(&self) -> Result<Option<String>> {
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

    /// Returns SQL for a column as text, NULL if it is missing.
    pub(super) fn text(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "TEXT")
    }

    /// Returns SQL for a column as an integer, NULL if it is missing.
    pub(super) fn integer(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "INTEGER")
    }

    /// Returns SQL for a column as a number, NULL if it is missing.
    pub(super) fn real(&self, table: &str, alias: &str, column: &str) -> String {
        self.cast(table, alias, column, "REAL")
    }

    /// Columns may hold values of any type, because other programs are less strict.
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
