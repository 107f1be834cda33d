//! Limbic factors: what use and time add to relevance.
//!
//! limbic = base x ((1 + beta importance) x temporal x (1 + gamma co-occurrence))^0.1. What was never used has
//! importance and co-occurrence 0, so that a cold database is ordered by relevance and age alone.
//!
//! The seed has no exponent. Without one, use drowns relevance: over a thousand different questions asked one after
//! the other, nDCG@10 fell from 0.593 to 0.473. With 0.1 it rose to 0.597.
//!
//! The seed counts only how often an entity was found. That cannot tell what was wanted from what stood beside it: when
//! all questions were asked a second time, nDCG@10 was 0.584 on a set where relevance alone gave 0.586. So what was
//! opened, extended or linked after a search counts ten finds: then it rises from 0.591 to 0.610.

use std::cmp::Ordering;

use crate::{
    Result, Transaction,
    store::{
        graph::relations,
        logs::entity_access::{self, Use},
        ranking_weights::Weights,
    },
};

/// How much use and time count beside relevance.
const WEIGHT: f64 = 0.1;
/// For how many finds it counts that an entity was put to use after a search.
const REUSE_WEIGHT: u32 = 10;
/// What fifteen relations add to importance.
const DEGREE_SHARE: f64 = 0.15;
/// The most relations that count.
const MAX_DEGREE: f64 = 15.0;
/// What use on many days adds to importance.
const CONSOLIDATION_SHARE: f64 = 0.2;
/// Loss of relevance in each hour without use: half of it is gone after 289 days.
const DECAY_PER_HOUR: f64 = 0.0001;
/// Age alone never takes away more than this leaves.
const TEMPORAL_FLOOR: f64 = 0.1;

/// The factors of one candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// How much it is used beside the other candidates: 0 to 1.38.
    pub importance: f64,
    /// How fresh it is: 0.1 to 1.
    pub temporal: f64,
    /// How often it was found together with other candidates: 0 or more.
    pub co_occurrence: f64,
}

impl Factors {
    /// The score of a candidate from its relevance.
    #[must_use]
    pub fn apply(&self, base: f64, weights: Weights) -> f64 {
        let importance = 1.0 + weights.beta * self.importance;
        let co_occurrence = 1.0 + weights.gamma * self.co_occurrence;
        super::round(base * libm::pow(importance * self.temporal * co_occurrence, WEIGHT), 6)
    }
}

/// The order of two results, each a score and an entity's row number: best first, then by number.
#[must_use]
pub fn order(a: (f64, i64), b: (f64, i64)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// The factors of all candidates, in their order.
///
/// # Errors
/// Those of the database.
pub fn factors(tx: &Transaction<'_>, candidates: &[i64]) -> Result<Vec<Factors>> {
    let uses = candidates.iter().map(|id| entity_access::of(tx, *id)).collect::<Result<Vec<Use>>>()?;
    let most_used = uses.iter().map(weighed).max().unwrap_or(0);
    let most_days = uses.iter().map(|used| used.days).max().unwrap_or(0);
    candidates
        .iter()
        .zip(&uses)
        .map(|(id, used)| {
            let degree = if used.count == 0 { 0 } else { relations::degree(tx, *id)? };
            let importance = share(weighed(used), most_used)
                * (1.0 + DEGREE_SHARE * f64::from(degree).min(MAX_DEGREE) / MAX_DEGREE)
                * (1.0 + CONSOLIDATION_SHARE * share(used.days, most_days));
            Ok(Factors {
                importance,
                temporal: freshness(tx.now_seconds(), used.last_seconds),
                co_occurrence: co_occurrence(tx, *id, *used, candidates, &uses)?,
            })
        })
        .collect()
}

fn co_occurrence(tx: &Transaction<'_>, id: i64, used: Use, candidates: &[i64], uses: &[Use]) -> Result<f64> {
    let mut sum = 0.0;
    if used.count == 0 {
        return Ok(sum);
    }
    for (other, other_use) in candidates.iter().zip(uses) {
        if *other == id || other_use.count == 0 {
            continue;
        }
        if let Some((count, last_seconds)) = entity_access::together(tx, id, *other)? {
            sum += libm::log2(1.0 + f64::from(count)) * freshness(tx.now_seconds(), last_seconds);
        }
    }
    Ok(sum)
}

/// How much an entity is used: what was found and then put to use says more than what was merely found.
fn weighed(used: &Use) -> u32 {
    used.count.saturating_add(REUSE_WEIGHT.saturating_mul(used.reused))
}

/// log2(1 + count) / log2(1 + most), 0 when nothing was used at all.
fn share(count: u32, most: u32) -> f64 {
    if most == 0 { 0.0 } else { libm::log2(1.0 + f64::from(count)) / libm::log2(1.0 + f64::from(most)) }
}

/// How fresh what was last used then is: 0.1 to 1.
#[allow(clippy::cast_precision_loss, reason = "seconds between two dates are far below 2^52")]
pub fn freshness(now_seconds: i64, then_seconds: i64) -> f64 {
    let hours = (now_seconds - then_seconds).max(0) as f64 / 3600.0;
    libm::exp(-DECAY_PER_HOUR * hours).max(TEMPORAL_FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_used_changes_nothing_but_by_age() {
        let cold = Factors { importance: 0.0, temporal: 1.0, co_occurrence: 0.0 };
        assert!((cold.apply(0.7, Weights::default()) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn freshness_falls_to_a_floor() {
        assert!((freshness(0, 0) - 1.0).abs() < 1e-12);
        assert!((freshness(3600 * 1000, 0) - 0.904_837_418).abs() < 1e-9);
        assert!((freshness(i64::MAX / 2, 0) - TEMPORAL_FLOOR).abs() < 1e-12);
    }

    #[test]
    fn the_most_used_has_the_whole_share() {
        assert!((share(7, 7) - 1.0).abs() < 1e-12);
        assert!((share(0, 0)).abs() < 1e-12);
        assert!(share(1, 7) > 0.3);
    }
}
