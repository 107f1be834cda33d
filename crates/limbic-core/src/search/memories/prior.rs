//! Recall without a query: the memories with the highest prior.

use std::cmp::Ordering;

use crate::{
    Result, Transaction,
    model::age::{Age, Prior},
    store::memories::{self as rows, Filter, MemoryNode},
};

/// Returns the admitted memories with the highest prior: by effective confidence, importance and freshness, then by
/// access count, then in the order of storage. Of a possible contradiction, the newer one takes the rank and the prior
/// of the older one if that ranks higher.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn by_prior(tx: &Transaction<'_>, filter: &Filter<'_>, limit: usize) -> Result<Vec<(MemoryNode, Prior)>> {
    let mut best = Best { ranked: Vec::new(), limit, least: f64::NEG_INFINITY };
    rows::each_age(tx, filter, |row, age| {
        let prior = age.prior(tx.now_millis());
        best.take(Ranked { score: crate::model::numbers::round(prior.factor(), 6), row, age, prior });
    })?;
    let ranked = best.in_order();
    let mut memories = rows::in_rows(tx, &ranked.iter().map(|ranked| ranked.row).collect::<Vec<_>>())?;
    if filter.as_of.is_none() {
        super::collapse_near_duplicates::newer_first(tx, &mut memories)?;
    }
    Ok(memories.into_iter().zip(ranked).map(|(memory, ranked)| (memory, ranked.prior)).collect())
}

struct Ranked {
    score: f64,
    row: i64,
    age: Age,
    prior: Prior,
}

impl Ranked {
    fn order(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then(other.age.access_count.cmp(&self.age.access_count))
            .then(self.row.cmp(&other.row))
    }
}

/// Selects the best of many without keeping all.
struct Best {
    ranked: Vec<Ranked>,
    limit: usize,
    /// Minimum score to be among them.
    least: f64,
}

impl Best {
    fn take(&mut self, ranked: Ranked) {
        if ranked.score < self.least {
            return;
        }
        self.ranked.push(ranked);
        if self.limit > 0 && self.ranked.len() >= self.limit.saturating_mul(2) {
            self.ranked.select_nth_unstable_by(self.limit - 1, Ranked::order);
            self.ranked.truncate(self.limit);
            self.least = self.ranked[self.limit - 1].score;
        }
    }

    fn in_order(mut self) -> Vec<Ranked> {
        self.ranked.sort_unstable_by(Ranked::order);
        self.ranked.truncate(self.limit);
        self.ranked
    }
}
