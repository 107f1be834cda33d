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

#[cfg(test)]
mod tests {
    use limbic_protocol::SplitMix64;

    /// limbic-vfs depends on no other crate of the workspace, so that its simulator has a copy of the algorithm.
    #[test]
    fn the_generator_of_the_storage_simulator_gives_the_same_numbers() {
        let (mut ours, mut theirs) = (SplitMix64::new(7), limbic_vfs::simulator::Random::new(7));
        for _ in 0..100 {
            assert_eq!(theirs.number(), ours.next_u64());
        }
    }
}
