//! The usage boost: score = relevance x ((1 + beta importance) temporal (1 + gamma co-occurrence))^0.1.

use std::cmp::Ordering;

use super::numbers::round;

/// Exponent of the factors: how much use and time count beside relevance.
pub(crate) const EXPONENT: f64 = 0.1;
/// Loss of relevance in each hour without use: half of it is gone after 289 days.
const DECAY_PER_HOUR: f64 = 0.0001;
/// The lowest freshness.
const TEMPORAL_FLOOR: f64 = 0.1;

/// How much importance and co-occurrence count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of importance.
    pub beta: f64,
    /// Weight of co-occurrence.
    pub gamma: f64,
}

impl Weights {
    /// Minimum and maximum of `beta`.
    pub(crate) const BETA_RANGE: (f64, f64) = (0.1, 1.0);
    /// Minimum and maximum of `gamma`.
    pub(crate) const GAMMA_RANGE: (f64, f64) = (0.001, 0.1);
}

impl Default for Weights {
    fn default() -> Self {
        Self { beta: 0.5, gamma: 0.01 }
    }
}

/// The factors of one candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Its use relative to the other candidates: 0 to 1.38.
    pub importance: f64,
    /// Freshness: 0.1 to 1.
    pub temporal: f64,
    /// Co-occurrence with other candidates: 0 or more.
    pub co_occurrence: f64,
}

impl Factors {
    /// The score of a candidate from its relevance.
    #[must_use]
    pub fn apply(&self, base: f64, weights: Weights) -> f64 {
        let importance = 1.0 + weights.beta * self.importance;
        let co_occurrence = 1.0 + weights.gamma * self.co_occurrence;
        round(base * libm::pow(importance * self.temporal * co_occurrence, EXPONENT), 6)
    }
}

/// The order of two results, each a score and an entity's row number: best first, then by number.
#[must_use]
pub(crate) fn order(a: (f64, i64), b: (f64, i64)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// Returns the freshness, 0.1 to 1, of an entity last used at `then_seconds`.
#[allow(clippy::cast_precision_loss, reason = "seconds between two dates are far below 2^52")]
pub(crate) fn freshness(now_seconds: i64, then_seconds: i64) -> f64 {
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
}
