//! The interface to the environment: a clock and a source of random bytes.

/// The environment of the core. Everything else is passed as arguments.
pub trait Host {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_millis(&self) -> i64;

    /// A clock in milliseconds that a statement asks while it runs, so that it ends in time; none where time stands still
    /// during a call.
    fn stopwatch(&self) -> Option<fn() -> i64> {
        None
    }

    /// Fills the buffer with cryptographically secure random bytes.
    fn fill_random(&self, buffer: &mut [u8]);
}
