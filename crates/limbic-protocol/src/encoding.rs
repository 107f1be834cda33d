//! Results of the encoder.

use serde::{Deserialize, Serialize};

use crate::{SignBits, TaskKey};

/// The result of one task: an encoding, or an error message for the log and the queue's `last_error`. A failed task
/// does not affect the other tasks of its list.
pub type EncodingResult = Result<Encoding, String>;

/// The encoding of one [`crate::Task`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Encoding {
    /// The result of [`crate::Task::Query`].
    Query {
        /// Sentence vector, of length one.
        vector: Vec<f32>,
        /// The query's tokens with their vectors.
        tokens: QueryTokens,
    },
    /// The result of [`crate::Task::Text`].
    Text {
        /// The task's key.
        key: TaskKey,
        /// Sentence vector, of length one.
        vector: Vec<f32>,
        /// The content tokens.
        tokens: TokenVectors,
        /// Share of the text's letters that the encoder was not trained to read, as in [`QueryTokens::foreign`].
        foreign: Option<f32>,
    },
    /// The result of [`crate::Task::Snapshot`].
    Snapshot {
        /// The task's key.
        key: TaskKey,
        /// Sentence vector, of length one.
        vector: Vec<f32>,
    },
}

/// The tokens of a query, without the markers `[CLS]` and `[SEP]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryTokens {
    /// Token ids.
    pub ids: Vec<u32>,
    /// `true` for stop words and punctuation, which have a tenth of the weight.
    pub weak: Vec<bool>,
    /// Token vectors of the last layer, each of length one, concatenated: all as wide as the sentence vector.
    pub vectors: Vec<f32>,
    /// Share of the query's letters that the encoder was not trained to read, 0 to 1, by unknown tokens and by words
    /// that are cut into single letters. `None` if the encoder does not compute it.
    pub foreign: Option<f32>,
    /// The encoder's scale of similarities; `None` if it is [`Scale::SHIPPED`], or the encoder has none.
    pub scale: Option<Scale>,
}

/// How similar texts are for an encoder: 0.9 late interaction and 0.1 cosine of the sentence vectors, on average.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// Sentences on different subjects.
    pub unrelated: f32,
    /// A sentence and itself.
    pub identical: f32,
}

impl Scale {
    /// That of the model that ships with Limbic.
    pub const SHIPPED: Self = Self { unrelated: 0.076, identical: 0.806 };
}

/// The content tokens of a stored text: without markers, stop words and punctuation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenVectors {
    /// Token ids in the order of the text.
    pub ids: Vec<u32>,
    /// Sign bits of the token vectors of the last layer.
    pub bits: SignBits,
}
