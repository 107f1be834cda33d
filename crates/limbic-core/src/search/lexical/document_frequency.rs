//! Document frequency of words, without counting all rows that match them.

use super::word_rows::WordRows;
use crate::{Result, Transaction, store::full_text::Index};

/// The number of newest rows from which the frequency of a common word is estimated.
const SAMPLE_ROWS: usize = 4_096;

/// A word that at least one in this many rows of the sample contains is not scored: its BM25 weight is zero, and FTS5
/// would scan all its rows.
const COMMON_WORD_DIVISOR: usize = 2;

/// A word with its document frequency.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// The word.
    pub text: String,
    /// Number of matching rows: exact below the counting limit, else estimated from the newest rows.
    pub rows: usize,
}

/// Returns words with their document frequency, rarest first, then in alphabetical order, without those that occur
/// everywhere, if there are others. Counts are exact up to a limit.
pub(crate) fn rarest_first(
    tx: &Transaction<'_>,
    index: &Index,
    words: Vec<String>,
    limit: usize,
    read: &mut WordRows,
) -> Result<Vec<Word>> {
    let newest = newest_row(tx, index, read)?;
    let (mut selective, mut everywhere) = (Vec::new(), Vec::new());
    for text in words {
        let rows = read.count(tx, index, &text, limit)?;
        if rows < limit {
            selective.push(Word { text, rows });
            continue;
        }
        let sampled = read.count_after(tx, index, std::slice::from_ref(&text), newest - SAMPLE_ROWS)?;
        let word = Word { text, rows: rows.max(sampled.saturating_mul(newest / SAMPLE_ROWS)) };
        if sampled < SAMPLE_ROWS / COMMON_WORD_DIVISOR { selective.push(word) } else { everywhere.push(word) }
    }
    let mut words = if selective.is_empty() { everywhere } else { selective };
    words.sort_by(|a, b| a.rows.cmp(&b.rows).then_with(|| a.text.cmp(&b.text)));
    Ok(words)
}

/// Removes words that occur everywhere in the whole table, if there are others. Few rows of a part of the table may
/// match them, but BM25 would scan all.
pub(crate) fn selective(
    tx: &Transaction<'_>,
    index: &Index,
    words: Vec<String>,
    read: &mut WordRows,
) -> Result<Vec<String>> {
    let whole = index.whole();
    let newest = newest_row(tx, &whole, read)?;
    let mut selective = Vec::with_capacity(words.len());
    for word in &words {
        if read.count_after(tx, &whole, std::slice::from_ref(word), newest - SAMPLE_ROWS)?
            < SAMPLE_ROWS / COMMON_WORD_DIVISOR
        {
            selective.push(word.clone());
        }
    }
    Ok(if selective.is_empty() { words } else { selective })
}

/// Estimates the number of rows that match any of the words from the newest rows.
pub(crate) fn sampled(
    tx: &Transaction<'_>,
    index: &Index,
    words: &[String],
    read: &mut WordRows,
) -> Result<usize> {
    let newest = newest_row(tx, index, read)?;
    Ok(read.count_after(tx, index, words, newest - SAMPLE_ROWS)?.saturating_mul(newest / SAMPLE_ROWS))
}

/// Returns the number of the newest row, at least the sample size.
fn newest_row(tx: &Transaction<'_>, index: &Index, read: &mut WordRows) -> Result<usize> {
    Ok(read.last_row(tx, index)?.max(SAMPLE_ROWS))
}
