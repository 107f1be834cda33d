//! Full-text search of memories with FTS5's query syntax.

use rusqlite::params_from_iter;

use super::{Filter, MemoryNode, get};
use crate::{Error, Result, Transaction};

/// The searched columns: not the id, and not the domain, which the filter tests.
const TEXTS: &str = "{content content_summary path tags}";

/// Returns the memories that an FTS5 query finds, best first, with their scores. A text that is not a valid query is
/// searched word by word.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn with_words(
    tx: &Transaction<'_>,
    query: &str,
    filter: &Filter<'_>,
    limit: usize,
) -> Result<Vec<(MemoryNode, f64)>> {
    match matches(tx, query, filter, limit) {
        // The errors of FTS5 for an invalid query: a syntax error, an unknown column.
        Err(Error::Internal(_)) => matches(tx, &quoted(query), filter, limit),
        found => found,
    }
}

fn matches(
    tx: &Transaction<'_>,
    query: &str,
    filter: &Filter<'_>,
    limit: usize,
) -> Result<Vec<(MemoryNode, f64)>> {
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut conditions = filter.conditions(tx)?;
    conditions.and("memory_content_fts MATCH ?", format!("{TEXTS} : ({query})"));
    let limit = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.id, -bm25(memory_content_fts) FROM memory_content_fts
         JOIN MEMORY_NODES AS m ON m.id = memory_content_fts.id JOIN memory_numbers AS n ON n.id = m.id{}
         ORDER BY round(bm25(memory_content_fts), 6), n.number DESC LIMIT {limit}",
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, f64>(1)?))
    })?;
    let found: Vec<(String, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    found.into_iter().map(|(id, score)| Ok((get(tx, &id)?, score))).collect()
}

/// Quotes each word as a phrase.
fn quoted(query: &str) -> String {
    let words: Vec<String> = query
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\""))
        .collect();
    words.join(" ")
}
