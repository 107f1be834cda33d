//! The lexical signal: BM25 over the words of entities.

use rusqlite::params;

use super::words;
use crate::{Result, Unit};

/// The `limit` entities that BM25 ranks first for any of the question's telling words: best first, then by id. The
/// score is positive, more is better.
///
/// # Errors
/// Those of the database.
pub fn best(unit: &Unit<'_>, query: &str, limit: usize) -> Result<Vec<(i64, f64)>> {
    let words = words::of_query(query);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = unit.prepare_cached(
        "SELECT rowid, -bm25(entity_words) AS score FROM entity_words WHERE entity_words MATCH ?1
         ORDER BY rank LIMIT ?2",
    )?;
    let mut hits: Vec<(i64, f64)> = statement
        .query_map(params![words::any_of(&words), limit], |row| Ok((row.get(0)?, row.get(1)?)))?
        .map(|row| row.map(|(id, score)| (id, super::round(score, 6))))
        .collect::<rusqlite::Result<_>>()?;
    hits.sort_by(|a: &(i64, f64), b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(hits)
}
