//! The newest rows that match an expression, as far as they are known, and what follows from them.

use std::cmp::Ordering;

/// The newest rows that match an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewestRows {
    /// Newest first.
    rows: Vec<i64>,
    /// Whether a row before this one matches is not known.
    known_from: i64,
}

/// No rows: those of an expression without words.
impl Default for NewestRows {
    fn default() -> Self {
        Self::all(Vec::new())
    }
}

impl NewestRows {
    /// Rows, newest first, of which at most `limit` were read.
    pub(crate) fn read(rows: Vec<i64>, limit: usize) -> Self {
        let oldest = rows.last().filter(|_| rows.len() >= limit);
        Self { known_from: oldest.copied().unwrap_or(i64::MIN), rows }
    }

    /// All matching rows, newest first.
    pub(crate) fn all(rows: Vec<i64>) -> Self {
        Self { known_from: i64::MIN, rows }
    }

    /// Returns this many of the newest matching rows, newest first; `None` if not all of these are known.
    pub(crate) fn newest(&self, limit: usize) -> Option<&[i64]> {
        self.count(limit).map(|count| &self.rows[..count])
    }

    /// The number of rows that are known.
    pub(crate) fn known(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of matching rows, or the limit if there are more; `None` if that is not known.
    pub(crate) fn count(&self, limit: usize) -> Option<usize> {
        let is_known = self.known_from == i64::MIN || self.rows.len() >= limit;
        is_known.then_some(self.rows.len().min(limit))
    }

    /// Returns the number of matching rows after a row; `None` if that is not known.
    pub(crate) fn count_after(&self, row: i64) -> Option<usize> {
        (row.saturating_add(1) >= self.known_from).then(|| self.rows.partition_point(|other| *other > row))
    }

    /// Whether a row matches; `None` if that is not known.
    pub(crate) fn contains(&self, row: i64) -> Option<bool> {
        (row >= self.known_from).then(|| self.rows.binary_search_by(|other| row.cmp(other)).is_ok())
    }

    /// Returns the rows that match both expressions.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let known_from = self.known_from.max(other.known_from);
        let (mut ones, mut twos) = (self.since(known_from), other.since(known_from));
        let mut rows = Vec::with_capacity(ones.len().min(twos.len()));
        while let ([one, older_ones @ ..], [two, older_twos @ ..]) = (ones, twos) {
            match one.cmp(two) {
                Ordering::Greater => ones = older_ones,
                Ordering::Less => twos = older_twos,
                Ordering::Equal => {
                    rows.push(*one);
                    (ones, twos) = (older_ones, older_twos);
                }
            }
        }
        Self { rows, known_from }
    }

    /// Returns the rows that match either expression.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let known_from = self.known_from.max(other.known_from);
        let (mut ones, mut twos) = (self.since(known_from), other.since(known_from));
        let mut rows = Vec::with_capacity(ones.len() + twos.len());
        while let ([one, older_ones @ ..], [two, older_twos @ ..]) = (ones, twos) {
            rows.push(*one.max(two));
            match one.cmp(two) {
                Ordering::Greater => ones = older_ones,
                Ordering::Less => twos = older_twos,
                Ordering::Equal => (ones, twos) = (older_ones, older_twos),
            }
        }
        rows.extend_from_slice(ones);
        rows.extend_from_slice(twos);
        Self { rows, known_from }
    }

    /// The rows from this one on, newest first.
    fn since(&self, first: i64) -> &[i64] {
        &self.rows[..self.rows.partition_point(|row| *row >= first)]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use limbic_protocol::SplitMix64;

    use super::*;

    /// Rows that match with a probability of one in this many, all of them and the newest.
    fn some(random: &mut SplitMix64, one_in: usize, limit: usize) -> (BTreeSet<i64>, NewestRows) {
        let all: BTreeSet<i64> = (1..=100).filter(|_| random.index(one_in) == 0).collect();
        let newest: Vec<i64> = all.iter().rev().take(limit).copied().collect();
        (all, NewestRows::read(newest, limit))
    }

    #[test]
    fn counts_from_the_newest_rows_equal_those_of_all_rows() {
        let mut random = SplitMix64::new(1);
        let (mut known, mut unknown) = (0, 0);
        for _ in 0..500 {
            let [few, many] = [1, 2].map(|_| 1 + random.index(60));
            let (one, newest_of_one) = some(&mut random, 1 + few % 7, few);
            let (two, newest_of_two) = some(&mut random, 1 + many % 5, many);
            let cases = [
                (one.clone(), newest_of_one.clone()),
                (&one & &two, newest_of_one.and(&newest_of_two)),
                (&one | &two, newest_of_one.or(&newest_of_two)),
            ];
            for (all, newest) in cases {
                for number in [1, 10, 40, 70, 100] {
                    let row = i64::try_from(number).expect("it is small");
                    let pairs = [
                        newest.count(number).map(|count| (count, all.len().min(number))),
                        newest.count_after(row).map(|count| (count, all.range(row + 1..).count())),
                        newest.contains(row).map(|it| (usize::from(it), usize::from(all.contains(&row)))),
                    ];
                    for pair in pairs {
                        match pair {
                            Some((found, expected)) => {
                                assert_eq!(found, expected, "{number} of {all:?}, {newest:?}");
                                known += 1;
                            }
                            None => unknown += 1,
                        }
                    }
                }
            }
        }
        assert!(known > 5_000 && unknown > 1_000, "{known} {unknown}");
    }
}
