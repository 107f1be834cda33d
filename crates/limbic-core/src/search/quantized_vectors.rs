//! Quantised sentence vectors for the first passes over all of them: one bit per dimension to select candidates, and
//! one byte per dimension to order them. The best are compared exactly afterwards.

/// Number of dimensions that are compared together; widths are rounded up to a multiple, with zeros.
const BLOCK: usize = 64;

/// Maximum of a quantised dimension of a stored vector.
const MAX_STORED: f32 = 127.0;

/// Vectors of one width: their signs, and the numbers rounded to whole multiples of a step of their own.
#[derive(Default)]
pub(crate) struct QuantizedVectors {
    /// Blocks of a vector.
    blocks: usize,
    /// One bit per dimension, a word per block.
    signs: Vec<u64>,
    numbers: Vec<i8>,
    steps: Vec<f32>,
}

impl QuantizedVectors {
    /// Reserves capacity for `count` more vectors of a width.
    pub(crate) fn reserve(&mut self, count: usize, dimensions: usize) {
        let blocks = dimensions.div_ceil(BLOCK);
        self.signs.reserve(count * blocks);
        self.numbers.reserve(count * blocks * BLOCK);
        self.steps.reserve(count);
    }

    /// Adds a vector at the end. All vectors are as wide as the first one.
    pub(crate) fn push(&mut self, vector: &[f32]) {
        if self.steps.is_empty() {
            self.blocks = vector.len().div_ceil(BLOCK);
        }
        let step = largest(vector) / MAX_STORED;
        self.signs.extend(signs(vector));
        self.numbers
            .extend(vector.iter().map(|number| i8::try_from(whole(*number / step)).unwrap_or(i8::MAX)));
        self.steps.push(step);
        self.numbers.resize(self.steps.len() * self.blocks * BLOCK, 0);
    }

    /// Replaces the vector at an index.
    pub(crate) fn replace(&mut self, index: usize, vector: &[f32]) {
        self.push(vector);
        self.swap_remove(index);
    }

    /// Removes a vector; the last one takes its index.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        let last = self.steps.len() - 1;
        let (words, width) = (self.blocks, self.blocks * BLOCK);
        self.numbers.copy_within(last * width.., index * width);
        self.numbers.truncate(last * width);
        self.signs.copy_within(last * words.., index * words);
        self.signs.truncate(last * words);
        self.steps.swap_remove(index);
    }

    /// Returns all indexes, grouped by the Hamming distance of their signs to the query's, nearest first.
    pub(crate) fn by_hamming_distance(&self, query: &[f32]) -> Groups {
        let query: Vec<u64> = signs(query).collect();
        let differences = match self.blocks {
            0 => Vec::new(),
            // The loop over the words of the shipped model's vectors is unrolled.
            SHIPPED_BLOCKS => differences_of::<SHIPPED_BLOCKS>(&self.signs, &query),
            blocks => self.signs.chunks_exact(blocks).map(|signs| difference(signs, &query)).collect(),
        };
        let mut ends = vec![0_usize; self.blocks * BLOCK + 1];
        differences.iter().for_each(|difference| ends[usize::from(*difference)] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut indices = vec![0; differences.len()];
        for (index, difference) in differences.into_iter().enumerate() {
            let end = &mut ends[usize::from(difference)];
            indices[*end] = index;
            *end += 1;
        }
        Groups { indices, ends }
    }

    /// Returns the approximate dot products of a query with the vectors at these indexes, in their order; the same on
    /// every build. They are scaled by the query's step, so they only serve to order vectors.
    pub(crate) fn products(
        &self,
        query: &[f32],
        indices: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = (usize, f32)> {
        let step = largest(query) / query_max(query.len());
        let mut whole_query = vec![[0_i16; BLOCK]; self.blocks];
        for (whole_number, number) in whole_query.as_flattened_mut().iter_mut().zip(query) {
            *whole_number = whole(*number / step);
        }
        let blocks = self.numbers.as_chunks::<BLOCK>().0;
        indices.map(move |index| {
            let vector = &blocks[index * self.blocks..][..self.blocks];
            let sum: i32 = vector.iter().zip(&whole_query).map(|(a, b)| product(a, b)).sum();
            #[allow(clippy::cast_precision_loss, reason = "24 of 31 bits are plenty for an order")]
            let sum = sum as f32;
            (index, sum * self.steps[index])
        })
    }
}

/// Indexes in groups.
pub(crate) struct Groups {
    indices: Vec<usize>,
    /// End of each group.
    ends: Vec<usize>,
}

impl Groups {
    /// Returns the groups, nearest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.indices[std::mem::replace(&mut start, *end)..*end])
    }
}

