//! Pseudorandom numbers for tests, the same on every machine.

/// A pseudorandom number generator.
pub struct Random(pub u64);

impl Random {
    /// Returns a number from 0 to `limit`, exclusive.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Returns one of the items.
    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        let index = self.below(u64::try_from(choices.len()).unwrap_or(1));
        choices[usize::try_from(index).unwrap_or(0)]
    }
}
