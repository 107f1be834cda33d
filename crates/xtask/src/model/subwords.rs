//! The table of static vectors: the encoder's token embeddings with fewer dimensions, for subwords of ASCII letters and
//! digits. The core reads it (`search/code/subwords.rs` there), and `RANKING.md` beside it has the measurements.

use anyhow::{Context, Result};
use nalgebra::{DMatrix, SymmetricEigen};
use safetensors::SafeTensors;
use serde_json::Value;

use super::graph::{EMBEDDINGS, HIDDEN, VOCABULARY, tensor};
use super::quantize::quantize;

/// The first bytes. The number counts versions of the format.
const MAGIC: &[u8] = b"limbic subwords 1\n";

/// Dimensions of a vector.
const DIMENSIONS: usize = 88;

/// The first token that is not a marker. From here on, the vocabulary is sorted by frequency.
const FIRST_WORD: usize = 999;

/// The `a` of the weight `a / (a + p)` of a subword with the probability p (smooth inverse frequency; Arora, Liang and
/// Ma 2017).
const SMOOTHING: f64 = 1e-4;

/// Returns the table of a model's weights and its `tokenizer.json`: [`MAGIC`], the number of rows and of dimensions
/// (u32), a weight and then a scale per row (f32), the vectors row by row (i8), and a line per row with its subword.
/// Numbers are little-endian. A vector is its row times the scale.
///
/// # Errors
/// If the files are not those of the model.
pub fn table(safetensors: &[u8], tokenizer: &[u8]) -> Result<Vec<u8>> {
    let tensors = SafeTensors::deserialize(safetensors).context("the weights are not a safetensors file")?;
    let embeddings = tensor(&tensors, EMBEDDINGS, &[VOCABULARY, HIDDEN])?;
    let tokenizer: Value = serde_json::from_slice(tokenizer).context("the tokenizer is not JSON")?;
    let subwords =
        subwords(&tokenizer).context("the tokenizer is not WordPiece with the model's vocabulary")?;
    let rows = subwords.iter().flat_map(|(_, id)| &embeddings[id * HIDDEN..][..HIDDEN]);
    let rows: Vec<f64> = rows.map(|number| f64::from(*number)).collect();
    let vectors = quantize(&principal_components(rows, HIDDEN, DIMENSIONS), DIMENSIONS);
    let weights = weights(VOCABULARY);

    let mut bytes = MAGIC.to_vec();
    for size in [subwords.len(), DIMENSIONS] {
        bytes.extend(u32::try_from(size)?.to_le_bytes());
    }
    bytes.extend(subwords.iter().flat_map(|(_, id)| weights[*id].to_le_bytes()));
    bytes.extend(vectors.scales.iter().flat_map(|scale| scale.to_le_bytes()));
    bytes.extend(vectors.integers.iter().map(|integer| integer.cast_unsigned()));
    bytes.extend(subwords.iter().flat_map(|(word, _)| [word, "\n"]).flat_map(str::as_bytes));
    Ok(bytes)
}

/// The kept subwords with their ids, sorted; `None` if this is not the tokenizer of the model.
fn subwords(tokenizer: &Value) -> Option<Vec<(&str, usize)>> {
    let vocabulary = tokenizer["model"]["vocab"].as_object()?;
    let ids = vocabulary.iter().map(|(word, id)| Some((word.as_str(), usize::try_from(id.as_u64()?).ok()?)));
    let mut kept = ids.collect::<Option<Vec<_>>>()?;
    if kept.len() != VOCABULARY || kept.iter().any(|(_, id)| *id >= VOCABULARY) {
        return None;
    }
    kept.retain(is_kept);
    kept.sort_unstable();
    Some(kept)
}

fn is_kept((word, id): &(&str, usize)) -> bool {
    let letters = word.strip_prefix("##").unwrap_or(word);
    let is_plain = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    *id >= FIRST_WORD && !letters.is_empty() && letters.bytes().all(is_plain)
}

/// The weights of the tokens of a vocabulary, by id. By Zipf's law, a token's probability is taken as the reciprocal of
/// its rank.
#[expect(clippy::cast_possible_truncation, reason = "weights are rounded to f32")]
fn weights(vocabulary: usize) -> Vec<f32> {
    let reciprocal = |id: usize| 1.0 / (id.saturating_sub(FIRST_WORD - 1) + 100) as f64;
    let sum: f64 = (0..vocabulary).map(reciprocal).sum();
    (0..vocabulary).map(|id| (SMOOTHING / (SMOOTHING + reciprocal(id) / sum)) as f32).collect()
}

/// The principal components of rows of `width` numbers: their mean is subtracted, and they are projected to the
/// `dimensions` directions of the largest variance. Each direction has the sign with which its largest number is
/// positive, so that the result is the same on every machine.
#[expect(clippy::cast_possible_truncation, reason = "the result is rounded to f32")]
fn principal_components(mut rows: Vec<f64>, width: usize, dimensions: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        mean.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    let count: f64 = rows.chunks_exact(width).map(|_| 1.0).sum();
    for row in rows.chunks_exact_mut(width) {
        row.iter_mut().zip(&mean).for_each(|(number, sum)| *number -= sum / count);
    }
    let mut products = vec![0.0; width * width];
    for row in rows.chunks_exact(width) {
        for (sums, number) in products.chunks_exact_mut(width).zip(row) {
            sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += number * other);
        }
    }
    let found = SymmetricEigen::new(DMatrix::from_row_slice(width, width, &products));
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|a, b| found.eigenvalues[*b].total_cmp(&found.eigenvalues[*a]));
    let directions: Vec<Vec<f64>> = order[..dimensions]
        .iter()
        .map(|index| {
            let direction = found.eigenvectors.column(*index);
            let sign =
                direction.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).map_or(1.0, f64::signum);
            direction.iter().map(|number| number * sign).collect()
        })
        .collect();
    let component =
        |row: &[f64], direction: &Vec<f64>| -> f64 { row.iter().zip(direction).map(|(a, b)| a * b).sum() };
    rows.chunks_exact(width)
        .flat_map(|row| {
            directions.iter().map(|direction| component(row, direction) as f32).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn components_are_the_directions_of_the_largest_variance() {
        // Most of the variance is along (-3, 4), a little across it; the mean is (10, 20).
        let along = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let across = [0.1, -0.2, 0.2, -0.2, 0.1];
        let rows =
            along.iter().zip(across).flat_map(|(a, b)| [10.0 - 0.6 * a + 0.8 * b, 20.0 + 0.8 * a + 0.6 * b]);
        let components = principal_components(rows.collect(), 2, 1);
        for (component, expected) in components.iter().zip(along) {
            assert!((f64::from(*component) - expected).abs() < 1e-2, "{components:?}");
        }
    }

    #[test]
    fn frequent_tokens_have_small_weights() {
        let weights = weights(VOCABULARY);
        assert!(weights[FIRST_WORD] < 0.15 && weights[VOCABULARY - 1] > 0.9, "{weights:?}");
        assert!(weights.is_sorted());
    }

    #[test]
    fn only_subwords_of_ascii_letters_and_digits_are_kept() {
        for (word, id, kept) in [
            ("parse", 11968, true),
            ("##er", 2121, true),
            ("2", 1016, true),
            ("[unused1]", 2, false),
            ("a", 998, false),
            ("##", 1500, false),
            ("-", 1011, false),
            ("größe", 20000, false),
        ] {
            assert_eq!(is_kept(&(word, id)), kept, "{word}");
        }
        assert_eq!(subwords(&json!({ "model": { "vocab": { "a": 1000 } } })), None);
    }
}
