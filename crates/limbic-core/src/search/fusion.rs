//! Fusion of the signals into one relevance, about 0 to 1.
//!
//! relevance = (1 - w) ((1 - v) late + v (cosine - 0.3 c hub) - 0.02 c ln(tokens / 16)) + w words
//!
//! Late and cosine are cosines, so neither is scaled by the other candidates; words is BM25 relative to the highest.
//! The weights depend on the kind of the candidates' texts (`Kind`), never on particular words; c is the share of
//! source code among them:
//!
//! - v, the sentence vector: 0.1 in prose, 0.25 more for JSON, 0.5 more for source code, and 0 for a question in a
//!   script that the encoder was not trained on.
//! - w, words: 0 among statements, 0.07 among long texts, in which some token is similar to any; 0.35 among documents;
//!   half for a question in a script that the encoder was not trained on. Among source code 0: identifiers are matched
//!   by late interaction.
//! - Hub is the mean of a candidate's ten best cosines to the first hundred: code that resembles all other code says
//!   little about any question.
//! - The logarithm of a text's length is subtracted from its late interaction: some token of a long function resembles
//!   any token of a question.
//!
//! Words also select candidates, and replace missing vectors.

use super::signals::{Kind, Ranking, Signals};

/// The constant of reciprocal rank fusion, as in MCP Memory v2.
const RRF_K: f64 = 60.0;

/// Share of words in the linear mixture that is kept for comparison.
const LINEAR_WORDS_SHARE: f64 = 0.6;

/// Share of the sentence vector in prose.
const VECTOR_SHARE: f64 = 0.1;

/// Increase of the share of the sentence vector if all texts are code.
const VECTOR_SHARE_CODE: f64 = 0.5;

/// Increase of the share of the sentence vector if all texts are JSON.
const VECTOR_SHARE_STRUCTURED: f64 = 0.25;

/// Weight with which hubness is subtracted from the cosine if all texts are code.
const HUB_WEIGHT: f64 = 0.3;

/// Weight with which the logarithm of a text's length is subtracted if all texts are code.
const LENGTH_WEIGHT: f64 = 0.02;

/// Up to this many content tokens, nothing is subtracted for the length of code.
const SHORT_CODE_TOKENS: f64 = 16.0;

/// Share of words among long texts that are not code.
const WORDS_SHARE: f64 = 0.07;

/// Share of words among documents.
const WORDS_SHARE_DOCUMENTS: f64 = 0.35;

/// Share of words if the query is in a script that the encoder was not trained on.
const WORDS_SHARE_FOREIGN: f64 = 0.5;

/// Maximum contribution of the dates in a query.
pub(super) const MAX_DATES_WEIGHT: f64 = 0.08;

/// The relevance of a candidate, and its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Relevance {
    /// About 0 to 1.
    pub base: f64,
    /// The part that came from words.
    pub lexical: f64,
    /// The part that came from the sentence vector.
    pub vector: f64,
    /// The part that came from late interaction.
    pub late: f64,
    /// The part that came from dates.
    pub dates: f64,
    /// Reciprocal rank fusion of words and sentence vector.
    pub rrf: f64,
}

/// The shares of the signals for a kind of texts.
struct Shares {
    vector: f64,
    hub: f64,
    length: f64,
    words: f64,
}

impl Shares {
    fn of(kind: Kind) -> Self {
        // A file of code, or its documentation, is ranked as a document: its vector is the mean of many functions.
        let code = kind.code * (1.0 - kind.document);
        let readable = VECTOR_SHARE + VECTOR_SHARE_CODE * code + VECTOR_SHARE_STRUCTURED * kind.structured;
        let words = WORDS_SHARE * kind.long * (1.0 - code);
        let words = words + (WORDS_SHARE_DOCUMENTS - words) * kind.document;
        Self {
            vector: readable * (1.0 - kind.foreign),
            hub: HUB_WEIGHT * code,
            length: LENGTH_WEIGHT * code,
            words: words + (WORDS_SHARE_FOREIGN - words) * kind.foreign,
        }
    }
}

