//! Weights as 8-bit integers with one scale per channel.

/// Weights of `channels` channels: `value = integer * scale[channel]`.
pub struct Quantized {
    /// One integer per weight, channel after channel.
    pub integers: Vec<i8>,
    /// One scale per channel.
    pub scales: Vec<f32>,
}

/// Largest magnitude of an integer. -128 is unused, so that the range is symmetric.
const MAX_MAGNITUDE: f32 = 127.0;

/// Parts of the largest weight tried as the end of the range, in hundredths. A range that cuts off the few
/// largest weights can lose less than one that spreads its steps over them.
const RANGES_PERCENT: [u8; 8] = [100, 97, 94, 91, 88, 85, 80, 75];

/// Turns weights, `width` of them per channel, into integers; each channel gets the scale with the smallest
/// squared error among [`RANGES_PERCENT`].
pub fn quantize(weights: &[f32], width: usize) -> Quantized {
    let mut quantized = Quantized { integers: Vec::with_capacity(weights.len()), scales: Vec::new() };
    for channel in weights.chunks_exact(width) {
        let scale = best_scale(channel);
        quantized.scales.push(scale);
        quantized.integers.extend(channel.iter().map(|weight| to_integer(*weight, scale)));
    }
    quantized
}

fn best_scale(channel: &[f32]) -> f32 {
    let largest = channel.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let mut best = (f64::INFINITY, 1.0);
    for percent in RANGES_PERCENT {
        let scale = largest * (f32::from(percent) / 100.0) / MAX_MAGNITUDE;
        let error = squared_error(channel, scale);
        if error < best.0 {
            best = (error, scale);
        }
    }
    best.1
}

fn squared_error(channel: &[f32], scale: f32) -> f64 {
    channel
        .iter()
        .map(|weight| {
            let difference = f64::from(*weight) - f64::from(f32::from(to_integer(*weight, scale)) * scale);
            difference * difference
        })
        .sum()
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of i8 just before")]
fn to_integer(weight: f32, scale: f32) -> i8 {
    (weight / scale).round_ties_even().clamp(-MAX_MAGNITUDE, MAX_MAGNITUDE) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dequantized_weights_differ_by_at_most_half_a_step() {
        let weights = [0.5, -1.0, 0.25, 0.003, 0.0, 0.0, 0.0, 0.0];
        let quantized = quantize(&weights, 4);
        assert_eq!(quantized.scales.len(), 2);
        for (index, weight) in weights.iter().enumerate() {
            let scale = quantized.scales[index / 4];
            let back = f32::from(quantized.integers[index]) * scale;
            assert!((back - weight).abs() <= 0.51 / 127.0, "{weight} came back as {back}");
        }
    }
}
