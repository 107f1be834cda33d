//! Texts that the core asks the encoder to encode.

use serde::{Deserialize, Serialize};

/// Number of dimensions of sentence vectors and token vectors of the model that ships with Limbic, and of the vector
/// tables of a new database. Those of another model have its own width, a multiple of eight.
pub const DIMENSIONS: usize = 384;

/// Maximum number of tokens of an entity's snapshot, markers included, as in MCP Memory v2.
pub const MAX_SNAPSHOT_TOKENS: usize = 480;

/// The kind of a stored text. The number is stored in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum TextKind {
    /// An entity's snapshot: its name, type and selected observations.
    Entity = 0,
    /// An observation.
    Observation = 1,
    /// A reflection.
    Reflection = 2,
    /// A memory.
    Memory = 3,
    /// A chunk of source code.
    Chunk = 4,
}

/// Identifies a stored text and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskKey {
    /// The kind of the text.
    pub kind: TextKind,
    /// The row id in the table of this kind.
    pub id: i64,
    /// Hash of the text when the task was created. An encoding of an older version is discarded.
    pub text_hash: i64,
}

/// A text to encode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// A query: results in its sentence vector and all its token vectors.
    Query {
        /// The query as entered.
        text: String,
    },
    /// A stored text: results in its sentence vector and the sign bits of its content tokens.
    Text {
        /// The text's key, which the encoding repeats.
        key: TaskKey,
        /// Preceding text, used as context for the model; may be empty. It is part of neither the sentence vector nor
        /// the tokens.
        context: String,
        /// The text.
        text: String,
    },
    /// An entity: the encoder composes a snapshot of at most [`MAX_SNAPSHOT_TOKENS`] tokens.
    Snapshot {
        /// The text's key, which the encoding repeats.
        key: TaskKey,
        /// Name and type; cut only if they exceed the budget by themselves.
        header: String,
        /// Current observations, oldest first; selected by Head + Tail + Diversity.
        observations: Vec<String>,
        /// Active relations, appended if the budget allows.
        relations: String,
    },
}
