//! Panics of the core: the call fails, and the next one opens the database again.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use limbic_core::{Error, Result};
use limbic_tools::Limbic;

use super::Session;
use crate::host;

impl Session {
    /// For tests: makes a call of this tool, resource or prompt panic within its transaction.
    pub fn trap_at(&mut self, name: Option<String>) {
        self.test_trap = name;
    }

    pub(super) fn arm_trap(&self, name: &str) {
        if self.test_trap.as_deref() == Some(name) {
            host::panic_at_next_clock();
        }
    }

    /// Takes whether a panic has closed the database since this was last asked.
    pub fn take_panicked(&mut self) -> bool {
        mem::take(&mut self.has_panicked)
    }

    /// Runs `work`. If it panics, the database is closed, which rolls an open transaction back. It is opened again when
    /// it is needed, and the sessions continue in their domains.
    ///
    /// # Errors
    /// [`Error::Panicked`], and those of `work`.
    pub(super) fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // What a panic may have left half-changed is in the database's objects, which are discarded.
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.has_panicked = true;
            if let Some(limbic) = self.limbic.take() {
                self.discard(limbic);
            }
            Err(Error::Panicked)
        })
    }

    fn discard(&mut self, limbic: Limbic) {
        let domains = catch_unwind(AssertUnwindSafe(|| limbic.session_domains()));
        self.domains = domains.unwrap_or_default();
        // A connection that cannot be closed properly is abandoned: its locks end with the process at the latest.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(limbic)));
    }
}
