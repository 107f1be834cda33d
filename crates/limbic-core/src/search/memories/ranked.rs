//! Scores of candidates, without loading their texts, since most of them are not returned.

use std::cmp::Ordering;

use super::{candidates::Matched, link_expansion::Ranks, query::MemoryHit};
use crate::{
    Result, Transaction,
    model::{age::Prior, numbers::round},
    search::{fusion::Relevance, signals::Signals},
    store::memories::{self as rows, FilterEvaluator, neighbourhood},
};

/// Maximum contribution of the graph, if the best seed has a relevance of 1.
const MAX_GRAPH_WEIGHT: f64 = 0.4;

/// Bonus of a memory per unit of strength of links that support it, or by which it refines or supersedes another.
const BACKING_WEIGHT: f64 = 0.05;

/// Maximum strength that counts.
const MAX_BACKING: f64 = 3.0;

/// A candidate with its score.
pub(crate) struct Ranked {
    /// The score; without backing if that is not known.
    pub score: f64,
    /// Its signals.
    pub signals: Signals,
    relevance: Relevance,
    alone: f64,
    page_rank: f64,
    graph_share: f64,
    words_share: f64,
    id: String,
    prior: Prior,
    backing: Option<f64>,
    phrasing: usize,
}

/// Sorts candidates, best first, then by number. The order of the first 2 x `limit` is exact; backing is not loaded for
/// candidates that it cannot lift among them.
pub(crate) fn best_first(
    tx: &Transaction<'_>,
    matched: Vec<Matched>,
    ranks: &Ranks,
    limit: usize,
    walk: &mut FilterEvaluator<'_>,
) -> Result<Vec<Ranked>> {
    let highest = ranks.by_number.values().copied().fold(0.0, f64::max);
    let numbers: Vec<i64> = matched.iter().map(|one| one.signals.id).collect();
    let mut ages = rows::ages_of(tx, &numbers)?;
    let mut ranked = Vec::with_capacity(matched.len());
    for Matched { signals, relevance, words_share, phrasing, alone, .. } in matched {
        let Some((id, age)) = ages.remove(&signals.id) else { continue };
        let page_rank = ranks.by_number.get(&signals.id).copied().unwrap_or(0.0);
        let graph_share = MAX_GRAPH_WEIGHT * ranks.relevance * libm::sqrt(share(page_rank, highest));
        let prior = age.prior(tx.now_millis());
        let mut one = Ranked {
            score: 0.0,
            signals,
            relevance,
            alone,
            page_rank,
            graph_share,
            words_share,
            id,
            prior,
            backing: None,
            phrasing,
        };
        one.score = one.scored(1.0);
        ranked.push(one);
    }
    ranked.sort_by(Ranked::order);
    let last = limit.saturating_mul(2).min(ranked.len());
    let reach = last.checked_sub(1).map_or(0.0, |last| ranked[last].score);
    for one in ranked.iter_mut().filter(|one| one.scored(1.0 + BACKING_WEIGHT * MAX_BACKING) >= reach) {
        one.weigh(tx, walk)?;
    }
    ranked.sort_by(Ranked::order);
    Ok(ranked)
}

impl Ranked {
    /// Returns the result with its text; `None` if the memory was deleted.
    pub(crate) fn hit(
        mut self,
        tx: &Transaction<'_>,
        walk: &mut FilterEvaluator<'_>,
    ) -> Result<Option<MemoryHit>> {
        let backing = match self.backing {
            Some(backing) => backing,
            // It may have taken the rank of another one, whose score it keeps.
            None => {
                let score = self.score;
                let backing = self.weigh(tx, walk)?;
                self.score = score;
                backing
            }
        };
        let memory = rows::by_number(tx, self.signals.id)?;
        Ok(memory.map(|memory| MemoryHit {
            memory,
            score: self.score,
            signals: self.signals,
            relevance: self.relevance,
            alone: self.alone,
            page_rank: self.page_rank,
            graph_share: self.graph_share,
            words_share: self.words_share,
            prior: self.prior,
            backing,
            phrasing: self.phrasing,
        }))
    }

    /// Loads its backing and updates its score.
    fn weigh(&mut self, tx: &Transaction<'_>, walk: &mut FilterEvaluator<'_>) -> Result<f64> {
        let strength = neighbourhood::backing(tx, &self.id, walk)?;
        let backing = 1.0 + BACKING_WEIGHT * strength.clamp(0.0, MAX_BACKING);
        self.backing = Some(backing);
        self.score = self.scored(backing);
        Ok(backing)
    }

    fn scored(&self, backing: f64) -> f64 {
        let relevant = self.relevance.base + self.words_share + self.graph_share;
        round(relevant * self.prior.boost() * backing, 6)
    }

    /// Compares by score; of equal scores, the one stored later comes first.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.signals.id.cmp(&self.signals.id))
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
