//! How the signals become one relevance, about 0 to 1.
//!
//! relevance = (1 - v) late + v (cosine - 0.4 c hub). Each part is a cosine by nature, so nothing is scaled by the
//! company it is in. Words choose candidates, and stand in for what has no vectors yet; beside late interaction
//! they add nothing (measured).
//!
//! c is the share of source code among the candidates' texts, and v = 0.1 + 0.6 c: for prose, late interaction
//! carries nearly everything; for code, the sentence vector does. Hub is the mean of a candidate's ten best cosines
//! to the first hundred: code that resembles all other code says little about any question.

use super::signals::{Ranking, Signals};

/// The constant of reciprocal rank fusion, as the seed has it.
const RRF_K: f64 = 60.0;

/// Share of the sentence vector in prose.
const VECTOR_SHARE: f64 = 0.1;

/// What is added to it where all texts are code.
const VECTOR_SHARE_CODE: f64 = 0.6;

/// How much of a hub's resemblance to everything is taken off its cosine, where all texts are code.
const HUB_WEIGHT: f64 = 0.4;

/// What one candidate's relevance is made of.
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
    /// Reciprocal rank fusion of words and sentence vector.
    pub rrf: f64,
}

/// The relevance of all candidates, in their order. `code_share` says how many of them are source code, 0 to 1.
#[must_use]
pub fn relevance(signals: &[Signals], code_share: f64, ranking: Ranking) -> Vec<Relevance> {
    let vector_share = VECTOR_SHARE + VECTOR_SHARE_CODE * code_share;
    let ranks = reciprocal_ranks(signals);
    let mixed = |signals: &Signals| {
        let cosine = signals.cosine.map(|cosine| cosine - HUB_WEIGHT * code_share * signals.hub);
        match (signals.late, cosine) {
            (Some(late), Some(cosine)) => Some((vector_share * cosine, (1.0 - vector_share) * late.mixed())),
            (Some(late), None) => Some((0.0, late.mixed())),
            (None, Some(cosine)) => Some((cosine, 0.0)),
            (None, None) => None,
        }
    };
    let best_lexical = best(signals, |signals| signals.lexical);
    let best_mixed = best(signals, |signals| mixed(signals).map(|(vector, late)| vector + late));
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
                rrf,
            };
            match ranking {
                Ranking::Lexical => alone(0.0, 0.0, words),
                Ranking::Vector => alone(signals.cosine.unwrap_or(0.0), 0.0, 0.0),
                Ranking::Late => alone(0.0, signals.late.map_or(0.0, |late| late.own), 0.0),
                Ranking::Rrf => Relevance { base: rrf * RRF_K / 2.0, ..alone(0.0, 0.0, 0.0) },
                Ranking::Fusion | Ranking::Limbic => match mixed(signals) {
                    Some((vector, late)) => Relevance { rrf, ..alone(vector, late, 0.0) },
                    None => alone(0.0, 0.0, words * best_mixed.unwrap_or(1.0)),
                },
            }
        })
        .map(|relevance| Relevance { base: relevance.base.clamp(0.0, 1.0), ..relevance })
        .collect()
}

fn best(signals: &[Signals], read: impl Fn(&Signals) -> Option<f64>) -> Option<f64> {
    signals.iter().filter_map(read).filter(|value| *value > 0.0).max_by(f64::total_cmp)
}

/// The sum of 1 / (60 + rank) over words and sentence vector.
fn reciprocal_ranks(signals: &[Signals]) -> Vec<f64> {
    let mut sums = vec![0.0; signals.len()];
    for read in [|signals: &Signals| signals.lexical, |signals: &Signals| signals.cosine] {
        let mut order: Vec<(usize, f64)> =
            signals.iter().enumerate().filter_map(|(place, signals)| Some((place, read(signals)?))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(signals[a.0].id.cmp(&signals[b.0].id)));
        let mut rank = 0.0;
        for (place, _) in order {
            rank += 1.0;
            sums[place] += 1.0 / (RRF_K + rank);
        }
    }
    sums
}
