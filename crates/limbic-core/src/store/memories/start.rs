//! Where to look for all memories that a filter lets in: SQLite keeps no statistics here and takes any index for as good
//! as another.

use rusqlite::params;

use super::Filter;
use crate::{Result, Unit};

/// So many memories are few: looking at each of them is quicker than asking about many.
const FEW: usize = 2_000;

/// A condition of a filter that an index answers, and that few memories meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A column holds a text.
    Column(&'static str),
    /// The tag at this place.
    Tag(usize),
}

/// Columns with an index.
const INDEXED: [&str; 6] = ["domain", "subject", "category", "user_id", "tier", "heat"];

/// The condition that the fewest memories meet, where these are few.
///
/// # Errors
/// Those of the database.
pub fn find(unit: &Unit<'_>, filter: &Filter<'_>) -> Result<Option<Start>> {
    let mut found: Option<(usize, Start)> = None;
    let mut consider = |count: usize, start: Start| {
        if count <= FEW && found.is_none_or(|(least, _)| count < least) {
            found = Some((count, start));
        }
    };
    for (column, text) in filter.texts() {
        if let Some(text) = text
            && INDEXED.contains(&column)
        {
            let sql = format!("SELECT 1 FROM MEMORY_NODES WHERE {column} = ?1 LIMIT ?2");
            consider(count(unit, &sql, text)?, Start::Column(column));
        }
    }
    for (place, tag) in filter.tags.iter().enumerate() {
        let sql = "SELECT 1 FROM MEMORY_TAGS WHERE tag = ?1 LIMIT ?2";
        consider(count(unit, sql, tag)?, Start::Tag(place));
    }
    Ok(found.map(|(_, start)| start))
}

/// How many rows a query has, counted no further than it takes to call them many.
fn count(unit: &Unit<'_>, sql: &str, text: &str) -> Result<usize> {
    Ok(unit
        .prepare_cached(&format!("SELECT count(*) FROM ({sql})"))?
        .query_row(params![text, FEW + 1], |row| row.get(0))?)
}
