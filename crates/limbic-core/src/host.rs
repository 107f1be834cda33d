//! The interface to the environment: a clock and a source of random bytes.

/// The environment of the core. Everything else is passed as arguments.
pub trait Host {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_millis(&self) -> i64;

    /// A clock in milliseconds that advances during a call, for time limits of statements; `None` if there is
    /// none.
    fn stopwatch(&self) -> Option<fn() -> i64> {
        None
    }

    /// Fills the buffer with cryptographically secure random bytes.
    fn fill_random(&self, buffer: &mut [u8]);
}
