//! Rounding and sums with the same result on every build.

/// Powers of ten, by the number of digits after the decimal point.
const SCALES: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Rounds to `digits` digits after the decimal point, at most six, so that builds whose last bits differ agree.
#[must_use]
pub fn round(number: f64, digits: usize) -> f64 {
    let scale = SCALES[digits];
    libm::round(number * scale) / scale
}

/// Returns the dot product of two unit vectors, rounded to six digits: beyond that, builds of the encoder differ.
///
/// It adds eight partial sums in a fixed order, so that the result is the same with and without SIMD instructions.
#[must_use]
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    round(f64::from(sums.iter().sum::<f32>()), 6)
}
