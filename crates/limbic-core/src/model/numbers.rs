//! Rounding that every build does alike.

/// Powers of ten: what a number is multiplied by to keep so many digits after the point.
const SCALES: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Rounds to so many digits after the point, six at most, so that builds whose last bits differ give the same answer.
#[must_use]
pub fn round(number: f64, digits: usize) -> f64 {
    let scale = SCALES[digits];
    libm::round(number * scale) / scale
}
