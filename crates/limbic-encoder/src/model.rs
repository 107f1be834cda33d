//! A BERT-like model with its tokenizer.

use std::sync::OnceLock;

mod graph;
mod kernel;
mod linear;
mod tile;
mod weights;

use crate::configuration::{Pooling, Settings};
use crate::text_encoder::{Role, TextEncoder, TextEncoding};
use crate::tokens::{Piece, Splitter};
use crate::vectors::{add, normalise};
use crate::windows::windows;
use crate::{Description, EncoderError, scale};
use graph::Graph;
use limbic_protocol::Scale;
use scale::UNRELATED;

/// The graph's name of the model that ships with Limbic, on which the core's thresholds were measured. It has no
/// configuration.
const SHIPPED: &str = "all-MiniLM-L6-v2-int8";

/// A model and its tokenizer.
pub struct Model {
    name: String,
    splitter: Splitter,
    graph: Graph,
    settings: Settings,
    /// Dimensions of the last layer.
    hidden: usize,
    /// Dimensions of the vectors: at most those of the last layer.
    dimensions: usize,
    query_prefix: Vec<u32>,
    passage_prefix: Vec<u32>,
    /// Measured with the first query.
    scale: OnceLock<Result<Option<Scale>, String>>,
}

impl Model {
    /// Loads both files and runs the model once.
    ///
    /// # Errors
    /// When a file cannot be parsed, the model cannot encode the tokenizer's last token, or the vectors cannot be
    /// truncated as requested.
    pub fn load(model: &[u8], tokenizer: &[u8], settings: Settings) -> Result<Self, EncoderError> {
        let splitter = Splitter::load(tokenizer)?;
        let graph = Graph::load(model)?;
        let largest = splitter.largest_id();
        // Checked here, because the graph fails on an id beyond its table.
        let known = graph.vocabulary();
        if known.is_some_and(|known| usize::try_from(largest).is_ok_and(|largest| largest >= known)) {
            return Err(EncoderError::Trial(format!(
                "the tokenizer has token ids up to {largest}, but the model has only {} tokens",
                known.unwrap_or_default()
            )));
        }
        let mut trial = splitter.before.clone();
        trial.push(largest);
        trial.extend(&splitter.after);
        let hidden = graph.run(&trial).map_err(EncoderError::Trial)?.len() / trial.len();
        let dimensions = settings.dimensions.unwrap_or(hidden);
        if dimensions == 0 || dimensions > hidden || !dimensions.is_multiple_of(8) {
            return Err(match settings.dimensions {
                Some(wanted) => EncoderError::Dimensions { hidden, wanted },
                None => EncoderError::Width(hidden),
            });
        }
        let query_prefix = splitter.prefix(&settings.query_prefix)?;
        let passage_prefix = splitter.prefix(&settings.passage_prefix)?;
        let mut revision = hash(hash(0, model), tokenizer);
        let fingerprint = settings.fingerprint();
        if !fingerprint.is_empty() {
            revision = hash(revision, fingerprint.as_bytes());
        }
        let name = settings.name.as_deref().unwrap_or(graph.name());
        let name = format!("{name}@{revision:016x}");
        let is_shipped = settings.name.is_none() && fingerprint.is_empty() && graph.name() == SHIPPED;
        let scale = if is_shipped { OnceLock::from(Ok(None)) } else { OnceLock::new() };
        Ok(Self { name, splitter, graph, settings, hidden, dimensions, query_prefix, passage_prefix, scale })
    }

    /// The model's name, `@`, and a hash of both files and of the settings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Describes the model.
    ///
    /// # Errors
    /// When a sentence cannot be encoded.
    pub fn describe(&self) -> Result<Description, String> {
        let (tokenizer, vocabulary) = self.splitter.kind();
        Ok(Description {
            name: self.name.clone(),
            dimensions: self.dimensions,
            hidden: self.hidden,
            settings: self.settings.clone(),
            max_tokens: self.settings.room(self.graph.positions()),
            tokenizer,
            vocabulary,
            inputs: self.graph.inputs().map(str::to_owned).collect(),
            output: self.graph.output().to_owned(),
            unrelated_percent: self.unrelated_percent()?,
        })
    }

    /// The mean cosine of [`UNRELATED`], in hundredths.
    #[expect(clippy::cast_possible_truncation, reason = "a cosine is at most one")]
    fn unrelated_percent(&self) -> Result<i32, String> {
        let mut sum = vec![0.0; self.dimensions];
        let mut count = 0.0;
        for text in UNRELATED {
            let tokens = self.tokenize(Role::Passage, text)?;
            add(&mut sum, &self.encode_text(Role::Passage, &[], &tokens)?.sentence);
            count += 1.0;
        }
        // The square of the sum of unit vectors contains every pair twice, and the product of each vector with itself.
        let square: f32 = sum.iter().map(|number| number * number).sum();
        Ok((100.0 * (square - count) / (count * (count - 1.0))).round() as i32)
    }

