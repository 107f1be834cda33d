//! A cache of the sentence vectors of one kind of text, which is scanned in a fraction of the time that vec0 needs.

use std::{cmp::Ordering, collections::HashMap};

use limbic_protocol::TextKind;

use super::quantized_vectors::QuantizedVectors;
use crate::{Result, Transaction, model::numbers::cosine, store::vectors::embeddings};

/// Number of vectors that are compared exactly per requested one: quantisation moves a vector by a few ranks.
const OVERSAMPLING: usize = 3;

/// Number of vectors that are compared in bytes per requested one, if there are over twice as many; see `RANKING.md`
/// for the recall.
const SIGNS_OVERSAMPLING: usize = 16;

/// The minimum of that number.
const MIN_COMPARED: usize = 4_096;

/// A copy of a kind's vec0 table, kept current through `vector_log`, also with changes by other processes.
pub struct VectorCache {
    kind: TextKind,
    /// Row numbers, in the order of `numbers`.
    ids: Vec<i64>,
    /// The width of all vectors; 0 while there are none.
    dimensions: usize,
    /// The vectors, concatenated.
    numbers: Vec<f32>,
    /// The same vectors quantised, for the first passes.
    quantized: QuantizedVectors,
    indices: HashMap<i64, usize>,
    /// The last entry of `vector_log` that was read.
    seen: i64,
    /// The encoder of the vectors.
    encoder: Option<String>,
}

impl VectorCache {
    /// Creates an empty copy of this kind's vectors.
    #[must_use]
    pub fn new(kind: TextKind) -> Self {
        Self {
            kind,
            ids: Vec::new(),
            dimensions: 0,
            numbers: Vec::new(),
            quantized: QuantizedVectors::default(),
            indices: HashMap::new(),
            seen: 0,
            encoder: None,
        }
    }

    /// Reads changes since the last time. Deleted rows stay until [`VectorCache::remove`].
    pub fn refresh(&mut self, tx: &Transaction<'_>) -> Result<()> {
        let newest = embeddings::last_logged(tx)?;
        if newest == self.seen {
            return Ok(());
        }
        let encoder = embeddings::encoder(tx)?;
        // Another program may have recomputed all vectors with another model.
        if newest < self.seen || encoder != self.encoder {
            self.clear();
            self.encoder = encoder;
        }
        if self.ids.is_empty() {
            self.load_all(tx)?;
        } else {
            self.load_since(tx)?;
        }
        self.seen = newest;
        Ok(())
    }

    /// Clears the copy; the next refresh reads everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.kind);
    }

    /// Removes one row.
    pub fn remove(&mut self, id: i64) {
        let Some(index) = self.indices.remove(&id) else { return };
        let last = self.ids.len() - 1;
        self.ids.swap_remove(index);
        self.quantized.swap_remove(index);
        if index != last {
            self.numbers.copy_within(last * self.dimensions.., index * self.dimensions);
            self.indices.insert(self.ids[index], index);
        }
        self.numbers.truncate(last * self.dimensions);
    }

    /// Returns the vector at an index.
    fn vector(&self, index: usize) -> &[f32] {
        &self.numbers[index * self.dimensions..][..self.dimensions]
    }

    /// Whether a row has a vector.
    #[must_use]
    pub fn holds(&self, id: i64) -> bool {
        self.indices.contains_key(&id)
    }

    /// Returns the cosine between the query and a row, if it has a vector.
    #[must_use]
    pub fn cosine(&self, query: &[f32], id: i64) -> Option<f64> {
        self.indices.get(&id).map(|index| cosine(query, self.vector(*index)))
    }

    /// Returns the cosine between two rows, if both have a vector.
    #[must_use]
    pub fn between(&self, id: i64, other: i64) -> Option<f64> {
        let index = *self.indices.get(&id)?;
        self.cosine(self.vector(index), other)
    }

    /// Returns the mean of a row's ten best cosines to the others of a list; 0 without a vector.
    #[must_use]
    pub(crate) fn mean_of_best(&self, id: i64, others: &[i64]) -> f64 {
        const BEST: usize = 10;
        let Some(index) = self.indices.get(&id) else { return 0.0 };
        let own = self.vector(*index);
        let mut cosines: Vec<f64> = others
            .iter()
            .filter(|other| **other != id)
            .filter_map(|other| self.cosine(own, *other))
            .collect();
        cosines.sort_unstable_by(|a, b| b.total_cmp(a));
        cosines.truncate(BEST);
        let count = u32::try_from(cosines.len()).unwrap_or(1).max(1);
        cosines.iter().sum::<f64>() / f64::from(count)
    }

    /// Returns the `limit` rows nearest to the query among those for which `admits` is true: best first, then by id.
    #[must_use]
    pub fn nearest(&self, query: &[f32], limit: usize, admits: impl Fn(i64) -> bool) -> Vec<(i64, f64)> {
        if query.len() != self.dimensions {
            return Vec::new();
        }
        let wanted = limit.saturating_mul(OVERSAMPLING);
        let by_product = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        let mut near: Vec<(usize, f32)> =
            self.quantized.products(query, self.preselected(query, limit, admits).into_iter()).collect();
        keep_first(&mut near, wanted, by_product);
        let exact = |index: usize| cosine(query, self.vector(index));
        let mut scored: Vec<(i64, f64)> =
            near.into_iter().map(|(index, _)| (self.ids[index], exact(index))).collect();
        scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.truncate(limit);
        scored
    }

    /// Returns the indexes of admitted rows that may be among the `limit` nearest.
    fn preselected(&self, query: &[f32], limit: usize, admits: impl Fn(i64) -> bool) -> Vec<usize> {
        let enough = limit.saturating_mul(SIGNS_OVERSAMPLING).max(MIN_COMPARED);
        let admits = |index: &usize| admits(self.ids[*index]);
        if self.ids.len() / 2 <= enough {
            return (0..self.ids.len()).filter(admits).collect();
        }
        let mut selected = Vec::new();
        for group in self.quantized.by_hamming_distance(query).iter() {
            selected.extend(group.iter().filter(|index| admits(index)));
            // Whole groups, so that the result does not depend on the order of rows.
            if selected.len() >= enough {
                break;
            }
        }
        selected
    }

    /// Returns the `limit` rows nearest to the query among a few: best first, then by id.
    #[must_use]
    pub(crate) fn nearest_of(
        &self,
        query: &[f32],
        limit: usize,
        few: impl Iterator<Item = i64>,
    ) -> Vec<(i64, f64)> {
        let mut scored: Vec<(i64, f64)> =
            few.filter_map(|id| self.cosine(query, id).map(|cosine| (id, cosine))).collect();
        scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.truncate(limit);
        scored
    }

    fn load_all(&mut self, tx: &Transaction<'_>) -> Result<()> {
        let count = embeddings::count(tx, self.kind)?;
        self.ids.reserve(count);
        let dimensions = embeddings::dimensions(tx)?;
        self.numbers.reserve(count * dimensions);
        self.quantized.reserve(count, dimensions);
        self.indices.reserve(count);
        embeddings::each_vector(tx, self.kind, |id, vector| self.put(id, vector))
    }

    fn load_since(&mut self, tx: &Transaction<'_>) -> Result<()> {
        embeddings::each_vector_since(tx, self.kind, self.seen, |id, vector| self.put(id, vector))
    }

    fn put(&mut self, id: i64, bytes: &[u8]) {
        let vector = embeddings::from_bytes(bytes);
        if self.ids.is_empty() {
            self.dimensions = vector.len();
        }
        if vector.len() != self.dimensions {
            return;
        }
        if let Some(index) = self.indices.get(&id) {
            self.numbers[*index * self.dimensions..][..self.dimensions].copy_from_slice(&vector);
            self.quantized.replace(*index, &vector);
        } else {
            self.indices.insert(id, self.ids.len());
            self.ids.push(id);
            self.numbers.extend_from_slice(&vector);
            self.quantized.push(&vector);
        }
    }
}

