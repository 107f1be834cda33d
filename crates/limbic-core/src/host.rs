//! The interface to the environment: a clock and a source of random bytes.

use std::time::Duration;

/// The environment of the core. Everything else is passed as arguments.
pub trait Host {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_millis(&self) -> i64;

    /// A clock in milliseconds that advances during a call, for time limits of statements; `None` if there is
    /// none.
    fn stopwatch(&self) -> Option<fn() -> i64> {
        None
    }

    /// Says that the transaction that begins next is to write and how long it waits for others, and after its begin,
    /// with `None`, that none is. A store that others share may then lock at once, rather than after a snapshot.
    fn expect_write(&self, _wait: Option<Duration>) {}

    /// Fills the buffer with cryptographically secure random bytes.
    fn fill_random(&self, buffer: &mut [u8]);
}
