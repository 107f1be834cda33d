//! Late interaction (MaxSim): the best match among a text's tokens for each token of the query.
//!
//! best_i(text) = max over j of q_i . sign(d_j) / sqrt(dimensions), over the text's content tokens j; q_i is a float
//! vector of length one and d_j is stored as one sign bit per dimension, so it approximates their cosine.
//! score(text) = sum over i of w_i best_i / sum over i of w_i, over the question's content tokens i;
//! w_i = sqrt(ln(1 + (n - df_i + 0.5) / (df_i + 0.5))) is the square root of token i's IDF among n texts. Stop words
//! and punctuation count only if a query has nothing else: including them with a tenth of the weight changed no result.

use limbic_protocol::{QueryTokens, TextKind};

use crate::{Result, Transaction, store::vectors::embeddings};

/// The query's vectors are quantised to integer multiples of 1/SCALE, so that the sum of eight numbers fits into 16
/// bits.
const SCALE: f32 = 4095.0;

/// A prepared query: for each token its weight, and a table of each byte of signs' contribution to the dot product.
pub(crate) struct LateQuery {
    weights: Vec<f64>,
    tables: Vec<Table>,
    /// Bytes of a stored token.
    token_bytes: usize,
    /// The norm of a vector of signs.
    norm: f64,
}

/// `table[byte][signs]` is the sum of eight of the token's numbers, each with its sign bit's sign.
type Table = Box<[[i16; 256]]>;

impl LateQuery {
    /// Prepares a query. The weights are computed from the document frequency of its tokens in texts of this kind.
    pub(crate) fn new(tx: &Transaction<'_>, kind: TextKind, tokens: &QueryTokens) -> Result<Self> {
        let (texts, counts) = embeddings::frequencies(tx, kind, &tokens.ids)?;
        let has_no_content = tokens.weak.iter().all(|weak| *weak);
        let dimensions = tokens.vectors.len() / tokens.ids.len().max(1);
        // Tokens of another width are of another encoder, which says nothing about the stored ones.
        let fits = dimensions == embeddings::dimensions(tx)?;
        let (weights, tables) = counts
            .iter()
            .zip(&tokens.weak)
            .zip(tokens.vectors.chunks_exact(dimensions.max(1)))
            .filter(|((_, weak), _)| fits && (has_no_content || !**weak))
            .map(|((count, _), vector)| (libm::sqrt(idf(texts, *count)), table(vector)))
            .unzip();
        #[allow(clippy::cast_precision_loss, reason = "vectors have far fewer than 2^52 numbers")]
        let norm = libm::sqrt(dimensions as f64);
        Ok(Self { weights, tables, token_bytes: embeddings::token_bytes(dimensions), norm })
    }

    /// Returns the best match of each token of the query in a text, from its blob of tokens (see `token_vectors`);
    /// `None` if the text has no content token.
    #[must_use]
    pub(crate) fn answers(&self, blob: &[u8]) -> Option<Answers> {
        if blob.len() < self.token_bytes {
            return None;
        }
        let tokens = || blob.chunks_exact(self.token_bytes);
        let best = |table: &Table| tokens().map(|token| dot(table, &token[4..])).max().unwrap_or(0);
        Some(Answers(self.tables.iter().map(best).collect()))
    }

    /// Returns the number of tokens of a text, from its blob of tokens.
    #[must_use]
    pub(crate) fn count(&self, blob: &[u8]) -> usize {
        blob.len() / self.token_bytes
    }

    /// Returns the score of a text, about 0 to 1, from its best matches.
    #[must_use]
    pub(crate) fn score(&self, answers: &Answers) -> f64 {
        let total: f64 = self.weights.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        let sum: f64 =
            self.weights.iter().zip(&answers.0).map(|(weight, best)| weight * f64::from(*best)).sum();
        crate::model::numbers::round(sum / total / (f64::from(SCALE) * self.norm), 6)
    }
}

/// The best match in a text for each token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answers(Vec<i32>);

impl Answers {
    /// Takes the better match of two texts for each token of the query.
    pub(crate) fn join(&mut self, other: &Answers) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// Returns BM25's IDF of a token, in the form that is never negative.
#[allow(clippy::cast_precision_loss, reason = "counts of texts are far below 2^52")]
fn idf(texts: u64, count: u64) -> f64 {
    let (n, df) = (texts as f64, count.min(texts) as f64);
    libm::log(1.0 + (n - df + 0.5) / (df + 0.5))
}

fn dot(table: &[[i16; 256]], signs: &[u8]) -> i32 {
    table.iter().zip(signs).map(|(row, byte)| i32::from(row[usize::from(*byte)])).sum()
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the numbers of a vector of length one are between -1 and 1"
)]
fn table(vector: &[f32]) -> Table {
    let whole: Vec<i16> =
        vector.iter().map(|number| (number.clamp(-1.0, 1.0) * SCALE).round() as i16).collect();
    let mut table = vec![[0_i16; 256]; vector.len() / 8].into_boxed_slice();
    for (row, eight) in table.iter_mut().zip(whole.as_chunks::<8>().0) {
        row[0] = -eight.iter().sum::<i16>();
        for signs in 1..256_usize {
            let lowest = signs.trailing_zeros() as usize;
            row[signs] = row[signs & (signs - 1)] + 2 * eight[lowest];
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use limbic_protocol::SignBits;

    #[test]
    fn the_tables_give_the_signed_sum() {
        let query: Vec<f32> = (0_u16..384).map(|d| (f32::from(d % 13) - 6.0) / 200.0).collect();
        let document: Vec<f32> = (0_u16..384).map(|d| f32::from(d % 7) - 3.0).collect();
        let mut bits = SignBits::default();
        bits.push(&document);
        let exact: f32 = query.iter().zip(&document).map(|(q, d)| if *d > 0.0 { *q } else { -*q }).sum();
        #[allow(clippy::cast_precision_loss)]
        let found = dot(&table(&query), &bits.0) as f32 / SCALE;
        assert!((found - exact).abs() < 0.05, "{found} against {exact}");
    }

    #[test]
    fn rare_tokens_weigh_more() {
        assert!(idf(100, 1) > idf(100, 50));
        assert!(idf(100, 100) > 0.0);
    }
}
