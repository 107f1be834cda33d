//! Where to look for all memories that a filter lets in: SQLite keeps no statistics here and takes any index for as good
//! as another.

use rusqlite::params;

use crate::{Result, Transaction};

/// Above this many rows a full scan is faster than the index.
const MOST: usize = 10_000;

/// Where to start, and how many memories are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The condition that is asked for by its index.
    pub by: Indexed,
    /// How many memories meet it.
    pub count: usize,
}

/// A condition of a filter that an index answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    /// A column holds a text.
    Column(&'static str),
    /// The tag at this place.
    Tag(usize),
}

/// Columns with an index.
const INDEXED: [&str; 6] = ["domain", "subject", "category", "user_id", "tier", "heat"];

/// The condition that the fewest memories meet, where an index is of use: `texts` are the columns that must hold a text,
/// `tags` the tags that a memory must have.
///
/// # Errors
/// Those of the database.
pub fn find(tx: &Transaction<'_>, texts: &[(&'static str, &str)], tags: &[String]) -> Result<Option<Start>> {
    let mut found: Option<Start> = None;
    let mut consider = |by: Indexed, count: usize| {
        if count <= MOST && found.is_none_or(|least| count < least.count) {
            found = Some(Start { by, count });
        }
    };
    for (column, text) in texts.iter().copied() {
        if INDEXED.contains(&column) {
            let sql = format!("SELECT 1 FROM MEMORY_NODES WHERE {column} = ?1 LIMIT ?2");
            consider(Indexed::Column(column), count(tx, &sql, text)?);
        }
    }
    for (place, tag) in tags.iter().enumerate() {
        let sql = "SELECT 1 FROM MEMORY_TAGS WHERE tag = ?1 LIMIT ?2";
        consider(Indexed::Tag(place), count(tx, sql, tag)?);
    }
    Ok(found)
}

/// How many rows a query has, counted no further than it takes to call them too many.
fn count(tx: &Transaction<'_>, sql: &str, text: &str) -> Result<usize> {
    Ok(tx
        .prepare_cached(&format!("SELECT count(*) FROM ({sql})"))?
        .query_row(params![text, MOST + 1], |row| row.get(0))?)
}
