//! Pseudorandom numbers that are the same on every machine, for the test encoder, the simulators and tests.

/// The generator SplitMix64: the same seed gives the same numbers.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `limit`, exclusive; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit.max(1)
    }

    /// As [`SplitMix64::below`], for an index.
    pub fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).unwrap_or_default()
    }

    /// Returns one of the choices, of which there must be one at least.
    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.index(choices.len())]
    }

    /// Returns true with a probability of 1 in `count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Returns a random byte.
    pub fn byte(&mut self) -> u8 {
        self.next_u64().to_le_bytes()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_match_the_published_ones() {
        let mut numbers = SplitMix64::new(1_234_567);
        let first = [(); 3].map(|()| numbers.next_u64());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
