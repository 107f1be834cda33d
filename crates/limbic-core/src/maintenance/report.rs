//! The state of the whole memory: what is too large, said twice or no longer asked for.

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

/// The most items of each list.
pub const LONGEST_LIST: usize = 50;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// What a report says. Each list holds the first [`LONGEST_LIST`] and how many there are in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How many entities there are.
    pub entities: u64,
    /// How many current observations there are.
    pub observations: u64,
    /// Entities that need a split, those that need it most first.
    pub split_candidates: (usize, Vec<Analysis>),
    /// Observations that say nearly the same as another of their entity.
    pub flagged: (u64, Vec<Flagged>),
    /// Unused entities, the longest unused first.
    pub stale: (u64, Vec<Stale>),
    /// Entities with many observations, whatever their topics, with their number, the largest first.
    pub large: (usize, Vec<(Entity, usize)>),
}

/// Looks through the whole memory. An entity is stale when it was not found for `stale_days`.
///
/// # Errors
/// Those of the database.
pub fn report(tx: &Transaction<'_>, stale_days: f64) -> Result<Report> {
    Ok(Report {
        entities: entities::count(tx)?,
        observations: observations::count(tx)?,
        split_candidates: first(split::candidates(tx)?),
        flagged: counts::flagged(tx, LONGEST_LIST)?,
        stale: counts::stale(tx, tx.now_seconds() - seconds(stale_days), LONGEST_LIST)?,
        large: first(split::large(tx)?),
    })
}

/// Days in whole seconds.
#[allow(clippy::cast_possible_truncation, reason = "a float beyond the range becomes its end")]
pub(super) fn seconds(days: f64) -> i64 {
    // Far enough that nothing is older, and no difference overflows.
    const LONGEST: f64 = 1e15;
    libm::round((days * SECONDS_PER_DAY).clamp(0.0, LONGEST)) as i64
}

fn first<T>(mut items: Vec<T>) -> (usize, Vec<T>) {
    let total = items.len();
    items.truncate(LONGEST_LIST);
    (total, items)
}
