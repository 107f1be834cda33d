//! What searches of memories keep in memory.

use limbic_protocol::TextKind;

use crate::search::{VectorCache, lexical::WordRows};

/// Copies of parts of the database, for searches of memories: the sentence vectors, and the rows and scores of words of
/// queries. Both are brought up to date with the transaction that uses them.
pub struct MemoryCache {
    pub(crate) vectors: VectorCache,
    pub(crate) words: WordRows,
}

impl MemoryCache {
    /// Creates an empty cache.
    pub(crate) fn new() -> Self {
        Self { vectors: VectorCache::new(TextKind::Memory), words: WordRows::default() }
    }

    /// Clears all copies.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }
}
