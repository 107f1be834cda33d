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
    prior: Prior,
    backing: Option<f64>,
    /// Index of the phrasing that it matches best.
    pub phrasing: usize,
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
    let mut ages = rows::ages_of(tx, &numbers, walk)?;
    let mut ranked = Vec::with_capacity(matched.len());
    for Matched { signals, relevance, words_share, phrasing, alone, .. } in matched {
        let Some(age) = ages.remove(&signals.id) else { continue };
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
    let mut reaching: Vec<&mut Ranked> =
        ranked.iter_mut().filter(|one| one.scored(1.0 + BACKING_WEIGHT * MAX_BACKING) >= reach).collect();
    let backing = backing(tx, reaching.iter().map(|one| one.signals.id), walk)?;
    for (one, backing) in reaching.iter_mut().zip(backing) {
        one.backing = Some(backing);
        one.score = one.scored(backing);
    }
    ranked.sort_by(Ranked::order);
    Ok(ranked)
}

/// Returns the results with their texts; deleted memories are omitted.
pub(crate) fn hits(
    tx: &Transaction<'_>,
    ranked: Vec<Ranked>,
    walk: &mut FilterEvaluator<'_>,
) -> Result<Vec<MemoryHit>> {
    // A hit that took the rank of a near-duplicate may come from below those whose backing was loaded. Its score is
    // that of the rank, whatever its backing, which only explains the hit.
    let unknown = ranked.iter().filter(|one| one.backing.is_none()).map(|one| one.signals.id);
    let mut unknown = backing(tx, unknown, walk)?.into_iter();
    let mut hits = Vec::with_capacity(ranked.len());
    for one in ranked {
        let backing = one.backing.or_else(|| unknown.next()).unwrap_or(1.0);
        hits.extend(one.hit(tx, backing)?);
    }
    Ok(hits)
}

/// Returns the factor for links of each of these memories, in order.
fn backing(
    tx: &Transaction<'_>,
    numbers: impl Iterator<Item = i64>,
    walk: &mut FilterEvaluator<'_>,
) -> Result<Vec<f64>> {
    let numbers: Vec<i64> = numbers.collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let strengths = neighbourhood::backing(tx, &numbers, walk)?;
    let factor = |number: &i64| {
        let strength = strengths.get(number).copied().unwrap_or(0.0);
        1.0 + BACKING_WEIGHT * strength.clamp(0.0, MAX_BACKING)
    };
    Ok(numbers.iter().map(factor).collect())
}

impl Ranked {
    /// Returns the result with its text; `None` if the memory was deleted.
    fn hit(self, tx: &Transaction<'_>, backing: f64) -> Result<Option<MemoryHit>> {
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
