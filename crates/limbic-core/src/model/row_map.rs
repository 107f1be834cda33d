//! Maps and sets of row numbers, with a hash that takes a tenth of the time of the standard library's. That one resists
//! keys that somebody chose to collide; the database numbers its rows itself.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

/// A map whose keys are, or consist of, row numbers.
pub(crate) type RowMap<V, K = i64> = HashMap<K, V, BuildHasherDefault<RowHasher>>;

/// A set of row numbers.
pub(crate) type RowSet = HashSet<i64, BuildHasherDefault<RowHasher>>;

/// 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplicative hashing of integers.
#[derive(Default)]
pub(crate) struct RowHasher(u64);

impl Hasher for RowHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    /// Multiplies, and folds the high half of the product into the low one, so that all bits of the number affect those
    /// that a map uses.
    #[allow(clippy::cast_possible_truncation, reason = "the two halves of the product")]
    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0.rotate_left(5) ^ number) * u128::from(MULTIPLIER);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    /// The discriminant of an enum.
    fn write_isize(&mut self, number: isize) {
        self.write_i64(number as i64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, hash::BuildHasher};

    use super::*;

    #[test]
    fn numbers_at_any_distance_spread() {
        let hasher = BuildHasherDefault::<RowHasher>::default();
        for shift in 0..=32 {
            let hashes: Vec<u64> = (0..256_i64).map(|number| hasher.hash_one(number << shift)).collect();
            let low: BTreeSet<u64> = hashes.iter().map(|hash| hash % 1024).collect();
            let high: BTreeSet<u64> = hashes.iter().map(|hash| hash >> 57).collect();
            assert!(low.len() > 128 && high.len() > 32, "{shift}: {} {}", low.len(), high.len());
        }
    }
}
