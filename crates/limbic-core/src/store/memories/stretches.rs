//! Stretches of the order of storage that were read, so that memories close to each other share their walks.

use super::sequences::{self, Place, Sequence, Side};
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
    places: Vec<Place>,
    /// Whether there is none before the first one.
    has_start: bool,
    /// Whether there is none after the last one.
    has_end: bool,
}

impl Stretches {
    /// Returns what [`sequences::beside`] returns for the row of a place, and reads only what no earlier walk has read.
    /// The place must be one that walks of the sequence visit.
    pub fn beside(
        &mut self,
        tx: &Transaction<'_>,
        sequence: &Sequence,
        place: &Place,
        side: Side,
        limit: usize,
    ) -> Result<Vec<Place>> {
        let known = self.stretches.iter().position(|stretch| stretch.contains(sequence, place.row));
        let index = known.unwrap_or(self.stretches.len());
        if known.is_none() {
            self.stretches.push(Stretch {
                sequence: sequence.clone(),
                places: vec![place.clone()],
                has_start: false,
                has_end: false,
            });
        }
        let stretch = &mut self.stretches[index];
        stretch.extend(tx, place, side, limit)?;
        Ok(stretch.beside(place, side, limit))
    }
}

impl Stretch {
    fn contains(&self, sequence: &Sequence, row: i64) -> bool {
        let ends = self.places.first().zip(self.places.last());
        self.sequence.shares_walk(sequence) && ends.is_some_and(|(a, b)| (a.row..=b.row).contains(&row))
    }

    /// Reads as many places as are missing.
    fn extend(&mut self, tx: &Transaction<'_>, place: &Place, side: Side, limit: usize) -> Result<()> {
        let index = self.index(place);
        let (known, is_all, end) = match side {
            Side::Before => (index, self.has_start, self.places.first()),
            Side::After => (self.places.len() - index - 1, self.has_end, self.places.last()),
        };
        let Some(end) = end.filter(|_| known < limit && !is_all) else { return Ok(()) };
        let more = sequences::beside(tx, &self.sequence, (end.row, side), limit - known)?;
        let is_all = more.len() < limit - known;
        match side {
            Side::Before => {
                self.has_start = is_all;
                self.places.splice(..0, more.into_iter().rev());
            }
            Side::After => {
                self.has_end = is_all;
                self.places.extend(more);
            }
        }
        Ok(())
    }

    fn beside(&self, place: &Place, side: Side, limit: usize) -> Vec<Place> {
        let index = self.index(place);
        match side {
            Side::Before => self.places[..index].iter().rev().take(limit).cloned().collect(),
            Side::After => self.places[index + 1..].iter().take(limit).cloned().collect(),
        }
    }

    /// The index of a place of the stretch.
    fn index(&self, place: &Place) -> usize {
        self.places.partition_point(|other| other.row < place.row)
    }
}