    fn prefix(&self, role: Role) -> (&str, &[u32]) {
        match role {
            Role::Query => (&self.settings.query_prefix, &self.query_prefix),
            Role::Passage => (&self.settings.passage_prefix, &self.passage_prefix),
        }
    }

    /// Computes the last layer for a prefix, a context and a window of a text: one row per token, markers included.
    fn run(&self, prefix: &[u32], context: &[Piece], text: &[Piece]) -> Result<Vec<f32>, String> {
        let pieces = context.iter().chain(text).map(crate::text_encoder::Token::id);
        let before = self.splitter.before.iter().chain(prefix).copied();
        let ids: Vec<u32> = before.chain(pieces).chain(self.splitter.after.iter().copied()).collect();
        let rows = self.graph.run(&ids)?;
        match rows.len() / ids.len() {
            hidden if hidden == self.hidden => Ok(rows),
            other => Err(format!("the model returns {other} values for a token instead of {}", self.hidden)),
        }
    }

    /// Pools the rows of one window of `length` tokens into `sentence`.
    fn pool<'a>(&self, sentence: &mut [f32], rows: impl Iterator<Item = &'a [f32]>, length: f32) {
        let mut rows = rows;
        let mut one = |row: Option<&[f32]>| {
            let mut row = row.unwrap_or_default().to_vec();
            normalise(&mut row);
            row.iter_mut().for_each(|number| *number *= length);
            add(sentence, &row);
        };
        match self.settings.pooling {
            Pooling::Mean => rows.for_each(|row| add(sentence, row)),
            // Windows count by their length, as they do for the mean.
            Pooling::First => one(rows.next()),
            Pooling::Last => one(rows.last()),
            Pooling::Max => rows.for_each(|row| {
                sentence.iter_mut().zip(row).for_each(|(most, number)| *most = most.max(*number));
            }),
        }
    }
}

impl TextEncoder for Model {
    type Token = Piece;

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn tokenize(&self, role: Role, text: &str) -> Result<Vec<Piece>, String> {
        self.splitter.split(self.prefix(role).0, text, role.language(text))
    }

    fn foreign_share(&self, text: &str) -> Result<Option<f32>, String> {
        self.splitter.foreign_share(text).map(Some)
    }

    fn scale(&self) -> Result<Option<Scale>, String> {
        self.scale.get_or_init(|| scale::measure(self).map(Some)).clone()
    }

    fn markers(&self, role: Role) -> usize {
        self.splitter.before.len() + self.prefix(role).1.len() + self.splitter.after.len()
    }

    fn encode_text(&self, role: Role, context: &[Piece], text: &[Piece]) -> Result<TextEncoding, String> {
        let (hidden, dimensions) = (self.hidden, self.dimensions);
        let prefix = self.prefix(role).1;
        let room = self.settings.room(self.graph.positions()).saturating_sub(self.markers(role)).max(1);
        // The end of the context is the most relevant part, so the context is cut at its start.
        let context = &context[context.len().saturating_sub(room.saturating_sub(text.len()))..];
        let starts_word: Vec<bool> = text.iter().map(|piece| piece.starts_word).collect();
        let empty = if self.settings.pooling == Pooling::Max { f32::NEG_INFINITY } else { 0.0 };
        let mut sentence = vec![empty; hidden];
        let mut tokens = Vec::with_capacity(text.len() * dimensions);
        for window in windows(&starts_word, room) {
            let rows = self.run(prefix, context, &text[window.clone()])?;
            let before = self.splitter.before.len();
            let first = before + prefix.len() + context.len();
            let own = &rows[first * hidden..(first + window.len()) * hidden];
            #[expect(clippy::cast_precision_loss, reason = "windows have a few hundred tokens")]
            let length = window.len().max(1) as f32;
            let whole = matches!(self.settings.pooling, Pooling::First | Pooling::Last);
            if whole || context.is_empty() || own.is_empty() {
                let skipped = if self.settings.pools_prefix || whole { 0 } else { prefix.len() };
                let pooled = rows.chunks_exact(hidden).enumerate();
                let pooled = pooled.filter(|(index, _)| !(before..before + skipped).contains(index));
                self.pool(&mut sentence, pooled.map(|(_, row)| row), length);
            } else {
                // The markers also encode the context, so with one only the text's own tokens are pooled.
                self.pool(&mut sentence, own.chunks_exact(hidden), length);
            }
            own.chunks_exact(hidden).for_each(|row| tokens.extend_from_slice(&row[..dimensions]));
        }
        sentence.truncate(dimensions);
        normalise(&mut sentence);
        tokens.chunks_exact_mut(dimensions).for_each(normalise);
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
