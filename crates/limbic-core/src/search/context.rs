//! When the texts around a text count as its context, for observations and memories alike.

use super::VectorCache;

/// Number of preceding texts in the near context.
pub(super) const NEAR_BEFORE: i64 = 2;

/// Number of texts on either side in the wide context.
pub(super) const WIDE: i64 = 4;

/// Number of texts on either side of a candidate that become candidates.
pub(super) const NEIGHBOURS: i64 = 2;

/// Maximum number of texts whose context is used: a poor match does not become a good one by its context.
pub(super) const MAX_WITH_CONTEXT: usize = 100;

/// Maximum time between a text and its context.
pub(super) const MAX_PASSAGE_SECONDS: i64 = 3600;

/// Up to this many content tokens on average, texts are statements, for which context counts fully.
const STATEMENT_TOKENS: f64 = 32.0;

/// From this many content tokens on average, texts are long, and context does not count.
const LONG_TOKENS: f64 = 96.0;

/// Between these numbers of content tokens on average, texts become so long that each has a token like any of a query.
const DOCUMENT_TOKENS: (f64, f64) = (256.0, 1024.0);

/// Excess similarity of neighbours over chance, in standard deviations: above the first value context counts, from the
/// second one on fully.
const LIKE_NEIGHBOURS: (f64, f64) = (0.04, 0.12);

/// Minimum number of pairs of neighbours for that comparison.
const MIN_PAIRS: usize = 16;

/// The length of texts as shares, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Length {
    /// 0 for statements, 1 for long texts.
    pub long: f64,
    /// 0 for long texts of a few paragraphs, 1 for documents.
    pub document: f64,
}

/// Returns the length of texts with these numbers of content tokens. Texts without tokens do not count.
#[allow(clippy::cast_precision_loss, reason = "candidates have far fewer than 2^52 tokens")]
pub(super) fn length(tokens: impl Iterator<Item = usize>) -> Length {
    let (count, sum) =
        tokens.filter(|tokens| *tokens > 0).fold((0_usize, 0_usize), |sum, one| (sum.0 + 1, sum.1 + one));
    let mean = sum as f64 / count.max(1) as f64;
    let between = |(least, most): (f64, f64)| {
        crate::model::numbers::round(((mean - least) / (most - least)).clamp(0.0, 1.0), 6)
    };
    Length { long: between((STATEMENT_TOKENS, LONG_TOKENS)), document: between(DOCUMENT_TOKENS) }
}

/// Returns the coherence of pairs of neighbours, 0 to 1: how much more similar they are than the first of one pair and
/// the second of another. `None` if there are too few pairs, or all are equally similar.
#[allow(clippy::cast_precision_loss, reason = "there are a few hundred pairs")]
pub(super) fn coherence(pairs: &[(i64, i64)], vectors: &VectorCache) -> Option<f64> {
    if pairs.len() < MIN_PAIRS {
        return None;
    }
    let mean = |cosines: &[f64]| cosines.iter().sum::<f64>() / cosines.len().max(1) as f64;
    let adjacent: Vec<f64> = pairs.iter().filter_map(|(id, next)| vectors.between(*id, *next)).collect();
    let half = pairs.len() / 2;
    let chance: Vec<f64> = (0..pairs.len())
        .filter_map(|index| vectors.between(pairs[index].0, pairs[(index + half) % pairs.len()].1))
        .collect();
    let expected = mean(&chance);
    let squares: Vec<f64> = chance.iter().map(|cosine| (cosine - expected) * (cosine - expected)).collect();
    let deviation = libm::sqrt(mean(&squares));
    if deviation <= 0.0 {
        return None;
    }
    let (least, full) = LIKE_NEIGHBOURS;
    Some(crate::model::numbers::round(
        (((mean(&adjacent) - expected) / deviation - least) / (full - least)).clamp(0.0, 1.0),
        6,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_become_long_texts_and_these_become_documents() {
        for (tokens, long, document) in [
            (0, 0.0, 0.0),
            (32, 0.0, 0.0),
            (64, 0.5, 0.0),
            (96, 1.0, 0.0),
            (256, 1.0, 0.0),
            (640, 1.0, 0.5),
            (2048, 1.0, 1.0),
        ] {
            assert_eq!(length([tokens, tokens, 0].into_iter()), Length { long, document }, "{tokens}");
        }
    }
}