/// The relevance of all candidates, in their order.
#[must_use]
pub(crate) fn relevance(signals: &[Signals], kind: Kind, ranking: Ranking) -> Vec<Relevance> {
    let shares = Shares::of(kind);
    let ranks = reciprocal_ranks(signals);
    let mixed = |signals: &Signals| {
        let cosine = signals.cosine.map(|cosine| cosine - shares.hub * signals.hub);
        let length = shares.length * length(signals.tokens);
        match (signals.late, cosine) {
            (Some(late), Some(cosine)) => {
                Some((shares.vector * cosine, (1.0 - shares.vector) * late.mixed() - length))
            }
            (Some(late), None) => Some((0.0, late.mixed() - length)),
            (None, Some(cosine)) => Some((cosine, 0.0)),
            (None, None) => None,
        }
    };
    let best_lexical = best(signals, |signals| signals.lexical);
    let best_mixed = best(signals, |signals| mixed(signals).map(|(vector, late)| vector + late));
    let cosines = range(signals);
    signals
        .iter()
        .zip(ranks)
        .map(|(signals, rrf)| {
            let words = signals.lexical.zip(best_lexical).map_or(0.0, |(score, best)| score / best);
            let alone = |vector, late, lexical| Relevance {
                base: vector + late + lexical,
                lexical,
                vector,
                late,
                dates: 0.0,
                rrf,
            };
            match ranking {
                Ranking::Lexical => alone(0.0, 0.0, words),
                Ranking::Vector => alone(signals.cosine.unwrap_or(0.0), 0.0, 0.0),
                Ranking::Late => alone(0.0, signals.late.map_or(0.0, |late| late.own), 0.0),
                Ranking::Rrf => Relevance { base: rrf * RRF_K / 2.0, ..alone(0.0, 0.0, 0.0) },
                Ranking::Linear => {
                    let cosine = signals.cosine.zip(cosines).map_or(0.0, |(cosine, (low, high))| {
                        if high > low { (cosine - low) / (high - low) } else { 0.0 }
                    });
                    alone((1.0 - LINEAR_WORDS_SHARE) * cosine, 0.0, LINEAR_WORDS_SHARE * words)
                }
                Ranking::Fusion | Ranking::Limbic => match mixed(signals) {
                    Some((vector, late)) => {
                        // If no candidate matches a word, words have no share.
                        let share = if best_lexical.is_some() { shares.words } else { 0.0 };
                        let rest = 1.0 - share;
                        let dates = MAX_DATES_WEIGHT * signals.dates;
                        let mixed = alone(rest * vector, rest * late, share * words);
                        Relevance { rrf, dates, base: mixed.base + dates, ..mixed }
                    }
                    None => alone(0.0, 0.0, words * best_mixed.unwrap_or(1.0)),
                },
            }
        })
        .map(|relevance| Relevance { base: relevance.base.clamp(0.0, 1.0), ..relevance })
        .collect()
}

/// The logarithm of a text's length, relative to [`SHORT_CODE_TOKENS`].
#[allow(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 tokens")]
fn length(tokens: usize) -> f64 {
    libm::log((tokens as f64).max(SHORT_CODE_TOKENS) / SHORT_CODE_TOKENS)
}

fn best(signals: &[Signals], read: impl Fn(&Signals) -> Option<f64>) -> Option<f64> {
    signals.iter().filter_map(read).filter(|value| *value > 0.0).max_by(f64::total_cmp)
}

/// The lowest and the highest cosine.
fn range(signals: &[Signals]) -> Option<(f64, f64)> {
    let cosines = || signals.iter().filter_map(|signals| signals.cosine);
    cosines().min_by(f64::total_cmp).zip(cosines().max_by(f64::total_cmp))
}

/// The sum of 1 / (60 + rank) over words and sentence vector.
fn reciprocal_ranks(signals: &[Signals]) -> Vec<f64> {
    let mut sums = vec![0.0; signals.len()];
    for read in [|signals: &Signals| signals.lexical, |signals: &Signals| signals.cosine] {
        let mut order: Vec<(usize, f64)> =
            signals.iter().enumerate().filter_map(|(index, signals)| Some((index, read(signals)?))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(signals[a.0].id.cmp(&signals[b.0].id)));
        let mut rank = 0.0;
        for (index, _) in order {
            rank += 1.0;
            sums[index] += 1.0 / (RRF_K + rank);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::signals::LateScore;

    /// One candidate with the better BM25 score, and one with the better vectors.
    fn candidates() -> [Signals; 2] {
        let late = |own| Some(LateScore::alone(own));
        [
            Signals { id: 1, lexical: Some(8.0), cosine: Some(0.3), late: late(0.40), ..Signals::default() },
            Signals { id: 2, lexical: Some(1.0), cosine: Some(0.4), late: late(0.45), ..Signals::default() },
        ]
    }

    fn first(kind: Kind) -> usize {
        let found = relevance(&candidates(), kind, Ranking::Fusion);
        if found[0].base > found[1].base { 1 } else { 2 }
    }

    #[test]
    fn words_count_among_long_texts_and_in_scripts_that_the_encoder_cannot_read() {
        assert_eq!(first(Kind::default()), 2);
        assert_eq!(first(Kind { long: 1.0, ..Kind::default() }), 1);
        assert_eq!(first(Kind { foreign: 1.0, ..Kind::default() }), 1);
        assert_eq!(first(Kind { long: 1.0, code: 1.0, ..Kind::default() }), 2);
        assert_eq!(first(Kind { long: 1.0, code: 1.0, document: 1.0, ..Kind::default() }), 1);
    }

    #[test]
    fn long_code_needs_better_matches() {
        let long =
            candidates().map(|signals| Signals { tokens: if signals.id == 2 { 400 } else { 8 }, ..signals });
        let gap = |kind| {
            let of = |signals: &[Signals]| {
                let found = relevance(signals, kind, Ranking::Fusion);
                found[1].base - found[0].base
            };
            of(&candidates()) - of(&long)
        };
        assert!(gap(Kind::default()).abs() < 1e-12);
        let expected = 0.02 * libm::log(25.0);
        assert!((gap(Kind { code: 1.0, ..Kind::default() }) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_parts_add_up_to_the_relevance() {
        let kind = Kind { long: 0.5, structured: 0.5, ..Kind::default() };
        for found in relevance(&candidates(), kind, Ranking::Fusion) {
            assert!((found.lexical + found.vector + found.late - found.base).abs() < 1e-12);
        }
    }

    #[test]
    fn the_linear_mixture_scales_both_parts() {
        let found = relevance(&candidates(), Kind::default(), Ranking::Linear);
        assert!((found[0].base - 0.6).abs() < 1e-12 && (found[1].base - 0.475).abs() < 1e-12);
    }
}
