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

    /// Discards all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Performs them, and then records which search results were used. Where the database is busy, those that were not
    /// performed remain.
    ///
    /// # Errors
    /// The error of the first write that failed, other than [`Error::Busy`]. That write is discarded, and the others
    /// are performed, or remain after [`Error::Timeout`].
    pub fn perform(&mut self, memory: &mut Engine) -> Result<()> {
        let mut failure = None;
        while let Some(mut write) = self.0.pop_front() {
            match write(memory) {
                Ok(()) => {}
                Err(Error::Busy) => {
                    self.0.push_front(write);
                    return failure.map_or(Ok(()), Err);
                }
                Err(error @ Error::Timeout { .. }) => return Err(failure.unwrap_or(error)),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match memory.record_reuse() {
            Ok(()) | Err(Error::Busy) => failure.map_or(Ok(()), Err),
            Err(error) => Err(failure.unwrap_or(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use limbic_core::{Host, rusqlite::Connection};

    use super::*;

    struct StoppedClock;

    impl Host for StoppedClock {
        fn now_millis(&self) -> i64 {
            0
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(1);
        }
    }

    #[test]
    fn a_write_that_fails_takes_no_other_with_it() -> Result<()> {
        limbic_vfs::register_vec0();
        let mut memory = Engine::open(Connection::open_in_memory()?, Box::new(StoppedClock), false)?;
        let performed = Rc::new(RefCell::new(Vec::new()));
        let write = |name: &'static str, failures: Vec<Error>| -> Deferred {
            let (performed, mut failures) = (performed.clone(), failures.into_iter());
            Box::new(move |_| match failures.next() {
                Some(error) => Err(error),
                None => {
                    performed.borrow_mut().push(name);
                    Ok(())
                }
            })
        };
        let timeout = Error::Timeout { limit_millis: 1 };
        let mut writes = DeferredWrites::default();
        writes.add(vec![
            write("full", vec![Error::DiskFull]),
            write("first", Vec::new()),
            write("busy", vec![Error::Busy]),
            write("slow", vec![timeout]),
            write("last", Vec::new()),
        ]);
        assert!(matches!(writes.perform(&mut memory), Err(Error::DiskFull)));
        assert_eq!(*performed.borrow(), ["first"]);
        assert!(matches!(writes.perform(&mut memory), Err(Error::Timeout { .. })));
        writes.perform(&mut memory)?;
        assert_eq!(*performed.borrow(), ["first", "busy", "last"]);
        Ok(())
    }
}
