//! Packed 8-bit weights of a linear layer, and their product with rows of f32.

use super::kernel::{Step, product, widen};
use super::tile::{OUTPUTS, Packed, Pair, ROWS};

/// The smallest range of integers for a row. Below it, rounding visibly changes the vectors.
const MIN_RANGE: i16 = 4095;

/// `inputs` times `outputs` weights: `weight = integer * scale[output]`.
#[derive(Debug)]
pub struct Weights {
    inputs: usize,
    outputs: usize,
    /// The integers in the order in which tiles read them: all pairs of inputs for [`OUTPUTS`] outputs, then for the
    /// next outputs.
    packed: Vec<Packed>,
    scales: Vec<f32>,
}

impl Weights {
    /// Whether weights of this shape can be packed and sums over the inputs fit 32 bits with good precision.
    pub fn fits(inputs: usize, outputs: usize) -> bool {
        inputs > 0
            && outputs > 0
            && inputs.is_multiple_of(2)
            && outputs.is_multiple_of(OUTPUTS)
            && largest(inputs) >= MIN_RANGE
    }

    /// Packs integers given input after input, `scales.len()` of each, if their shape [fits](Self::fits).
    pub fn pack(integers: &[i8], scales: &[f32]) -> Option<Self> {
        let outputs = scales.len();
        let inputs = integers.len().checked_div(outputs)?;
        if !Self::fits(inputs, outputs) || integers.len() != inputs * outputs {
            return None;
        }
        let at = |input: usize, output: usize| integers[input * outputs + output];
        let packed = (0..outputs)
            .step_by(OUTPUTS)
            .flat_map(|output| (0..inputs).step_by(2).map(move |input| (input, output)))
            .map(|(input, output)| std::array::from_fn(|index| at(input + index % 2, output + index / 2)))
            .collect();
        Some(Self { inputs, outputs, packed, scales: scales.to_vec() })
    }

    /// The number of inputs: the length of a row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs: the length of a row of the product.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies rows of [`inputs`](Self::inputs) values; writes [`outputs`](Self::outputs) values for each to
    /// `answer`.
    ///
    /// Each row is first quantised to the widest integers whose sums fit 32 bits: 13 bits and a sign for 1536 inputs.
    /// The integer sums are exact, so the result does not depend on their order.
    pub fn multiply(&self, rows: &[f32], answer: &mut [f32]) {
        let quantized = Quantized::of(rows, self.inputs);
        let mut steps: Vec<Step> = Vec::with_capacity(self.inputs / 2);
        let panels = self.packed.chunks_exact(self.inputs / 2).zip(self.scales.as_chunks::<OUTPUTS>().0);
        for (index, (packed, scales)) in panels.enumerate() {
            steps.clear();
            steps.extend(packed.iter().map(widen));
            let tiles = answer.chunks_mut(ROWS * self.outputs).enumerate();
            for (tile, answer) in tiles {
                let (rows, row_scales) = quantized.tile(tile);
                let sums = product(rows, &steps);
                for ((row, sums), row_scale) in
                    answer.chunks_exact_mut(self.outputs).zip(sums).zip(row_scales)
                {
                    let to = &mut row[index * OUTPUTS..][..OUTPUTS];
                    for ((to, sum), scale) in to.iter_mut().zip(sums).zip(scales) {
                        *to = sum * (scale * row_scale);
                    }
                }
            }
        }
    }
}

/// The largest magnitude of a quantised row whose sums over `inputs` values fit 32 bits.
fn largest(inputs: usize) -> i16 {
    let max = i32::MAX.unsigned_abs() / 128 / u32::try_from(inputs).unwrap_or(u32::MAX);
    i16::try_from(max).unwrap_or(i16::MAX)
}

/// Quantised rows with one scale each.
struct Quantized {
    pairs: Vec<Pair>,
    /// Pairs of a row.
    width: usize,
    scales: Vec<f32>,
}

impl Quantized {
    fn of(rows: &[f32], inputs: usize) -> Self {
        let width = inputs / 2;
        let count = (rows.len() / inputs).next_multiple_of(ROWS);
        let mut quantized =
            Self { pairs: Vec::with_capacity(count * width), width, scales: Vec::with_capacity(count) };
        let largest = f32::from(largest(inputs));
        for row in rows.chunks_exact(inputs) {
            // The bits of non-negative floats are ordered as the floats are.
            let range = f32::from_bits(row.iter().map(|number| number.abs().to_bits()).fold(0, u32::max));
            let factor = if range > f32::MIN_POSITIVE * largest { largest / range } else { 0.0 };
            quantized.scales.push(range / largest);
            quantized.pairs.extend(row.as_chunks::<2>().0.iter().map(|numbers| pair(*numbers, factor)));
        }
        // The last tile is padded with rows of zeros.
        quantized.pairs.resize(count * width, 0);
        quantized.scales.resize(count, 0.0);
        quantized
    }

