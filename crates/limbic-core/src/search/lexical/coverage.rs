//! Coverage: the share of a query's words that a row contains. It is the relevance if there are no vectors.
//!
//! coverage = sum of the weights of the content words that a row matches / sum of the weights of all content words
//!
//! The weight of a word is the square root of its IDF, as for tokens in late interaction. A word that no row matches
//! has the highest weight. If only parts of an identifier match, the share of the parts counts.

use std::collections::{BTreeMap, BTreeSet};

use super::{WordRows, count, document_frequency};
use crate::{
    Result, Transaction,
    model::tokenizer::{self, QueryWord},
    store::full_text::Index,
};

/// Limit up to which matching rows are counted exactly.
const MAX_COUNTED: usize = 2_000;

/// Minimum number of rows that IDF assumes: fewer rows say little about document frequency.
const MIN_ROWS: usize = 1_000;

/// The coverage of a query by a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Coverage {
    /// 0 to 1.
    pub share: f64,
    /// Number of content words that match, at least in part.
    pub words: usize,
    /// Number of content words of the query.
    pub of: usize,
}

/// Returns the coverage of a query by each of these rows. `read` has the rows of words that this search has read.
pub(crate) fn coverage(
    tx: &Transaction<'_>,
    index: &Index,
    query: &str,
    rows: &[i64],
    read: &mut WordRows,
) -> Result<BTreeMap<i64, Coverage>> {
    let asked = tokenizer::content_words(query);
    let mut found: BTreeMap<i64, Coverage> =
        rows.iter().map(|row| (*row, Coverage { of: asked.len(), ..Coverage::default() })).collect();
    let mut total = 0.0;
    for word_asked in &asked {
        let QueryWord { parts, .. } = word_asked;
        let terms = word_asked.terms();
        let weight = weight(tx, index, &terms, read)?;
        total += weight;
        let whole = matching(tx, index, &terms, rows, read)?;
        let mut matched: BTreeMap<i64, usize> = BTreeMap::new();
        for part in parts {
            for row in matching(tx, index, std::slice::from_ref(part), rows, read)? {
                *matched.entry(row).or_default() += 1;
            }
        }
        matched.extend(whole.iter().map(|row| (*row, parts.len().max(1))));
        for (row, count) in matched {
            let coverage = found.entry(row).or_default();
            coverage.share += weight * ratio(count, parts.len().max(1));
            coverage.words += 1;
        }
    }
    if total > 0.0 {
        found.values_mut().for_each(|coverage| coverage.share = (coverage.share / total).min(1.0));
    }
    Ok(found)
}

/// Returns which of these rows match any of the words.
fn matching(
    tx: &Transaction<'_>,
    index: &Index,
    words: &[String],
    rows: &[i64],
    read: &mut WordRows,
) -> Result<BTreeSet<i64>> {
    let newest = read.of_any(tx, index, words)?;
    let (mut matching, mut older) = (BTreeSet::new(), Vec::new());
    for row in rows.iter().copied() {
        match newest.contains(row) {
            Some(true) => _ = matching.insert(row),
            Some(false) => {}
            None => older.push(row),
        }
    }
    if !older.is_empty() {
        matching.extend(index.matching(tx, &tokenizer::any_of(words), &older)?);
    }
    Ok(matching)
}

/// Returns the square root of BM25's IDF for any of the words, in the form that is never negative.
#[allow(clippy::cast_precision_loss, reason = "counts of rows are far below 2^52")]
fn weight(tx: &Transaction<'_>, index: &Index, words: &[String], read: &mut WordRows) -> Result<f64> {
    let last = read.last_row(tx, index)?;
    let newest = read.of_any(tx, index, words)?;
    let mut rows = count(tx, index, &tokenizer::any_of(words), &newest, MAX_COUNTED)?;
    if rows >= MAX_COUNTED {
        rows = rows.max(document_frequency::sampled(tx, index, words, read)?);
    }
    let (n, df) = (last.max(MIN_ROWS).max(rows) as f64, rows as f64);
    Ok(libm::sqrt(libm::log(1.0 + (n - df + 0.5) / (df + 0.5))))
}

#[allow(clippy::cast_precision_loss, reason = "a question has few words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
