//! The context of memories: those stored next to the best candidates in the same session, by the same user and in the
//! same domain, within an hour. Of memories that the filter does not admit, texts and vectors are not read. Their number
//! counts: those that lie between two memories may change which neighbours are found.
//!
//! Whether context counts is decided as for observations, by the length of the texts and by how much more similar
//! neighbours are than chance; with too few neighbours for that comparison, it does not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Result, Transaction,
    search::{
        VectorCache,
        context::{self, NEAR_BEFORE, NEIGHBOURS, PASSAGE_SECONDS, WIDE},
    },
    store::memories::{
        FilterEvaluator,
        sequences::{self, Sequence},
    },
};

/// Number of memories on either side among which neighbours are looked for.
const REACH: i64 = 2 * WIDE;

/// The same where memories of other sessions lie in between.
const FAR_REACH: i64 = 32;

/// Maximum number of memories whose neighbours are looked for that far.
const FAR: usize = 32;

/// The memories around the best candidates.
#[derive(Default)]
pub struct Surroundings {
    /// The memories of each sequence with their time, by number.
    sequences: BTreeMap<Sequence, BTreeMap<i64, i64>>,
    /// The sequence of each memory.
    sequence_of: BTreeMap<i64, Sequence>,
    /// The memories whose surroundings were read.
    centres: BTreeSet<i64>,
    /// Those of them whose neighbours were looked for further away.
    scattered: BTreeSet<i64>,
    /// Those of them and of their neighbours that the filter admits.
    admitted: BTreeSet<i64>,
}

impl Surroundings {
    /// Reads the surroundings of more memories, best first.
    pub fn read(
        &mut self,
        tx: &Transaction<'_>,
        numbers: &[i64],
        evaluator: &mut FilterEvaluator,
    ) -> Result<()> {
        self.load(tx, numbers, REACH)?;
        let scattered: Vec<i64> =
            numbers.iter().copied().filter(|number| self.is_scattered(*number)).take(FAR).collect();
        self.load(tx, &scattered, FAR_REACH)?;
        self.scattered.extend(scattered);
        self.centres.extend(numbers);
        let around: BTreeSet<i64> =
            numbers.iter().flat_map(|number| self.around(*number, WIDE, WIDE)).collect();
        evaluator.test(tx, &around.iter().copied().collect::<Vec<_>>())?;
        for number in around {
            if evaluator.admits(tx, number)? {
                self.admitted.insert(number);
            }
        }
        Ok(())
    }

    /// Returns the memories next to those whose surroundings were read, and these themselves.
    pub fn beside(&self) -> BTreeSet<i64> {
        self.centres.iter().flat_map(|number| self.near(*number, NEIGHBOURS, NEIGHBOURS)).collect()
    }

    /// Returns the coherence of neighbours, 0 to 1; 0 with too few of them to tell.
    pub fn coherence(&self, vectors: &VectorCache) -> f64 {
        let beside = self.beside();
        let next = |number: &i64| self.near(*number, 0, 1).into_iter().find(|other| other > number);
        let pairs: Vec<(i64, i64)> = beside
            .iter()
            .filter_map(|number| Some((*number, next(number).filter(|next| beside.contains(next))?)))
            .collect();
        context::coherence(&pairs, vectors).unwrap_or(0.0)
    }

    /// Returns the memory's near and wide context, each with the memory itself.
    pub fn of(&self, number: i64) -> (Vec<i64>, Vec<i64>) {
        (self.near(number, NEAR_BEFORE, 0), self.near(number, WIDE, WIDE))
    }

    /// Adds the memories whose numbers differ by at most `reach` from one of these.
    fn load(&mut self, tx: &Transaction<'_>, numbers: &[i64], reach: i64) -> Result<()> {
        let window = |number: &i64| number.saturating_sub(reach)..=number.saturating_add(reach);
        let wanted: BTreeSet<i64> = numbers.iter().flat_map(window).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        for (sequence, memories) in sequences::sequences(tx, wanted.into_iter())? {
            self.sequence_of.extend(memories.keys().map(|number| (*number, sequence.clone())));
            self.sequences.entry(sequence).or_default().extend(memories);
        }
        Ok(())
    }

    /// Whether a memory has fewer neighbours than it might have, because others lie in between.
    fn is_scattered(&self, number: i64) -> bool {
        let sides = [number.saturating_sub(REACH)..number, number + 1..number.saturating_add(REACH + 1)];
        sides.into_iter().any(|side| {
            let own = self.sequence(number).map_or(0, |own| own.range(side.clone()).count());
            let all = self.sequence_of.range(side).count();
            own < usize::try_from(WIDE).unwrap_or_default() && all > own
        })
    }

    /// Returns the sequence of a memory.
    fn sequence(&self, number: i64) -> Option<&BTreeMap<i64, i64>> {
        self.sequences.get(self.sequence_of.get(&number)?)
    }

    /// Returns the admitted ones of [`Surroundings::around`].
    fn near(&self, number: i64, before: i64, after: i64) -> Vec<i64> {
        let admitted = |number: &i64| self.admitted.contains(number);
        self.around(number, before, after).into_iter().filter(admitted).collect()
    }

    /// Returns a memory with at most this many memories of its sequence before and after it, without those that are
    /// further away in time; nothing for a memory whose sequence is not known.
    fn around(&self, number: i64, before: i64, after: i64) -> Vec<i64> {
        let Some((sequence, seconds)) =
            self.sequence(number).and_then(|sequence| Some((sequence, *sequence.get(&number)?)))
        else {
            return Vec::new();
        };
        let count = |count: i64| usize::try_from(count).unwrap_or_default();
        let reach = if self.scattered.contains(&number) { FAR_REACH } else { REACH };
        let earlier = sequence.range(number.saturating_sub(reach)..number).rev().take(count(before));
        let later = sequence.range(number..=number.saturating_add(reach)).take(count(after) + 1);
        let is_near = |other: i64| other.abs_diff(seconds) <= PASSAGE_SECONDS.unsigned_abs();
        let near = |(other, time): (&i64, &i64)| is_near(*time).then_some(*other);
        earlier.chain(later).filter_map(near).collect()
    }
}
