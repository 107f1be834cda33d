//! Products of 16-bit rows and 8-bit weights, accumulated exactly in 32 bits.
//!
//! They are computed tile by tile (`tile`).

pub use lanes::{Step, product, widen};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod lanes {
    use std::arch::wasm32::{
        f32x4_convert_i32x4, f32x4_extract_lane, i16x8, i32x4_add, i32x4_dot_i16x8, i32x4_splat, v128,
    };

    use crate::model::tile::{OUTPUTS, Packed, Pair, ROWS};

    /// [`Packed`] as 16-bit integers.
    pub type Step = [v128; 2];

    /// Widens the weights to 16 bits.
    #[inline]
    pub fn widen(weights: &Packed) -> Step {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = weights.map(i16::from);
        [i16x8(a, b, c, d, e, f, g, h), i16x8(i, j, k, l, m, n, o, p)]
    }

    /// Computes the sums of one tile.
    #[inline]
    pub fn product(rows: [&[Pair]; ROWS], steps: &[Step]) -> [[f32; OUTPUTS]; ROWS] {
        let mut sums = [[i32x4_splat(0); 2]; ROWS];
        let [first, second, third, fourth] = rows;
        let pairs = first.iter().zip(second).zip(third.iter().zip(fourth));
        for (((a, b), (c, d)), step) in pairs.zip(steps) {
            for (sum, pair) in sums.iter_mut().zip([a, b, c, d]) {
                let pair = i32x4_splat(*pair);
                sum[0] = i32x4_add(sum[0], i32x4_dot_i16x8(pair, step[0]));
                sum[1] = i32x4_add(sum[1], i32x4_dot_i16x8(pair, step[1]));
            }
        }
        sums.map(|[left, right]| {
            let [[a, b, c, d], [e, f, g, h]] = [left, right].map(floats);
            [a, b, c, d, e, f, g, h]
        })
    }

    fn floats(sums: v128) -> [f32; 4] {
        let sums = f32x4_convert_i32x4(sums);
        [
            f32x4_extract_lane::<0>(sums),
            f32x4_extract_lane::<1>(sums),
            f32x4_extract_lane::<2>(sums),
            f32x4_extract_lane::<3>(sums),
        ]
    }
}

/// The portable version. Only tests use it, because tract's kernels are faster natively.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod lanes {
    use crate::model::tile::{OUTPUTS, Packed, Pair, ROWS};

    /// [`Packed`] as it is.
    pub type Step = Packed;

    /// Does nothing here.
    pub fn widen(weights: &Packed) -> Step {
        *weights
    }

    /// Computes the sums of one tile.
    pub fn product(rows: [&[Pair]; ROWS], steps: &[Step]) -> [[f32; OUTPUTS]; ROWS] {
        rows.map(|row| {
            let mut sums = [0_i32; OUTPUTS];
            for (pair, step) in row.iter().zip(steps) {
                // The shift to the left drops the upper half, the one to the right brings the sign.
                let (first, second) = ((pair << 16) >> 16, pair >> 16);
                for (sum, weights) in sums.iter_mut().zip(step.as_chunks::<2>().0) {
                    *sum += first * i32::from(weights[0]) + second * i32::from(weights[1]);
                }
            }
            sums.map(|sum| sum as f32)
        })
    }
}
