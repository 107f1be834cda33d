//! Selects the index with which to list all memories that a filter admits: without statistics, SQLite considers all
//! indexes equally good.

use rusqlite::{OptionalExtension, params};

use crate::{Result, Transaction};

/// Above this many rows a full scan is faster than the index.
pub(super) const MAX_INDEX_ROWS: usize = 10_000;

/// Up to this many rows of a text are counted in any case.
const MAX_COUNTED: usize = 64;

/// The selected index and its number of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// The condition whose index is used.
    pub by: Indexed,
    /// Number of memories that meet it.
    pub count: usize,
}

/// A condition of a filter with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indexed {
    /// A column equals a text.
    Column(&'static str),
    /// The tag at this index.
    Tag(usize),
}

/// Columns with an index.
const INDEXED: [&str; 6] = ["domain", "subject", "category", "user_id", "tier", "heat"];

/// Returns the most selective condition, if at most `max` memories meet it: `texts` are the columns with required
/// values, `tags` the required tags.
pub(crate) fn find(
    tx: &Transaction<'_>,
    texts: &[(&'static str, &str)],
    tags: &[String],
    max: usize,
) -> Result<Option<Start>> {
    let mut found: Option<Start> = None;
    let mut consider = |by: Indexed, count: Option<usize>| {
        if let Some(count) = count
            && found.is_none_or(|least| count < least.count)
        {
            found = Some(Start { by, count });
        }
    };
    for (column, text) in texts.iter().copied() {
        if INDEXED.contains(&column) {
            consider(Indexed::Column(column), count(tx, "MEMORY_NODES", column, text, max)?);
        }
    }
    for (index, tag) in tags.iter().enumerate() {
        consider(Indexed::Tag(index), count(tx, "MEMORY_TAGS", "tag", tag, max)?);
    }
    Ok(found)
}

/// Counts the rows of a table whose column has this text; `None` if there are more than the maximum.
fn count(tx: &Transaction<'_>, table: &str, column: &str, text: &str, max: usize) -> Result<Option<usize>> {
    // Most texts have few rows.
    let few = max.min(MAX_COUNTED);
    let counted: usize = tx
        .prepare_cached(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {column} = ?1 LIMIT ?2)"
        ))?
        .query_row(params![text, few + 1], |row| row.get(0))?;
    if counted <= few {
        return Ok(Some(counted));
    }
    // The index has the rows in the order of their texts: if the row after the maximum has the same text, there are
    // more, and no row before it needs a comparison.
    let is_more: Option<bool> = tx
        .prepare_cached(&format!(
            "SELECT {column} = ?1 FROM {table} WHERE {column} >= ?1 ORDER BY {column} LIMIT 1 OFFSET ?2"
        ))?
        .query_row(params![text, max], |row| row.get(0))
        .optional()?;
    if is_more == Some(true) {
        return Ok(None);
    }
    let mut statement = tx.prepare_cached(&format!("SELECT count(*) FROM {table} WHERE {column} = ?1"))?;
    Ok(Some(statement.query_row([text], |row| row.get(0))?))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn rows_are_counted_up_to_the_maximum_whatever_texts_follow() -> Result<()> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE MEMORY_TAGS (tag TEXT); CREATE INDEX by_tag ON MEMORY_TAGS(tag);
             INSERT INTO MEMORY_TAGS VALUES ('a'), ('b'), ('b'), ('b'), ('c'), ('c'), (NULL);",
        )?;
        let transaction = connection.transaction()?;
        let tx = Transaction::new(&transaction, 0);
        for (tag, rows) in [("a", 1), ("b", 3), ("c", 2), ("d", 0), ("", 0)] {
            for max in [0, 1, 2, 3, 4, 7, 100] {
                let expected = Some(rows).filter(|rows| *rows <= max);
                assert_eq!(count(&tx, "MEMORY_TAGS", "tag", tag, max)?, expected, "{tag}, at most {max}");
            }
        }
        Ok(())
    }

    #[test]
    fn more_rows_than_are_counted_at_once_are_counted_up_to_the_maximum() -> Result<()> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE TABLE MEMORY_TAGS (tag TEXT); CREATE INDEX by_tag ON MEMORY_TAGS(tag);
             INSERT INTO MEMORY_TAGS VALUES ('a'), ('c');
             WITH RECURSIVE row(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row WHERE number < 70)
             INSERT INTO MEMORY_TAGS SELECT 'b' FROM row;",
        )?;
        let transaction = connection.transaction()?;
        let tx = Transaction::new(&transaction, 0);
        for (max, expected) in [(69, None), (70, Some(70)), (100, Some(70))] {
            assert_eq!(count(&tx, "MEMORY_TAGS", "tag", "b", max)?, expected, "at most {max}");
        }
        Ok(())
    }
}
