//! Tuning: moves the weights a small step towards those that would have ranked used results first.

use crate::{
    Result, Transaction,
    model::{
        quality::{JudgedSearch, mean},
        usage::Weights,
    },
    store::{logs::feedback, ranking_weights},
};

/// Minimum number of judged searches.
const MIN_JUDGED: usize = 50;
/// Maximum number of judged searches: the newest.
const MAX_JUDGED: usize = 100;
/// Size of the step, as a share of the distance to the best weights.
const STEP: f64 = 0.1;
/// Minimum gain in NDCG@5.
const MIN_GAIN: f64 = 1e-9;

const BETAS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const GAMMAS: [f64; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];

/// Returns the weights after a step towards the best ones for the newest judged searches; `None` if there are too few
/// searches.
pub(crate) fn tune(tx: &Transaction<'_>) -> Result<Option<Weights>> {
    let searches = feedback::judged(tx, 0, MAX_JUDGED)?;
    if searches.len() < MIN_JUDGED {
        return Ok(None);
    }
    let present = ranking_weights::load(tx)?;
    Ok(Some(step(present, best(&searches, present))))
}

/// Returns the best weights of the grid, of equally good ones the nearest to the current ones; the current ones if none
/// are better.
fn best(searches: &[JudgedSearch], present: Weights) -> Weights {
    let quality = |weights| mean(searches, |judged| judged.with_weights(weights)).unwrap_or(0.0);
    let mut grid: Vec<Weights> =
        BETAS.iter().flat_map(|beta| GAMMAS.map(|gamma| Weights { beta: *beta, gamma })).collect();
    grid.sort_by(|a, b| distance(*a, present).total_cmp(&distance(*b, present)));
    let mut best = (present, quality(present));
    for weights in grid {
        let found = quality(weights);
        if found > best.1 + MIN_GAIN {
            best = (weights, found);
        }
    }
    best.0
}

/// Returns the distance of weights, each relative to its range; gamma on a logarithmic scale.
fn distance(a: Weights, b: Weights) -> f64 {
    let beta = (a.beta - b.beta).abs() / (Weights::BETA_RANGE.1 - Weights::BETA_RANGE.0);
    let (least, most) = Weights::GAMMA_RANGE;
    let gamma = libm::log2(a.gamma / b.gamma).abs() / libm::log2(most / least);
    beta + gamma
}

fn step(from: Weights, to: Weights) -> Weights {
    let between = |from: f64, to: f64| crate::model::numbers::round(from + STEP * (to - from), 6);
    Weights { beta: between(from.beta, to.beta), gamma: between(from.gamma, to.gamma) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{quality::JudgedResult, usage::Factors};

    /// A search in which the used entity is slightly less relevant than an unused one.
    fn search(reused: i64) -> JudgedSearch {
        let result = |entity_id, relevance, importance| JudgedResult {
            entity_id,
            rank: 1,
            baseline_rank: 1,
            relevance,
            factors: Factors { importance, temporal: 1.0, co_occurrence: 0.0 },
            reused: entity_id == reused,
        };
        JudgedSearch { treatment: true, results: vec![result(1, 0.7, 0.0), result(2, 0.665, 1.0)] }
    }

    #[test]
    fn weights_move_towards_used_results() {
        let present = Weights::default();
        let best = best(&[search(2), search(2)], present);
        // (1 + beta)^0.1 must pass 0.7 / 0.665, which 0.6 does not.
        assert_eq!(best, Weights { beta: 0.7, gamma: 0.01 });
        assert_eq!(step(present, best), Weights { beta: 0.52, gamma: 0.01 });
    }

    #[test]
    fn weights_stay_if_the_order_is_right() {
        let present = Weights { beta: 0.512_345, gamma: 0.034 };
        assert_eq!(best(&[search(1)], present), present);
        assert_eq!(step(present, present), present);
    }
}
