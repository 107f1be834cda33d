//! A BERT-like model with its tokenizer.

mod graph;
mod kernel;
mod linear;
mod weights;

use limbic_protocol::DIMENSIONS;

use crate::EncoderError;
use crate::text_encoder::{TextEncoder, TextEncoding};
use crate::tokens::{Piece, Splitter};
use crate::vectors::{add, normalise};
use crate::windows::windows;
use graph::Graph;

/// A model and its tokenizer.
pub struct Model {
    name: String,
    splitter: Splitter,
    graph: Graph,
}

impl Model {
    /// Loads both files and runs the model once.
    ///
    /// # Errors
    /// When a file cannot be parsed, or the model cannot encode the tokenizer's last token.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Self, EncoderError> {
        let splitter = Splitter::load(tokenizer)?;
        let graph = Graph::load(model)?;
        let mut trial = splitter.before.clone();
        trial.push(splitter.largest_id());
        trial.extend(&splitter.after);
        graph.run(&trial).map_err(EncoderError::Trial)?;
        let revision = hash(hash(0, model), tokenizer);
        Ok(Self { name: format!("{}@{revision:016x}", graph.name()), splitter, graph })
    }

    /// The graph's name, `@`, and a hash of both files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Computes the last layer for a context and a window of a text: one row per token, markers included.
    fn run(&self, context: &[Piece], text: &[Piece]) -> Result<Vec<f32>, String> {
        let pieces = context.iter().chain(text).map(crate::text_encoder::Token::id);
        let ids: Vec<u32> = self
            .splitter
            .before
            .iter()
            .copied()
            .chain(pieces)
            .chain(self.splitter.after.iter().copied())
            .collect();
        self.graph.run(&ids)
    }
}

impl TextEncoder for Model {
    type Token = Piece;

    fn tokenize(&self, text: &str) -> Result<Vec<Piece>, String> {
        self.splitter.split(text)
    }

    fn markers(&self) -> usize {
        self.splitter.before.len() + self.splitter.after.len()
    }

    fn encode_text(&self, context: &[Piece], text: &[Piece]) -> Result<TextEncoding, String> {
        let room = self.graph.positions().saturating_sub(self.markers()).max(1);
        // The end of the context is the most relevant part, so the context is cut at its start.
        let context = &context[context.len().saturating_sub(room.saturating_sub(text.len()))..];
        let starts_word: Vec<bool> = text.iter().map(|piece| piece.starts_word).collect();
        let mut sentence = vec![0.0; DIMENSIONS];
        let mut tokens = Vec::with_capacity(text.len() * DIMENSIONS);
        for window in windows(&starts_word, room) {
            let rows = self.run(context, &text[window.clone()])?;
            let first = (self.splitter.before.len() + context.len()) * DIMENSIONS;
            let own = &rows[first..first + window.len() * DIMENSIONS];
            // The markers also encode the context, so with one only the text's own tokens are pooled.
            let pooled = if context.is_empty() || own.is_empty() { &rows[..] } else { own };
            pooled.chunks_exact(DIMENSIONS).for_each(|row| add(&mut sentence, row));
            tokens.extend_from_slice(own);
        }
        normalise(&mut sentence);
        tokens.chunks_exact_mut(DIMENSIONS).for_each(normalise);
        Ok(TextEncoding { sentence, tokens })
    }
}

/// A 64-bit hash that distinguishes files. Not cryptographic.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = seed ^ PRIME ^ u64::try_from(bytes.len()).unwrap_or_default();
    let mut mix = |eight: [u8; 8]| {
        state = (state ^ u64::from_le_bytes(eight)).wrapping_mul(PRIME);
        state ^= state >> 32;
    };
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().for_each(|eight| mix(*eight));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(last);
    state
}

#[cfg(test)]
mod tests {
    use super::hash;

    #[test]
    fn hash_depends_on_every_byte_and_on_the_length() {
        let bytes = [7; 23];
        for index in 0..bytes.len() {
            let mut other = bytes;
            other[index] ^= 1;
            assert_ne!(hash(0, &bytes), hash(0, &other));
        }
        assert_ne!(hash(0, &[0; 3]), hash(0, &[0; 4]));
    }
}
