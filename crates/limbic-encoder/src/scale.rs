//! The similarity of unrelated and of identical texts for an encoder, between which all others are.

use limbic_protocol::Scale;

use crate::text_encoder::{Role, TextEncoder, Token};

/// Sentences on different subjects.
pub const UNRELATED: [&str; 6] = [
    "The train to the coast leaves at half past nine.",
    "Add two spoons of sugar and stir the sauce slowly.",
    "The database index was rebuilt after the migration.",
    "She plays the cello in a small orchestra.",
    "Penguins incubate their eggs on their feet.",
    "The court dismissed the appeal for lack of evidence.",
];

/// The share of the sentence vector in a similarity, as in the core's ranking of prose.
const VECTOR_SHARE: f32 = 0.1;

/// An encoded sentence.
struct Sentence {
    vector: Vec<f32>,
    /// The vectors of its content tokens.
    tokens: Vec<Vec<f32>>,
}

/// Measures the scale of an encoder: each of [`UNRELATED`] as a query is compared with all of them as stored texts.
///
/// # Errors
/// When a sentence cannot be encoded.
pub fn measure<R: TextEncoder>(encoder: &R) -> Result<Scale, String> {
    let (queries, passages) = (encode(encoder, Role::Query)?, encode(encoder, Role::Passage)?);
    let (mut unrelated, mut identical) = (Vec::new(), Vec::new());
    for (row, query) in queries.iter().enumerate() {
        for (column, passage) in passages.iter().enumerate() {
            if row == column { &mut identical } else { &mut unrelated }.push(similarity(query, passage));
        }
    }
    Ok(Scale { unrelated: mean(unrelated), identical: mean(identical) })
}

fn encode<R: TextEncoder>(encoder: &R, role: Role) -> Result<Vec<Sentence>, String> {
    let encode = |text| {
        let tokens = encoder.tokenize(role, text)?;
        let encoding = encoder.encode_text(role, &[], &tokens)?;
        let vectors = encoding.tokens.chunks_exact(encoder.dimensions());
        let content = tokens.iter().zip(vectors).filter(|(token, _)| !token.is_weak());
        let tokens = content.map(|(_, vector)| vector.to_vec()).collect();
        Ok(Sentence { vector: encoding.sentence, tokens })
    };
    UNRELATED.into_iter().map(encode).collect()
}

/// Returns the similarity of two sentences as the core computes it: late interaction with the signs of the stored
/// tokens, and the cosine of the sentence vectors.
fn similarity(query: &Sentence, passage: &Sentence) -> f32 {
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let signed = |asked: &[f32], stored: &[f32]| {
        asked.iter().zip(stored).map(|(a, b)| if *b > 0.0 { *a } else { -*a }).sum::<f32>()
    };
    #[expect(clippy::cast_precision_loss, reason = "vectors have a few thousand dimensions")]
    let norm = (query.vector.len() as f32).sqrt();
    let best = |asked: &Vec<f32>| {
        passage.tokens.iter().map(|stored| signed(asked, stored)).fold(f32::NEG_INFINITY, f32::max) / norm
    };
    let late = mean(query.tokens.iter().map(best).filter(|best| best.is_finite()));
    VECTOR_SHARE * dot(&query.vector, &passage.vector) + (1.0 - VECTOR_SHARE) * late
}

/// Returns the mean of numbers; 0 of none.
fn mean(numbers: impl IntoIterator<Item = f32>) -> f32 {
    let (sum, count) =
        numbers.into_iter().fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
