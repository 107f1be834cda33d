//! How rare words are, found without going through all rows that match them.

use rusqlite::params;

use super::{Index, count};
use crate::{Result, Unit, search::words};

/// How often a common word is, so many of the newest rows say.
const SAMPLE: usize = 4_096;

/// A word that one in so many of these match tells nothing: its weight in BM25 is zero, for which that would go through
/// all its rows.
const EVERYWHERE: usize = 2;

/// A word, and how many rows match it.
#[derive(Debug, Clone)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Exactly, when less than what was counted up to; else as far as the newest rows tell.
    pub rows: usize,
}

/// The rarest first, then in alphabetical order; without those that are everywhere, if there are others. Counts are
/// exact up to a limit.
pub fn rarest_first(unit: &Unit<'_>, index: &Index, words: Vec<String>, limit: usize) -> Result<Vec<Word>> {
    let newest = newest_row(unit, index)?;
    let (mut telling, mut everywhere) = (Vec::new(), Vec::new());
    for text in words {
        let expression = words::any_of(std::slice::from_ref(&text));
        let rows = count(unit, index, &expression, limit)?;
        if rows < limit {
            telling.push(Word { text, rows });
            continue;
        }
        let sampled = count_after(unit, index, &expression, newest - SAMPLE)?;
        let word = Word { text, rows: rows.max(sampled.saturating_mul(newest / SAMPLE)) };
        if sampled < SAMPLE / EVERYWHERE { telling.push(word) } else { everywhere.push(word) }
    }
    let mut words = if telling.is_empty() { everywhere } else { telling };
    words.sort_by(|a, b| a.rows.cmp(&b.rows).then_with(|| a.text.cmp(&b.text)));
    Ok(words)
}

/// Without the words that are everywhere in the whole table, if there are others. Few rows may match them within a part
/// of it, but BM25 would go through all.
pub fn telling(unit: &Unit<'_>, index: &Index, words: Vec<String>) -> Result<Vec<String>> {
    let whole = Index { within: String::new(), ..index.clone() };
    let newest = newest_row(unit, &whole)?;
    let mut telling = Vec::with_capacity(words.len());
    for word in &words {
        let expression = words::any_of(std::slice::from_ref(word));
        if count_after(unit, &whole, &expression, newest - SAMPLE)? < SAMPLE / EVERYWHERE {
            telling.push(word.clone());
        }
    }
    Ok(if telling.is_empty() { words } else { telling })
}

/// How many rows match an expression, as far as the newest rows tell.
pub fn sampled(unit: &Unit<'_>, index: &Index, expression: &str) -> Result<usize> {
    let newest = newest_row(unit, index)?;
    Ok(count_after(unit, index, expression, newest - SAMPLE)?.saturating_mul(newest / SAMPLE))
}

/// The number of the newest row, and at least that of a whole sample.
fn newest_row(unit: &Unit<'_>, index: &Index) -> Result<usize> {
    Ok(last_row(unit, index)?.max(SAMPLE))
}

/// The number of the newest row; 0 where there are none.
pub fn last_row(unit: &Unit<'_>, index: &Index) -> Result<usize> {
    let table = index.table;
    Ok(unit
        .prepare_cached(&format!("SELECT coalesce(max(id), 0) FROM {table}_docsize"))?
        .query_row([], |row| row.get(0))?)
}

/// How many rows after this one match an expression.
fn count_after(unit: &Unit<'_>, index: &Index, expression: &str, row: usize) -> Result<usize> {
    let table = index.table;
    Ok(unit
        .prepare_cached(&format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1 AND rowid > ?2"))?
        .query_row(params![index.expression(expression), row], |row| row.get(0))?)
}
