//! The lexical signal: BM25 over the words of entities.

use rusqlite::params;

use super::words;
use crate::{Result, Unit};

/// FTS5 finds a match in a twentieth of the time that it takes to score it. When more than so many match any word,
/// only those are scored that match one of the rarest, and another one if enough do.
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
    let mut hits = match narrowed(unit, &words, limit)? {
        None => scored(unit, "", params![any, limit])?,
        // The plus sign keeps SQLite from starting the whole search anew for each of them.
        Some(only) => scored(
            unit,
            "AND +rowid IN (SELECT rowid FROM entity_words WHERE entity_words MATCH ?3)",
            params![any, limit, only],
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

/// What an entity must match to be scored; nothing when all may be.
fn narrowed(unit: &Unit<'_>, words: &[String], limit: usize) -> Result<Option<String>> {
    if matching(unit, &words::any_of(words))? <= SCORED.max(limit) {
        return Ok(None);
    }
    let mut by_count: Vec<(usize, &String)> = Vec::with_capacity(words.len());
    for word in words {
        by_count.push((matching(unit, &words::any_of(std::slice::from_ref(word)))?, word));
    }
    by_count.sort();
    let (mut rare, mut common, mut matched) = (Vec::new(), Vec::new(), 0);
    for (count, word) in by_count {
        if matched < MATCHED.max(limit) {
            rare.push(word.clone())
        } else {
            common.push(word.clone())
        }
        matched += count;
    }
    if common.is_empty() {
        return Ok(None);
    }
    let rare = words::any_of(&rare);
    let with_another = format!("({rare}) AND ({})", words::any_of(&common));
    let is_enough = matching(unit, &with_another)? >= MATCHED.max(limit);
    Ok(Some(if is_enough { with_another } else { rare }))
}

fn matching(unit: &Unit<'_>, expression: &str) -> Result<usize> {
    Ok(unit
        .prepare_cached("SELECT count(*) FROM entity_words WHERE entity_words MATCH ?1")?
        .query_row([expression], |row| row.get(0))?)
}