/// Keeps the first `count` elements of an order, unsorted.
fn keep_first<T>(list: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    if count < list.len() {
        list.select_nth_unstable_by(count, order);
        list.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough that signs choose which vectors are compared.
    const MANY: u32 = 9_000;

    /// A made-up vector of length one; the same for the same number.
    fn vector(number: u32) -> Vec<f32> {
        wide(384, number)
    }

    fn wide(dimensions: usize, number: u32) -> Vec<f32> {
        let mut random = limbic_protocol::SplitMix64::new(number.into());
        let mut next = || f32::from(u16::try_from(random.index(65_536)).unwrap_or_default()) / 32_768.0 - 1.0;
        let numbers: Vec<f32> = (0..dimensions).map(|_| next()).collect();
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        numbers.into_iter().map(|number| number / length).collect()
    }

    fn cache() -> VectorCache {
        let mut cache = VectorCache::new(TextKind::Memory);
        (0..MANY).for_each(|number| put(&mut cache, number, vector(number)));
        cache
    }

    fn put(cache: &mut VectorCache, number: u32, vector: Vec<f32>) {
        let bytes: Vec<u8> = vector.into_iter().flat_map(f32::to_le_bytes).collect();
        cache.put(i64::from(number), &bytes);
    }

    #[test]
    fn vectors_of_any_width_are_compared() {
        for dimensions in [312, 768] {
            let mut cache = VectorCache::new(TextKind::Memory);
            (0..MANY).for_each(|number| put(&mut cache, number, wide(dimensions, number)));
            cache.remove(3);
            for query in [5, MANY + 1] {
                let query = wide(dimensions, query);
                let found = cache.nearest(&query, 20, |_| true);
                assert_eq!(found, cache.nearest_of(&query, 20, 0..i64::from(MANY)), "{dimensions}");
            }
            assert_eq!(cache.nearest(&wide(dimensions, 5), 1, |_| true)[0].0, 5, "{dimensions}");
            assert!(cache.nearest(&vector(1), 20, |_| true).is_empty(), "of another width");
        }
    }

    #[test]
    fn among_many_the_nearest_are_those_that_all_comparisons_give() {
        let cache = cache();
        for (query, admits) in [(MANY + 1, (|_| true) as fn(i64) -> bool), (MANY + 2, |id| id % 5 == 0)] {
            let query = vector(query);
            let all = (0..i64::from(MANY)).filter(|id| admits(*id));
            let found = cache.nearest(&query, 20, admits);
            assert_eq!(found, cache.nearest_of(&query, 20, all));
            assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1) && found.len() == 20);
        }
    }

    #[test]
    fn what_is_removed_is_not_found() {
        let mut cache = cache();
        let query = vector(17);
        assert_eq!(cache.nearest(&query, 1, |_| true)[0].0, 17);
        cache.remove(17);
        assert!(!cache.holds(17));
        assert_ne!(cache.nearest(&query, 1, |_| true)[0].0, 17);
        let last = i64::from(MANY) - 1;
        assert_eq!(cache.nearest(&vector(MANY - 1), 1, |_| true)[0].0, last);
    }
}
