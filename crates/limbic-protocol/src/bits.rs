//! One sign bit for each dimension of a token vector.

use serde::{Deserialize, Serialize};

use crate::DIMENSIONS;

/// Bytes that hold the signs of one token vector.
pub const BYTES_PER_TOKEN: usize = DIMENSIONS / 8;

/// The signs of some token vectors, one after the other, [`BYTES_PER_TOKEN`] bytes each.
///
/// Dimension `d` of a token is bit `d % 8` (lowest first) of its byte `d / 8`; 1 says positive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignBits(pub Vec<u8>);

impl SignBits {
    /// Adds the signs of one token vector of [`DIMENSIONS`] numbers. Zero counts as negative.
    pub fn push(&mut self, vector: &[f32]) {
        debug_assert_eq!(vector.len(), DIMENSIONS);
        self.0.extend(vector.chunks_exact(8).map(|eight| {
            eight.iter().enumerate().fold(0_u8, |byte, (bit, value)| byte | (u8::from(*value > 0.0) << bit))
        }));
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / BYTES_PER_TOKEN
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_dimension_d_is_bit_d() {
        let mut vector = vec![-1.0; DIMENSIONS];
        vector[0] = 0.5;
        vector[11] = 2.0;
        vector[383] = 0.1;
        let mut bits = SignBits::default();
        bits.push(&vector);
        assert_eq!(bits.len(), 1);
        assert_eq!(bits.0[0], 0b0000_0001);
        assert_eq!(bits.0[1], 0b0000_1000);
        assert_eq!(bits.0[47], 0b1000_0000);
        assert_eq!(bits.0.iter().map(|byte| byte.count_ones()).sum::<u32>(), 3);
    }
}
