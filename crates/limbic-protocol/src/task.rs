//! What the core asks the encoder to read.

use serde::{Deserialize, Serialize};

/// Length of every sentence vector and of every token vector, in numbers.
pub const DIMENSIONS: usize = 384;

/// The most tokens of an entity's snapshot, markers included (the budget of MCP Memory v2).
pub const SNAPSHOT_TOKENS: usize = 480;

/// What a stored text is. The number is the one kept in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum TextKind {
    /// An entity's snapshot: its name, type and a choice of its observations.
    Entity = 0,
    /// One observation.
    Observation = 1,
    /// One reflection.
    Reflection = 2,
    /// One memory.
    Memory = 3,
    /// One chunk of source code.
    Chunk = 4,
}

/// Which stored text a task belongs to, and in which state of that text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskKey {
    /// What the text is.
    pub kind: TextKind,
    /// The row it belongs to, in the table of its kind.
    pub id: i64,
    /// Hash of the text as it was when the task was made: an encoding of an older state is thrown away.
    pub text_hash: i64,
}

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// A question: its sentence vector and all its token vectors as floats.
    Query {
        /// The text as the user wrote it.
        text: String,
    },
    /// A stored text: its sentence vector and the sign bits of its telling tokens.
    Text {
        /// What it belongs to.
        key: TaskKey,
        /// What stands before the text and helps to read it, but is not part of it; may be empty.
        /// The sentence vector and the tokens are those of `text` alone.
        context: String,
        /// The text.
        text: String,
    },
    /// An entity: the encoder fits header, relations and a choice of observations into [`SNAPSHOT_TOKENS`].
    Snapshot {
        /// What it belongs to.
        key: TaskKey,
        /// Name and type; always taken, cut only when it alone is over the budget.
        header: String,
        /// Current observations, oldest first. Taken by Head + Tail + Diversity.
        observations: Vec<String>,
        /// What stands after the observations when there is room left: the active relations.
        relations: String,
    },
}
