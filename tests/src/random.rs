//! Pseudorandom numbers for tests, the same on every machine.

use limbic_protocol::SplitMix64;

/// A pseudorandom number generator with choices.
pub struct Random(SplitMix64);

impl Random {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Returns a number from 0 to `limit`, exclusive; `limit` must be positive.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit
    }

    /// Returns one of the items.
    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.0.below(choices.len())]
    }
}
