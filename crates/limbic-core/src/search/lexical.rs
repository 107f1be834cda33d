//! The lexical signal: BM25 over the words of entities.

use rusqlite::params;

use super::words;
use crate::{Result, Unit};

/// FTS5 finds a match in a twentieth of the time that it takes to score it. When so many match any word, only those
/// that match one of the rarest are scored.
const SCORED: usize = 4_000;

/// Rare words are taken until at least so many entities match one of them.
const MATCHED: usize = 1_000;

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
    let any = words::any_of(&words);
    let mut hits = match rarest(unit, &words, limit)? {
        None => scored(unit, "", params![any, limit])?,
        // The plus sign keeps SQLite from starting the whole search anew for each of them.
        Some(rarest) => scored(
            unit,
            "AND +rowid IN (SELECT rowid FROM entity_words WHERE entity_words MATCH ?3)",
            params![any, limit, words::any_of(&rarest)],
        )?,
    };
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(hits)
}

fn scored(unit: &Unit<'_>, only: &str, parameters: impl rusqlite::Params) -> Result<Vec<(i64, f64)>> {
    let mut statement = unit.prepare_cached(&format!(
        "SELECT rowid, -bm25(entity_words) AS score FROM entity_words WHERE entity_words MATCH ?1 {only}
         ORDER BY score DESC, rowid LIMIT ?2"
    ))?;
    let hits = statement
        .query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?
        .map(|row| row.map(|(id, score)| (id, super::round(score, 6))))
        .collect::<rusqlite::Result<_>>()?;
    Ok(hits)
}

/// The words that an entity must have one of to be scored; nothing when all may be.
fn rarest(unit: &Unit<'_>, words: &[String], limit: usize) -> Result<Option<Vec<String>>> {
    if matching(unit, words)? <= SCORED.max(limit) {
        return Ok(None);
    }
    let mut by_count: Vec<(usize, &String)> = Vec::with_capacity(words.len());
    for word in words {
        by_count.push((matching(unit, std::slice::from_ref(word))?, word));
    }
    by_count.sort();
    let mut rarest = Vec::new();
    let mut matched = 0;
    for (count, word) in by_count {
        if matched >= MATCHED.max(limit) {
            break;
        }
        matched += count;
        rarest.push(word.clone());
    }
    Ok((rarest.len() < words.len()).then_some(rarest))
}

fn matching(unit: &Unit<'_>, words: &[String]) -> Result<usize> {
    Ok(unit
        .prepare_cached("SELECT count(*) FROM entity_words WHERE entity_words MATCH ?1")?
        .query_row([words::any_of(words)], |row| row.get(0))?)
}
