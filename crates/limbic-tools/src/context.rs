//! What a handler gets beside its arguments.

use limbic_core::{Memory, search::Ranking};
use limbic_wire::{Encoding, EncodingResult, QueryTokens};

/// Told how much of a file has been worked through: bytes done, bytes in all.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// What a handler gets beside its arguments.
pub struct Context<'a> {
    /// The open memory.
    pub memory: &'a mut Memory,
    /// What came of the tool's texts, in their order; empty when there is no encoder.
    pub encodings: &'a [EncodingResult],
    /// What orders search results.
    pub ranking: Ranking,
    /// The file that the arguments name.
    pub file: Option<Vec<u8>>,
    /// Where to report how far a long call has come.
    pub progress: Progress<'a>,
}

impl Context<'_> {
    /// Sentence vector and tokens of the tool's only text, when an encoder has read it.
    pub fn query_encoding(&self) -> Option<(&[f32], &QueryTokens)> {
        match self.encodings.first()? {
            Ok(Encoding::Query { vector, tokens }) => Some((vector, tokens)),
            _ => None,
        }
    }
}
