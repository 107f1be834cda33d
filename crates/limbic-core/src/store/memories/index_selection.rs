//! Selects the index with which to list all memories that a filter admits: without statistics, SQLite considers all
//! indexes equally good.

use rusqlite::params;

use crate::{Result, Transaction};

/// Above this many rows a full scan is faster than the index.
pub(super) const MAX_INDEX_ROWS: usize = 10_000;

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
    let mut consider = |by: Indexed, count: usize| {
        if count <= max && found.is_none_or(|least| count < least.count) {
            found = Some(Start { by, count });
        }
    };
    for (column, text) in texts.iter().copied() {
        if INDEXED.contains(&column) {
            let sql = format!("SELECT 1 FROM MEMORY_NODES WHERE {column} = ?1 LIMIT ?2");
            consider(Indexed::Column(column), count(tx, &sql, text, max)?);
        }
    }
    for (index, tag) in tags.iter().enumerate() {
        let sql = "SELECT 1 FROM MEMORY_TAGS WHERE tag = ?1 LIMIT ?2";
        consider(Indexed::Tag(index), count(tx, sql, tag, max)?);
    }
    Ok(found)
}

/// Counts the rows of a query, up to one more than the maximum.
fn count(tx: &Transaction<'_>, sql: &str, text: &str, max: usize) -> Result<usize> {
    Ok(tx
        .prepare_cached(&format!("SELECT count(*) FROM ({sql})"))?
        .query_row(params![text, max + 1], |row| row.get(0))?)
}
