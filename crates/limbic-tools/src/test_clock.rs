//! A deterministic clock and random source for tests.

use std::{cell::Cell, rc::Rc};

use limbic_core::Host;

/// Advance of the clock per call.
const STEP_MILLIS: i64 = 1000;

/// Test clock: advances one second per call.
#[derive(Clone)]
pub struct TestClock(Rc<Cell<i64>>);

impl TestClock {
    /// Creates a clock at this time (Unix milliseconds).
    pub fn new(millis: i64) -> Self {
        Self(Rc::new(Cell::new(millis)))
    }

    /// Advances by one second.
    pub fn advance(&self) {
        self.0.set(self.0.get() + STEP_MILLIS);
    }
}

impl Host for TestClock {
    fn now_millis(&self) -> i64 {
        self.0.get()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        let mut state = self.0.get().cast_unsigned() | 1;
        for byte in buffer {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = state.to_le_bytes()[0];
        }
    }
}
