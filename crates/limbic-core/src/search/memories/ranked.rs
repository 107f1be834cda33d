//! What each candidate counts for, without its text: most of them are not answered.

use std::cmp::Ordering;

use super::{MemoryHit, link_expansion::Ranks};
use crate::{
    Result, Transaction,
    search::{fusion::Relevance, round, signals::Signals},
    store::memories::{self as rows, Admission, Prior, neighbourhood},
};

/// What the memory gains whose words match best.
const WORDS_WEIGHT: f64 = 0.1;

/// What the memory gains that links lead to most, where the best seed has a relevance of 1.
const GRAPH_WEIGHT: f64 = 0.4;

/// What a memory gains that is supported with a strength of 1, or refines or supersedes another.
const BACKING_WEIGHT: f64 = 0.05;

/// More strength than this adds nothing.
const BACKING_MOST: f64 = 3.0;

/// A candidate and what it counts for.
pub struct Ranked {
    /// What orders the candidates; without the backing where that is not known.
    pub score: f64,
    /// What the signals say of it.
    pub signals: Signals,
    relevance: Relevance,
    page_rank: f64,
    graph_share: f64,
    words_share: f64,
    id: String,
    prior: Prior,
    backing: Option<f64>,
}

/// The candidates, best first, then by number. Of the first `limit`, and as many again, the order is exact: those that
/// backing cannot bring among them are not asked for theirs.
pub(crate) fn best_first(
    tx: &Transaction<'_>,
    signals: &[Signals],
    relevance: &[Relevance],
    ranks: &Ranks,
    limit: usize,
    walk: &mut Admission,
) -> Result<Vec<Ranked>> {
    let most_words = signals.iter().filter_map(|signals| signals.lexical).fold(0.0, f64::max);
    let highest = ranks.by_number.values().copied().fold(0.0, f64::max);
    let numbers: Vec<i64> = signals.iter().map(|signals| signals.id).collect();
    let mut ages = rows::ages_of(tx, &numbers)?;
    let mut ranked = Vec::with_capacity(signals.len());
    for (signals, relevance) in signals.iter().zip(relevance) {
        let Some((id, age)) = ages.remove(&signals.id) else { continue };
        let page_rank = ranks.by_number.get(&signals.id).copied().unwrap_or(0.0);
        let graph_share = GRAPH_WEIGHT * ranks.relevance * libm::sqrt(share(page_rank, highest));
        let words_share = WORDS_WEIGHT * share(signals.lexical.unwrap_or(0.0), most_words);
        let prior = age.prior(tx.now_millis());
        let mut one = Ranked {
            score: 0.0,
            signals: *signals,
            relevance: *relevance,
            page_rank,
            graph_share,
            words_share,
            id,
            prior,
            backing: None,
        };
        one.score = one.scored(1.0);
        ranked.push(one);
    }
    ranked.sort_by(Ranked::order);
    let last = limit.saturating_mul(2).min(ranked.len());
    let reach = last.checked_sub(1).map_or(0.0, |last| ranked[last].score);
    for one in ranked.iter_mut().filter(|one| one.scored(1.0 + BACKING_WEIGHT * BACKING_MOST) >= reach) {
        one.weigh(tx, walk)?;
    }
    ranked.sort_by(Ranked::order);
    Ok(ranked)
}

impl Ranked {
    /// The result with its text; nothing when the memory is gone.
    pub fn hit(mut self, tx: &Transaction<'_>, walk: &mut Admission) -> Result<Option<MemoryHit>> {
        let backing = match self.backing {
            Some(backing) => backing,
            // It may have taken the place of another, whose score it keeps.
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
            page_rank: self.page_rank,
            graph_share: self.graph_share,
            words_share: self.words_share,
            prior: self.prior,
            backing,
        }))
    }

    /// Takes in what backs it.
    fn weigh(&mut self, tx: &Transaction<'_>, walk: &mut Admission) -> Result<f64> {
        let strength = neighbourhood::backing(tx, &self.id, walk)?;
        let backing = 1.0 + BACKING_WEIGHT * strength.clamp(0.0, BACKING_MOST);
        self.backing = Some(backing);
        self.score = self.scored(backing);
        Ok(backing)
    }

    fn scored(&self, backing: f64) -> f64 {
        let relevant = self.relevance.base + self.words_share + self.graph_share;
        round(relevant * self.prior.factor() * backing, 6)
    }

    /// By score; of equals the one stored later comes first.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.signals.id.cmp(&self.signals.id))
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
