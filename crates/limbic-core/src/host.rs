//! The only door to the world outside: a clock and a source of random bytes.

/// What surrounds the core and gives it time and chance. Everything else comes in as arguments.
pub trait Host {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_millis(&self) -> i64;

    /// Fills the buffer with bytes that nobody can guess.
    fn fill_random(&self, buffer: &mut [u8]);
}
