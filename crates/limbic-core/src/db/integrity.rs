//! Checking a database for damage.

use rusqlite::Connection;
use serde::Serialize;

use crate::{Error, Result};

/// Maximum number of findings of each check.
const MAX_FINDINGS: usize = 100;

/// The result of checking a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Integrity {
    /// Pages of the file.
    pub pages: u64,
    /// The damage, a sentence each; empty if there is none. At most 100 findings of each check.
    pub findings: Vec<String>,
}

/// Checks a database: SQLite's `integrity_check`, which reads every page and covers tables, indexes and the full-text
/// index, and `foreign_key_check`.
///
/// # Errors
/// Failures to read the file, but for damage that SQLite recognises: that is a finding.
pub(crate) fn check(connection: &Connection) -> Result<Integrity> {
    let pages = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let mut findings = Vec::new();
    for sql in [format!("PRAGMA integrity_check({MAX_FINDINGS})"), dangling_references()] {
        if let Err(error) = collect(connection, &sql, &mut findings) {
            match error {
                Error::Damaged(text) => findings.push(text),
                other => return Err(other),
            }
        }
    }
    Ok(Integrity { pages, findings })
}

/// SQL for the rows that refer to missing ones, a sentence each.
fn dangling_references() -> String {
    format!(
        "SELECT 'row ' || coalesce(rowid, '?') || ' of ' || \"table\" || ' refers to a missing row of ' || parent
         FROM pragma_foreign_key_check LIMIT {MAX_FINDINGS}"
    )
}

/// Appends the texts of a query; integrity_check's "ok" is none.
fn collect(connection: &Connection, sql: &str, findings: &mut Vec<String>) -> Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text: String = row.get(0)?;
        if text != "ok" {
            // SQLite may put several findings into one row, with a line for the database before them.
            findings
                .extend(text.lines().filter(|line| !line.starts_with("*** in database")).map(str::to_owned));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::duplicate;
    use super::*;

    #[test]
    fn lost_index_entries_and_dangling_references_are_findings() -> Result<()> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE shelves (id INTEGER PRIMARY KEY, name TEXT);
             CREATE INDEX by_name ON shelves (name);
             CREATE TABLE books (shelf INTEGER REFERENCES shelves (id));
             INSERT INTO shelves VALUES (1, 'maps'), (2, 'atlases');
             INSERT INTO books VALUES (1);",
        )?;
        assert!(check(&connection)?.findings.is_empty());
        connection.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO books VALUES (3)")?;
        let mut bytes = connection.serialize("main")?.to_vec();
        let names: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..].starts_with(b"maps")).collect();
        // One stands in the table, the other in the index.
        assert_eq!(names.len(), 2);
        bytes[names[1]..names[1] + 4].copy_from_slice(b"mops");
        let connection = duplicate::in_memory(&bytes)?;
        let findings = check(&connection)?.findings;
        assert!(findings.iter().any(|finding| finding.contains("by_name")), "{findings:?}");
        assert!(
            findings.contains(&"row 2 of books refers to a missing row of shelves".to_owned()),
            "{findings:?}"
        );
        Ok(())
    }
}
