//! The core's host: the system's clock and random source.

use std::cell::Cell;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use limbic_vfs::{Host as _, StdHost};

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

/// For tests: makes the next reading of the core's clock on this thread panic. Each transaction begins with one.
pub fn panic_at_next_clock() {
    PANICS.set(true);
}

/// The system's clock and random source.
pub struct SystemHost;

fn now_millis() -> i64 {
    StdHost.now_millis()
}

/// Milliseconds since the first reading of a monotonic clock.
pub fn monotonic_millis() -> i64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    i64::try_from(START.elapsed().as_millis()).unwrap_or(i64::MAX)
}

impl limbic_core::Host for SystemHost {
    fn now_millis(&self) -> i64 {
        assert!(!PANICS.take(), "a panic on purpose");
        now_millis()
    }

    fn stopwatch(&self) -> Option<fn() -> i64> {
        Some(now_millis)
    }

    fn expect_write(&self, wait: Option<Duration>) {
        limbic_vfs::expect_write(wait);
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }
}
