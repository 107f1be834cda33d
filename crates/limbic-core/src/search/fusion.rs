//! How the signals become one relevance, about 0 to 1.
//!
//! relevance = (1 - v) late + v cosine, with late = (1 - p) own + p passage. Each part is a cosine by nature, so
//! nothing is scaled by the company it is in. Words choose candidates, and stand in for what has no vectors yet;
//! beside late interaction they add nothing (measured).
//!
//! v and p depend on what is searched: for prose, late interaction with its passage carries nearly everything; for
//! source code, the sentence vector does, and what was written before has no bearing. Between the two, in
//! proportion to how many of the candidates are code.

use super::{
    entities::{Ranking, Signals},
    late::LateScore,
};

/// The constant of reciprocal rank fusion, as the seed has it.
const RRF_K: f64 = 60.0;

/// Share of the sentence vector, in prose and in code.
const VECTOR_SHARE: [f64; 2] = [0.10, 0.60];

/// Share of the passage within late interaction, in prose and in code.
const PASSAGE_SHARE: [f64; 2] = [0.50, 0.0];

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
    let between = |[prose, code]: [f64; 2]| prose + (code - prose) * code_share;
    let (vector_share, passage_share) = (between(VECTOR_SHARE), between(PASSAGE_SHARE));
    let late = |late: LateScore| (1.0 - passage_share) * late.own + passage_share * late.passage;
    let ranks = reciprocal_ranks(signals);
    let mixed = |signals: &Signals| match (signals.late, signals.cosine) {
        (Some(score), Some(cosine)) => Some((vector_share * cosine, (1.0 - vector_share) * late(score))),
        (Some(score), None) => Some((0.0, late(score))),
        (None, _) => None,
    };
    let best_lexical = best(signals, |signals| signals.lexical);
    let best_mixed = best(signals, |signals| mixed(signals).map(|(vector, late)| vector + late));
    signals
        .iter()
        .zip(ranks)
        .map(|(signals, rrf)| {
            let words = signals.lexical.zip(best_lexical).map_or(0.0, |(score, best)| score / best);
            let alone = |vector, late, lexical| Relevance { base: vector + late + lexical, lexical, vector, late, rrf };
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
