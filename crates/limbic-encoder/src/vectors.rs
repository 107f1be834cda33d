//! Vector sums in a fixed order.

/// Normalises a vector to length one. A vector of zeros is unchanged.
pub fn normalise(vector: &mut [f32]) {
    let square: f32 = vector.iter().map(|number| number * number).sum();
    if square > 0.0 {
        let length = square.sqrt();
        for number in vector {
            *number /= length;
        }
    }
}

/// Adds `row` to `sum` elementwise.
pub fn add(sum: &mut [f32], row: &[f32]) {
    for (total, number) in sum.iter_mut().zip(row) {
        *total += number;
    }
}
