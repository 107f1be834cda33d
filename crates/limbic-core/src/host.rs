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

    /// Says whether the transaction that begins next is to write, and after its begin that none is. A store that others
    /// share may then lock at once, rather than after a snapshot.
    fn expect_write(&self, _is_expected: bool) {}

    /// Fills the buffer with cryptographically secure random bytes.
    fn fill_random(&self, buffer: &mut [u8]);
}
