//! BM25 of single words, of which that of every expression is the sum: what a word adds to the score of a row depends
//! on the row and on the whole table, but not on the other words.

use crate::{model::numbers::round, store::full_text::TextHit};

/// The scores of all rows that match a word, not rounded.
pub(crate) struct WordScores {
    /// Newest first.
    hits: Vec<TextHit>,
}

impl WordScores {
    /// Scores, by row, newest first.
    pub(crate) fn new(hits: Vec<TextHit>) -> Self {
        Self { hits }
    }

    /// The rows, newest first.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = i64> {
        self.hits.iter().map(|hit| hit.row)
    }
}

/// Returns the `limit` best of these rows, which are given newest first: best first, then by row number. Words are
/// added in the order in which FTS5 adds those of an expression, so that the sums are the same to the last bit.
pub(crate) fn best<'a>(
    rows: &[i64],
    words: impl Iterator<Item = &'a WordScores>,
    limit: usize,
) -> Vec<TextHit> {
    let mut sums: Vec<TextHit> =
        rows.iter().map(|row| TextHit { row: *row, score: 0.0, labels: 0.0 }).collect();
    for word in words {
        let mut hits = word.hits.iter().peekable();
        for sum in &mut sums {
            while hits.next_if(|hit| hit.row > sum.row).is_some() {}
            if let Some(hit) = hits.next_if(|hit| hit.row == sum.row) {
                sum.score += hit.score;
                sum.labels += hit.labels;
            }
        }
    }
    let order = |a: &TextHit, b: &TextHit| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row));
    if limit < sums.len() {
        sums.select_nth_unstable_by(limit, order);
        sums.truncate(limit);
    }
    sums.sort_unstable_by(order);
    let rounded = |hit: TextHit| TextHit { score: round(hit.score, 6), labels: round(hit.labels, 6), ..hit };
    sums.into_iter().map(rounded).collect()
}
