//! Quality of search results: NDCG with and without limbic factors.

use super::report::seconds;
use crate::{
    Result, Transaction,
    model::{
        quality::{JudgedSearch, mean},
        usage::Weights,
    },
    store::{
        logs::{feedback, search_log},
        ranking_weights,
    },
};

/// Maximum number of searches that are judged: the newest.
const MAX_JUDGED: usize = 1000;

/// The evaluation of the search log and the implicit feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchQuality {
    /// Searches ordered by limbic factors.
    pub limbic: Arm,
    /// Searches ordered by relevance alone.
    pub baseline: Arm,
    /// The current weights.
    pub weights: Weights,
    /// When they were last tuned: ISO 8601.
    pub tuned_at: Option<String>,
}

/// Searches that were ordered in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arm {
    /// Number of searches.
    pub count: u64,
    /// Number of searches with feedback.
    pub judged: usize,
    /// Mean NDCG@5 of the answers; `None` if none could be judged.
    pub ndcg: Option<f64>,
    /// Improvement of NDCG@5 by limbic factors over relevance alone.
    pub lift: Option<f64>,
}

/// Evaluates the searches of the last `days` days.
pub fn report(tx: &Transaction<'_>, days: f64) -> Result<SearchQuality> {
    let since = tx.now_seconds() - seconds(days);
    let (limbic, baseline) = search_log::count(tx, since)?;
    let weights = ranking_weights::load(tx)?;
    let (treated, untreated): (Vec<JudgedSearch>, Vec<JudgedSearch>) =
        feedback::judged(tx, since, MAX_JUDGED)?.into_iter().partition(|judged| judged.treatment);
    Ok(SearchQuality {
        limbic: arm(limbic, &treated, |judged| judged.as_answered() - judged.by_relevance()),
        baseline: arm(baseline, &untreated, |judged| judged.with_weights(weights) - judged.by_relevance()),
        weights,
        tuned_at: ranking_weights::tuned_at(tx)?,
    })
}

fn arm(count: u64, searches: &[JudgedSearch], lift: impl Fn(&JudgedSearch) -> f64) -> Arm {
    Arm {
        count,
        judged: searches.len(),
        ndcg: mean(searches, JudgedSearch::as_answered),
        lift: mean(searches, lift),
    }
}
