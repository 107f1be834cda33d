//! The context of memories: those stored next to the best candidates in the same session, by the same user and in the
//! same domain, within an hour. Memories that the filter does not admit do not count: neither their texts and vectors
//! are read, nor do they take the position of a neighbour. Nothing that other users store changes the context of a
//! user's memories.
//!
//! Neighbours are looked for among [`REACH`] and at most [`FAR_REACH`] more memories on either side, of the same user
//! (or, of memories without a user, in the same domain), so that a search takes the same time in any database.
//!
//! Whether context counts is decided as for observations, by the length of the texts and by how much more similar
//! neighbours are than chance; with too few neighbours for that comparison, it does not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Result, Transaction,
    search::{
        VectorCache,
        context::{self, MAX_PASSAGE_SECONDS, NEAR_BEFORE, NEIGHBOURS, WIDE},
    },
    store::memories::{
        FilterEvaluator,
        sequences::{self, Position, Side},
        stretches::Stretches,
    },
};

/// Number of memories on either side among which neighbours are looked for.
const REACH: usize = 8;

/// Number of memories behind those, where they contain too few neighbours.
const FAR_REACH: usize = 32;

/// Maximum number of memories whose neighbours are looked for that far: the best.
const MAX_FAR: usize = 32;

/// The admitted memories around the best candidates.
#[derive(Default)]
pub(crate) struct Surroundings {
    /// The next memory of the same sequence, by number.
    next: BTreeMap<i64, i64>,
    /// The previous one.
    previous: BTreeMap<i64, i64>,
    /// The time of each memory, by number.
    seconds: BTreeMap<i64, i64>,
    /// The memories whose surroundings were read.
    centres: BTreeSet<i64>,
    /// What walks have read.
    stretches: Stretches,
}

impl Surroundings {
    /// Reads the surroundings of more memories, best first.
    pub(crate) fn read(
        &mut self,
        tx: &Transaction<'_>,
        numbers: &[i64],
        evaluator: &mut FilterEvaluator<'_>,
    ) -> Result<()> {
        let mut positions = sequences::positions(tx, numbers)?;
        let mut walks = Vec::with_capacity(2 * numbers.len());
        for number in numbers {
            let Some(position) = positions.remove(number) else { continue };
            self.centres.insert(*number);
            self.seconds.insert(*number, position.seconds);
            for side in [Side::Before, Side::After] {
                let seen = self.stretches.adjacent(tx, &position.sequence, &position, side, REACH)?;
                walks.push(Walk {
                    position: position.clone(),
                    side,
                    is_far: self.centres.len() <= MAX_FAR,
                    seen,
                });
            }
        }
        let seen: Vec<i64> = walks.iter().flat_map(Walk::own).map(|position| position.number).collect();
        evaluator.test(tx, &seen)?;
        for walk in &mut walks {
            walk.keep_admitted(tx, &mut self.stretches, evaluator)?;
            self.link(walk);
        }
        Ok(())
    }

    /// Returns the memories next to those whose surroundings were read, and these themselves.
    pub(crate) fn adjacent(&self) -> BTreeSet<i64> {
        self.centres.iter().flat_map(|number| self.around(*number, NEIGHBOURS, NEIGHBOURS)).collect()
    }

    /// Returns the coherence of neighbours, 0 to 1; 0 with too few of them to measure it.
    pub(crate) fn coherence(&self, vectors: &VectorCache) -> f64 {
        let adjacent = self.adjacent();
        let next = |number: &i64| self.around(*number, 0, 1).into_iter().find(|other| other != number);
        let pairs: Vec<(i64, i64)> = adjacent
            .iter()
            .filter_map(|number| Some((*number, next(number).filter(|next| adjacent.contains(next))?)))
            .collect();
        context::coherence(&pairs, vectors).unwrap_or(0.0)
    }

    /// Returns the memory's near and wide context, each with the memory itself.
    pub(crate) fn of(&self, number: i64) -> (Vec<i64>, Vec<i64>) {
        (self.around(number, NEAR_BEFORE, 0), self.around(number, WIDE, WIDE))
    }

    /// Joins the memories of a walk in the order of storage.
    fn link(&mut self, walk: &Walk) {
        let mut last = walk.position.number;
        for position in &walk.seen {
            self.seconds.insert(position.number, position.seconds);
            let (earlier, later) = match walk.side {
                Side::Before => (position.number, last),
                Side::After => (last, position.number),
            };
            self.next.insert(earlier, later);
            self.previous.insert(later, earlier);
            last = position.number;
        }
    }

    /// Returns a memory with at most this many memories of its sequence before and after it, in the order of storage,
    /// without those that are further away in time; nothing for a memory whose sequence is not known.
    fn around(&self, number: i64, before: i64, after: i64) -> Vec<i64> {
        let Some(seconds) = self.seconds.get(&number) else { return Vec::new() };
        let along = |links: &BTreeMap<i64, i64>, count: i64| -> Vec<i64> {
            let following = std::iter::successors(links.get(&number), |last| links.get(last));
            following.copied().take(usize::try_from(count).unwrap_or_default()).collect()
        };
        let is_near = |other: &i64| {
            self.seconds
                .get(other)
                .is_some_and(|time| time.abs_diff(*seconds) <= MAX_PASSAGE_SECONDS.unsigned_abs())
        };
        let mut around = along(&self.previous, before);
        around.reverse();
        around.push(number);
        around.extend(along(&self.next, after));
        around.retain(is_near);
        around
    }
}

/// The memories on one side of another one, nearest first.
struct Walk {
    position: Position,
    side: Side,
    /// Whether more are read if these are too few.
    is_far: bool,
    /// At first all memories, then the admitted ones of the same sequence.
    seen: Vec<Position>,
}

impl Walk {
    /// Returns the memories of the same sequence.
    fn own(&self) -> impl Iterator<Item = &Position> {
        self.seen.iter().filter(|position| position.sequence == self.position.sequence)
    }

    /// Removes the memories of other sequences and those that the filter does not admit, and reads more if too few
    /// remain.
    fn keep_admitted(
        &mut self,
        tx: &Transaction<'_>,
        stretches: &mut Stretches,
        evaluator: &mut FilterEvaluator<'_>,
    ) -> Result<()> {
        let all = std::mem::take(&mut self.seen);
        let last = all.last().filter(|_| all.len() == REACH).cloned();
        self.add(tx, all, evaluator)?;
        let wanted = usize::try_from(WIDE).unwrap_or_default();
        if let Some(last) = last.filter(|_| self.is_far && self.seen.len() < wanted) {
            let more = stretches.adjacent(tx, &self.position.sequence, &last, self.side, FAR_REACH)?;
            self.add(tx, more, evaluator)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        tx: &Transaction<'_>,
        mut all: Vec<Position>,
        evaluator: &mut FilterEvaluator<'_>,
    ) -> Result<()> {
        all.retain(|position| position.sequence == self.position.sequence);
        evaluator.test(tx, &all.iter().map(|position| position.number).collect::<Vec<_>>())?;
        for position in all {
            if evaluator.admits(tx, position.number)? {
                self.seen.push(position);
            }
        }
        Ok(())
    }
}
