//! How rare words are, found without going through all rows that match them.

use crate::{Result, Transaction, model::tokenizer, store::full_text::Index};

/// The number of newest rows from which the frequency of a common word is estimated.
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
pub(crate) fn rarest_first(
    tx: &Transaction<'_>,
    index: &Index,
    words: Vec<String>,
    limit: usize,
) -> Result<Vec<Word>> {
    let newest = newest_row(tx, index)?;
    let (mut selective, mut everywhere) = (Vec::new(), Vec::new());
    for text in words {
        let expression = tokenizer::any_of(std::slice::from_ref(&text));
        let rows = index.count(tx, &expression, limit)?;
        if rows < limit {
            selective.push(Word { text, rows });
            continue;
        }
        let sampled = index.count_after(tx, &expression, newest - SAMPLE)?;
        let word = Word { text, rows: rows.max(sampled.saturating_mul(newest / SAMPLE)) };
        if sampled < SAMPLE / EVERYWHERE { selective.push(word) } else { everywhere.push(word) }
    }
    let mut words = if selective.is_empty() { everywhere } else { selective };
    words.sort_by(|a, b| a.rows.cmp(&b.rows).then_with(|| a.text.cmp(&b.text)));
    Ok(words)
}

/// Without the words that are everywhere in the whole table, if there are others. Few rows may match them within a part
/// of it, but BM25 would go through all.
pub(crate) fn selective(tx: &Transaction<'_>, index: &Index, words: Vec<String>) -> Result<Vec<String>> {
    let whole = index.whole();
    let newest = newest_row(tx, &whole)?;
    let mut selective = Vec::with_capacity(words.len());
    for word in &words {
        let expression = tokenizer::any_of(std::slice::from_ref(word));
        if whole.count_after(tx, &expression, newest - SAMPLE)? < SAMPLE / EVERYWHERE {
            selective.push(word.clone());
        }
    }
    Ok(if selective.is_empty() { words } else { selective })
}

/// How many rows match an expression, as far as the newest rows tell.
pub(crate) fn sampled(tx: &Transaction<'_>, index: &Index, expression: &str) -> Result<usize> {
    let newest = newest_row(tx, index)?;
    Ok(index.count_after(tx, expression, newest - SAMPLE)?.saturating_mul(newest / SAMPLE))
}

/// The number of the newest row, and at least that of a whole sample.
fn newest_row(tx: &Transaction<'_>, index: &Index) -> Result<usize> {
    Ok(index.last_row(tx)?.max(SAMPLE))
}
