//! Quality of a ranking: NDCG@5, with gain 1 for each result that was used later.

use super::usage::{self, Factors, Weights};

/// Number of ranks that count.
const DEPTH: usize = 5;

/// A search with at least one result that was used later.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JudgedSearch {
    /// Whether limbic factors ordered it.
    pub treatment: bool,
    /// The results, best first.
    pub results: Vec<JudgedResult>,
}

/// One result of a judged search, as it was logged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JudgedResult {
    /// Row number of the entity.
    pub entity_id: i64,
    /// 1-based rank in the answer.
    pub rank: usize,
    /// 1-based rank by relevance alone, among all candidates.
    pub baseline_rank: usize,
    /// Relevance alone.
    pub relevance: f64,
    /// The factors of use and age at that time.
    pub factors: Factors,
    /// Whether it was used again.
    pub reused: bool,
}

impl JudgedSearch {
    /// NDCG@5 of the answer as it was given.
    #[must_use]
    pub(crate) fn as_answered(&self) -> f64 {
        ndcg(self.reused().map(|result| result.rank))
    }

    /// NDCG@5 by relevance alone.
    #[must_use]
    pub(crate) fn by_relevance(&self) -> f64 {
        ndcg(self.reused().map(|result| result.baseline_rank))
    }

    /// NDCG@5 of the same results as the search would order them with these weights.
    #[must_use]
    pub(crate) fn with_weights(&self, weights: Weights) -> f64 {
        let mut order: Vec<((f64, i64), bool)> = self
            .results
            .iter()
            .map(|result| {
                ((result.factors.apply(result.relevance, weights), result.entity_id), result.reused)
            })
            .collect();
        order.sort_by(|a, b| usage::order(a.0, b.0));
        ndcg((1..).zip(order).filter(|(_, (_, reused))| *reused).map(|(rank, _)| rank))
    }

    fn reused(&self) -> impl Iterator<Item = &JudgedResult> {
        self.results.iter().filter(|result| result.reused)
    }
}

/// Returns the mean of a measure over searches; `None` without searches.
#[must_use]
pub(crate) fn mean<'a>(
    searches: impl IntoIterator<Item = &'a JudgedSearch>,
    measure: impl Fn(&JudgedSearch) -> f64,
) -> Option<f64> {
    let (sum, count) =
        searches.into_iter().fold((0.0, 0_u32), |(sum, count), judged| (sum + measure(judged), count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// NDCG@5 from the 1-based ranks of all good results.
fn ndcg(ranks: impl Iterator<Item = usize>) -> f64 {
    let (mut gain, mut good) = (0.0, 0);
    for rank in ranks {
        good += 1;
        gain += if rank <= DEPTH { discount(rank) } else { 0.0 };
    }
    let best: f64 = (1..=DEPTH.min(good)).map(discount).sum();
    if good == 0 { 0.0 } else { gain / best }
}

#[allow(clippy::cast_precision_loss, reason = "ranks up to 5")]
fn discount(rank: usize) -> f64 {
    1.0 / libm::log2(1.0 + rank as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_places_count_most() {
        assert!((ndcg([1].into_iter()) - 1.0).abs() < 1e-12);
        assert!((ndcg([3].into_iter()) - 0.5).abs() < 1e-12);
        assert!((ndcg([2, 1].into_iter()) - 1.0).abs() < 1e-12);
        assert!(ndcg([6].into_iter()).abs() < 1e-12);
        // 1/log2(2) + 1/log2(5) of 1/log2(2) + 1/log2(3)
        assert!((ndcg([1, 4].into_iter()) - 0.877_215_315).abs() < 1e-9);
    }

    #[test]
    fn only_five_good_results_count_in_the_ideal_order() {
        assert!((ndcg(1..=8) - 1.0).abs() < 1e-12);
    }
}