/// Blocks of a vector of the model that ships with Limbic.
const SHIPPED_BLOCKS: usize = limbic_protocol::DIMENSIONS / BLOCK;

/// Returns the largest magnitude of a quantised dimension of a query whose sums of products fit into 32 bits.
fn query_max(dimensions: usize) -> f32 {
    let most = i32::MAX.unsigned_abs() as usize / 128 / dimensions.max(1);
    f32::from(i16::try_from(most).unwrap_or(i16::MAX))
}

/// Returns one bit per dimension, in words: whether it is positive.
fn signs(vector: &[f32]) -> impl Iterator<Item = u64> + '_ {
    vector
        .chunks(BLOCK)
        .map(|numbers| numbers.iter().rev().fold(0, |bits, number| (bits << 1) | u64::from(*number > 0.0)))
}

/// Returns the Hamming distances of signs in vectors of `WORDS` words.
fn differences_of<const WORDS: usize>(signs: &[u64], query: &[u64]) -> Vec<u16> {
    let Some(query) = query.first_chunk::<WORDS>() else { return vec![0; signs.len() / WORDS] };
    signs.as_chunks::<WORDS>().0.iter().map(|signs| difference(signs, query)).collect()
}

/// Returns the Hamming distance of signs.
#[inline]
fn difference(a: &[u64], b: &[u64]) -> u16 {
    let differing: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
    u16::try_from(differing).unwrap_or(u16::MAX)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn product(vector: &[i8; BLOCK], query: &[i16; BLOCK]) -> i32 {
    vector.iter().zip(query).map(|(a, b)| i32::from(i16::from(*a)) * i32::from(*b)).sum()
}

/// The same integer with SIMD, eight products per instruction; the compiler vectorises only four.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn product(vector: &[i8; BLOCK], query: &[i16; BLOCK]) -> i32 {
    use core::arch::wasm32::{
        i8x16, i16x8, i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8,
        i32x4_extract_lane, i32x4_splat,
    };
    let [mut low, mut high] = [i32x4_splat(0); 2];
    for (a, b) in vector.as_chunks::<16>().0.iter().zip(query.as_chunks::<16>().0) {
        let [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15] = *a;
        let a = i8x16(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15);
        let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15] = *b;
        let b = [i16x8(b0, b1, b2, b3, b4, b5, b6, b7), i16x8(b8, b9, b10, b11, b12, b13, b14, b15)];
        low = i32x4_add(low, i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), b[0]));
        high = i32x4_add(high, i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), b[1]));
    }
    let sums = i32x4_add(low, high);
    i32x4_extract_lane::<0>(sums)
        + i32x4_extract_lane::<1>(sums)
        + i32x4_extract_lane::<2>(sums)
        + i32x4_extract_lane::<3>(sums)
}

/// Returns the largest absolute value; never zero, so that it can be a divisor.
fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()))
}

#[allow(clippy::cast_possible_truncation, reason = "the caller divided by a step that keeps it in range")]
fn whole(number: f32) -> i16 {
    libm::roundf(number) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u16) -> Vec<f32> {
        (0..384_u16).map(|d| libm::sinf(f32::from(d * 7 + seed * 131)) / 14.0).collect()
    }

    #[test]
    fn they_order_vectors_as_exact_products_do() {
        let query = vector(3);
        let mut quantized = QuantizedVectors::default();
        (0..50).for_each(|seed| quantized.push(&vector(seed)));
        quantized.replace(7, &vector(3));
        quantized.swap_remove(3);
        let products: Vec<(usize, f32)> = quantized.products(&query, 0..49).collect();
        let best = products.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!((products.len(), best.map(|best| best.0)), (49, Some(7)));
        assert!(quantized.by_hamming_distance(&query).iter().find(|group| !group.is_empty()) == Some(&[7]));
    }

    #[test]
    fn equal_signs_are_a_group() {
        let mut quantized = QuantizedVectors::default();
        (0..40).for_each(|seed| quantized.push(&vector(seed % 20)));
        let groups = quantized.by_hamming_distance(&vector(5));
        let groups: Vec<&[usize]> = groups.iter().filter(|group| !group.is_empty()).collect();
        assert_eq!(groups[0], [5, 25]);
        assert!(groups.iter().all(|group| group.len().is_multiple_of(2)), "{groups:?}");
        assert_eq!(groups.concat().len(), 40);
    }

    #[test]
    fn a_vector_of_zeros_is_taken() {
        let mut quantized = QuantizedVectors::default();
        quantized.push(&[0.0; 384]);
        assert_eq!(quantized.products(&vector(1), 0..1).collect::<Vec<_>>(), [(0, 0.0)]);
    }
}
