//! The embedding queue in batches, between calls.

use std::time::{Duration, Instant};

use limbic_core::Result;
use limbic_protocol::EncodingResult;

use crate::session::Session;

/// Maximum number of texts per batch.
const MAX_BATCH: usize = 8;
/// Target duration of a batch, because a search may have to wait for it.
const BATCH_TIME: Duration = Duration::from_millis(60);

/// Has texts of the embedding queue encoded, one batch at a time.
#[derive(Debug)]
pub struct EmbeddingBatches {
    /// Start time of the current batch.
    since: Option<Instant>,
    size: usize,
}

impl Default for EmbeddingBatches {
    fn default() -> Self {
        Self { since: None, size: 1 }
    }
}

impl EmbeddingBatches {
    /// Whether a batch is at the encoder.
    #[must_use]
    pub fn is_encoding(&self) -> bool {
        self.since.is_some()
    }

    /// Sends the next batch to the encoder, unless it is busy. The function that `answer` makes receives the encodings
    /// on the encoder's thread, and has them passed to [`EmbeddingBatches::store`].
    ///
    /// # Errors
    /// If the database cannot be opened, or the queue cannot be read; nothing is sent.
    pub fn submit<A>(&mut self, session: &mut Session, answer: impl FnOnce() -> A) -> Result<()>
    where
        A: FnOnce(Vec<EncodingResult>) + Send + 'static,
    {
        if self.is_encoding() {
            return Ok(());
        }
        if let Some(tasks) = session.take(self.size)? {
            self.since = Some(Instant::now());
            session.submit(tasks, answer());
        }
        Ok(())
    }

    /// Stores the encodings of a batch. The next one is larger or smaller, so that it takes about as long as it should.
    ///
    /// After an error, the texts stay in the queue.
    pub fn store(&mut self, session: &mut Session, encodings: &[EncodingResult]) -> Result<()> {
        let time = self.since.take().map_or(BATCH_TIME, |since| since.elapsed());
        if time < BATCH_TIME / 2 {
            self.size = (self.size * 2).min(MAX_BATCH);
        } else if time > BATCH_TIME {
            self.size = (self.size / 2).max(1);
        }
        session.store(encodings).map(drop)
    }
}
