//! Stretches of the order of storage that were read, so that memories close to each other share their walks.

use super::sequences::{self, Position, Sequence, Side};
use crate::{Result, Transaction};

/// Stretches of consecutive memories that walks of one search have read. The database must not change between walks.
#[derive(Default)]
pub struct Stretches {
    stretches: Vec<Stretch>,
}

/// Consecutive memories among those that walks visit, by row.
struct Stretch {
    /// The sequence of the memory from which it was read.
    sequence: Sequence,
    positions: Vec<Position>,
    /// Whether there is none before the first one.
    has_start: bool,
    /// Whether there is none after the last one.
    has_end: bool,
}

impl Stretches {
    /// Returns what [`sequences::adjacent`] returns for the row of a position, and reads only what no earlier walk has
    /// read. The position must be one that walks of the sequence visit.
    pub fn adjacent(
        &mut self,
        tx: &Transaction<'_>,
        sequence: &Sequence,
        position: &Position,
        side: Side,
        limit: usize,
    ) -> Result<Vec<Position>> {
        let known = self.stretches.iter().position(|stretch| stretch.contains(sequence, position.row));
        let index = known.unwrap_or(self.stretches.len());
        if known.is_none() {
            self.stretches.push(Stretch {
                sequence: sequence.clone(),
                positions: vec![position.clone()],
                has_start: false,
                has_end: false,
            });
        }
        let stretch = &mut self.stretches[index];
        stretch.extend(tx, position, side, limit)?;
        Ok(stretch.adjacent(position, side, limit))
    }
}

impl Stretch {
    fn contains(&self, sequence: &Sequence, row: i64) -> bool {
        let ends = self.positions.first().zip(self.positions.last());
        self.sequence.shares_walk(sequence) && ends.is_some_and(|(a, b)| (a.row..=b.row).contains(&row))
    }

    /// Reads as many positions as are missing.
    fn extend(&mut self, tx: &Transaction<'_>, position: &Position, side: Side, limit: usize) -> Result<()> {
        let index = self.index(position);
        let (known, is_all, end) = match side {
            Side::Before => (index, self.has_start, self.positions.first()),
            Side::After => (self.positions.len() - index - 1, self.has_end, self.positions.last()),
        };
        let Some(end) = end.filter(|_| known < limit && !is_all) else { return Ok(()) };
        let more = sequences::adjacent(tx, &self.sequence, (end.row, side), limit - known)?;
        let is_all = more.len() < limit - known;
        match side {
            Side::Before => {
                self.has_start = is_all;
                self.positions.splice(..0, more.into_iter().rev());
            }
            Side::After => {
                self.has_end = is_all;
                self.positions.extend(more);
            }
        }
        Ok(())
    }

    fn adjacent(&self, position: &Position, side: Side, limit: usize) -> Vec<Position> {
        let index = self.index(position);
        match side {
            Side::Before => self.positions[..index].iter().rev().take(limit).cloned().collect(),
            Side::After => self.positions[index + 1..].iter().take(limit).cloned().collect(),
        }
    }

    /// The index of a position of the stretch.
    fn index(&self, position: &Position) -> usize {
        self.positions.partition_point(|other| other.row < position.row)
    }
}
