//! Writes that calls defer until after their answers.

use std::collections::VecDeque;

use limbic_core::{Engine, Error, Result};

/// Maximum number of writes that are kept while the database is busy. The oldest ones are discarded.
const MAX_KEPT: usize = 100;

/// A write that a call defers until its answer has been sent. Its failure fails no call. It is repeated where the
/// database was busy.
pub type Deferred = Box<dyn FnMut(&mut Engine) -> Result<()>>;

/// The writes that were deferred and not performed yet, oldest first.
#[derive(Default)]
pub(crate) struct DeferredWrites(VecDeque<Deferred>);

impl DeferredWrites {
    /// Adds the writes of a call.
    pub fn add(&mut self, writes: Vec<Deferred>) {
        self.0.extend(writes);
        let too_many = self.0.len().saturating_sub(MAX_KEPT);
        self.0.drain(..too_many);
    }

    /// Performs them, and then records which search results were used. Returns those that remain because the database
    /// is busy.
    ///
    /// # Errors
    /// The error of a write, other than [`Error::Busy`]; the writes after it are discarded.
    pub fn perform(mut self, memory: &mut Engine) -> Result<Self> {
        while let Some(mut write) = self.0.pop_front() {
            match write(memory) {
                Ok(()) => {}
                Err(Error::Busy) => {
                    self.0.push_front(write);
                    return Ok(self);
                }
                Err(error) => return Err(error),
            }
        }
        memory.record_reuse()?;
        Ok(self)
    }
}
