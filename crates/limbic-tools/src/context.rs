//! What a handler gets beside its arguments.

use limbic_core::{Engine, Result, records::Merger, search::Ranking, store::logs::search_log::Policy};
use limbic_protocol::{Encoding, EncodingResult, QueryTokens};

use crate::{event_ids::EventIds, redact, source::Source};

/// Told how much of a file has been worked through: bytes done, bytes in all.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// What a call leaves to be written when its answer has been given. Its failure fails no call.
pub type Deferred = Box<dyn FnOnce(&mut Engine) -> Result<()>>;

/// What a handler gets beside its arguments.
pub struct Context<'a> {
    /// The open memory.
    pub memory: &'a mut Engine,
    /// What came of the tool's texts, in their order; empty when there is no encoder.
    pub encodings: &'a [EncodingResult],
    /// What orders search results.
    pub ranking: Ranking,
    /// What of a search is logged, and for how long.
    pub search_log: Policy,
    /// Whether personal data is taken out of memories before they are stored.
    pub redact: bool,
    /// The file that the arguments name.
    pub file: Option<&'a mut dyn Source>,
    /// Where to report how far a long call has come.
    pub progress: Progress<'a>,
    /// What is to be written after the answer.
    pub deferred: &'a mut Vec<Deferred>,
    /// The number that the next search gets in the log.
    pub event_ids: &'a mut EventIds,
}

impl Context<'_> {
    /// A text as it may be stored: without personal data where the user wants that.
    pub fn storable(&self, text: Option<String>) -> Option<String> {
        if self.redact { text.map(redact::text) } else { text }
    }

    /// What merges an import, and takes personal data out of its memories where the user wants that.
    pub fn merger(&self) -> Merger {
        Merger::new(self.redact.then_some(redact::json))
    }

    /// Sentence vector and tokens of the tool's only text, when an encoder has read it.
    pub fn query_encoding(&self) -> Option<(&[f32], &QueryTokens)> {
        match self.encodings.first()? {
            Ok(Encoding::Query { vector, tokens }) => Some((vector, tokens)),
            _ => None,
        }
    }
}