    fn tile(&self, index: usize) -> ([&[Pair]; ROWS], [f32; ROWS]) {
        let first = index * ROWS;
        let row = |row: usize| &self.pairs[(first + row) * self.width..][..self.width];
        (std::array::from_fn(row), std::array::from_fn(|row| self.scales[first + row]))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the factor brings every number into the range of i16")]
fn pair(numbers: [f32; 2], factor: f32) -> Pair {
    let [first, second] = numbers.map(|number| (number * factor).round_ties_even() as i32);
    (first & 0xffff) | (second << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random weights and rows, and their product in f64.
    fn example(rows: usize, inputs: usize, outputs: usize) -> (Vec<i8>, Vec<f32>, Vec<f32>, Vec<f64>) {
        let mut random = limbic_protocol::SplitMix64::new(1);
        let mut next = || i8::from_le_bytes([random.next_u64().to_le_bytes()[7]]);
        let integers: Vec<i8> = (0..inputs * outputs).map(|_| next()).collect();
        let scales: Vec<f32> = (0..outputs).map(|_| f32::from(next()) / 5000.0).collect();
        let numbers: Vec<f32> = (0..rows * inputs).map(|_| f32::from(next()) / 7.0).collect();
        let product = numbers
            .chunks_exact(inputs)
            .flat_map(|row| {
                let (integers, scales) = (&integers, &scales);
                (0..outputs).map(move |output| {
                    let column = integers.iter().skip(output).step_by(outputs);
                    let sum: f64 = row.iter().zip(column).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
                    sum * f64::from(scales[output])
                })
            })
            .collect();
        (integers, scales, numbers, product)
    }

    #[test]
    fn the_product_is_close_to_that_in_f64() {
        for (rows, inputs, outputs) in [(1, 2, 8), (4, 10, 16), (7, 384, 24), (5, 1536, 8)] {
            let (integers, scales, numbers, expected) = example(rows, inputs, outputs);
            let weights = Weights::pack(&integers, &scales).expect("the shape fits");
            let mut answer = vec![f32::NAN; rows * outputs];
            weights.multiply(&numbers, &mut answer);
            let squares = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>();
            let errors: Vec<f64> = answer.iter().zip(&expected).map(|(a, e)| f64::from(*a) - e).collect();
            let error = (squares(&errors) / squares(&expected)).sqrt();
            assert!(error < 2e-4, "{error} for {rows} rows, {inputs} inputs, {outputs} outputs");
        }
    }

    #[test]
    fn the_largest_sums_fit_32_bits() {
        let weights = Weights::pack(&[-128; 1536 * 8], &[1.0; 8]).expect("the shape fits");
        let mut answer = [0.0; 8];
        weights.multiply(&[-3.0; 1536], &mut answer);
        assert!(
            answer.iter().all(|number| (number / (3.0 * 128.0 * 1536.0) - 1.0).abs() < 1e-6),
            "{answer:?}"
        );
    }

    #[test]
    fn a_row_of_zeros_gives_zeros_and_a_row_with_nan_gives_nan() {
        let weights = Weights::pack(&[1; 2 * 8], &[1.0; 8]).expect("the shape fits");
        let mut answer = [1.0; 3 * 8];
        weights.multiply(&[0.0, 0.0, f32::NAN, 1.0, 1e-40, 0.0], &mut answer);
        assert_eq!(answer[..8], [0.0; 8]);
        assert!(answer[8..16].iter().all(|number| number.is_nan()));
        assert_eq!(answer[16..], [0.0; 8]);
    }

    #[test]
    fn shapes_that_cannot_be_packed_are_rejected() {
        assert!(Weights::pack(&[1; 3 * 8], &[1.0; 8]).is_none(), "an odd number of inputs");
        assert!(Weights::pack(&[1; 2 * 7], &[1.0; 7]).is_none(), "outputs that do not fill a tile");
        assert!(Weights::pack(&[1; 17], &[1.0; 8]).is_none(), "no matrix");
        assert!(Weights::pack(&[], &[]).is_none(), "nothing");
    }
}
