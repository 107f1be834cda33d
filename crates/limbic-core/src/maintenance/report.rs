//! A report on the whole memory: large entities, near-duplicates and unused entities.

use super::split::{self, Analysis};
use crate::{
    Result, Transaction,
    store::{
        counts::{self, Flagged, Stale},
        graph::{
            entities::{self, Entity},
            observations,
        },
    },
};

/// Maximum length of each list.
pub(crate) const MAX_LIST: usize = 50;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// A report. Each list has its first `MAX_LIST` items, after the total count.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Number of entities.
    pub entities: u64,
    /// Number of current observations.
    pub observations: u64,
    /// Entities that need a split, highest score first.
    pub split_candidates: (usize, Vec<Analysis>),
    /// Observations that are near-duplicates of another one of their entity.
    pub flagged: (u64, Vec<Flagged>),
    /// Unused entities, the longest unused first.
    pub stale: (u64, Vec<Stale>),
    /// Entities with many observations, whatever their topics, with the count, the largest first.
    pub large: (usize, Vec<(Entity, usize)>),
}

/// Creates the report. An entity is stale if no search found it for `stale_days`.
pub fn report(tx: &Transaction<'_>, stale_days: f64) -> Result<Report> {
    Ok(Report {
        entities: entities::count(tx)?,
        observations: observations::count(tx)?,
        split_candidates: first(split::candidates(tx)?),
        flagged: counts::flagged(tx, MAX_LIST)?,
        stale: counts::stale(tx, tx.now_seconds() - seconds(stale_days), MAX_LIST)?,
        large: first(split::large(tx)?),
    })
}

/// Converts days to whole seconds.
#[allow(clippy::cast_possible_truncation, reason = "a float beyond the range becomes its end")]
pub(super) fn seconds(days: f64) -> i64 {
    // Longer than any age, and short enough that no difference overflows.
    const MAX_SECONDS: f64 = 1e15;
    libm::round((days * SECONDS_PER_DAY).clamp(0.0, MAX_SECONDS)) as i64
}

fn first<T>(mut items: Vec<T>) -> (usize, Vec<T>) {
    let total = items.len();
    items.truncate(MAX_LIST);
    (total, items)
}
