//! What the encoder answers.

use serde::{Deserialize, Serialize};

use crate::{SignBits, TaskKey};

/// What came of one task: an encoding, or the reason why there is none.
///
/// The reason is a sentence for the log and for the queue's `last_error`; the other tasks of the list are not
/// touched by it.
pub type EncodingResult = Result<Encoding, String>;

/// What one [`crate::Task`] gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Encoding {
    /// The answer to [`crate::Task::Query`].
    Query {
        /// Sentence vector, of length one.
        vector: Vec<f32>,
        /// The tokens with their vectors.
        tokens: QueryTokens,
    },
    /// The answer to [`crate::Task::Text`].
    Text {
        /// What it belongs to, as it came.
        key: TaskKey,
        /// Sentence vector, of length one.
        vector: Vec<f32>,
        /// The telling tokens.
        tokens: TokenVectors,
    },
    /// The answer to [`crate::Task::Snapshot`].
    Snapshot {
        /// What it belongs to, as it came.
        key: TaskKey,
        /// Sentence vector, of length one.
        vector: Vec<f32>,
    },
}

/// The tokens of a question, markers ([CLS], [SEP]) left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryTokens {
    /// Vocabulary numbers.
    pub ids: Vec<u32>,
    /// `true` where the token is a stop word or punctuation: it weighs a tenth.
    pub weak: Vec<bool>,
    /// Last-layer vectors, each of length one, one after the other: `ids.len() * DIMENSIONS` numbers.
    pub vectors: Vec<f32>,
}

/// The telling tokens of a stored text: markers, stop words and punctuation left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenVectors {
    /// Vocabulary numbers, in the order of the text.
    pub ids: Vec<u32>,
    /// Signs of the last-layer vectors, one per token.
    pub bits: SignBits,
}
