//! Sign bits of token vectors, one per dimension.

use serde::{Deserialize, Serialize};

/// The sign bits of token vectors of one width, concatenated: an eighth of the width in bytes each.
///
/// Dimension `d` of a token is bit `d % 8` (least significant first) of its byte `d / 8`; 1 means positive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignBits(pub Vec<u8>);

impl SignBits {
    /// Appends the signs of a token vector, whose width is a multiple of eight. Zero is stored as negative.
    pub fn push(&mut self, vector: &[f32]) {
        debug_assert!(vector.len().is_multiple_of(8), "{} is not a multiple of eight", vector.len());
        self.0.extend(vector.chunks_exact(8).map(|eight| {
            eight.iter().enumerate().fold(0_u8, |byte, (bit, value)| byte | (u8::from(*value > 0.0) << bit))
        }));
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_sets_bit_d_for_dimension_d() {
        let mut vector = vec![-1.0; 384];
        vector[0] = 0.5;
        vector[11] = 2.0;
        vector[383] = 0.1;
        let mut bits = SignBits::default();
        bits.push(&vector);
        assert_eq!(bits.0.len(), 48);
        assert_eq!(bits.0[0], 0b0000_0001);
        assert_eq!(bits.0[1], 0b0000_1000);
        assert_eq!(bits.0[47], 0b1000_0000);
        assert_eq!(bits.0.iter().map(|byte| byte.count_ones()).sum::<u32>(), 3);
    }
}
