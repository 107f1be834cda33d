//! Reproducible pseudorandom numbers. `limbic_protocol::SplitMix64` is the same algorithm; limbic-vfs depends on no
//! other crate of the workspace.

/// A pseudorandom number generator (SplitMix64): the same seed gives the same numbers on every platform.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns a random number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `end`, exclusive; `end` must be positive.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// Returns a random byte.
    pub fn byte(&mut self) -> u8 {
        self.number().to_le_bytes()[0]
    }

    /// Returns true with a probability of 1 in `of`.
    pub fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}
