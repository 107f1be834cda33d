//! The end of a server by signals. The first one lets the calls that were read end within two seconds, and interrupts
//! imports and work between calls, which keep what they have stored. The second one ends the program at once, as a
//! crash would: the next program that opens the database undoes the write that was not committed.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use limbic_memory::host::monotonic_millis;
use limbic_tools::Stop;
use serde_json::json;

use super::message::Refused;

/// The time that calls have after the first signal.
pub const LAST_CALL_TIME: Duration = Duration::from_secs(2);
/// What a request to a server that ends is told.
pub const STOPPING: &str = "This server is shutting down: send the request again, to another one or later";
/// The code of JSON-RPC for it.
const STOPPING_NUMBER: i64 = -32000;
/// The exit code after a second signal, as that of the Node server.
const AT_ONCE: i32 = 1;

/// Whether a signal has arrived, and when.
#[derive(Clone, Default)]
pub struct Stopping {
    /// The time of the first signal in milliseconds, or 0.
    since: Arc<AtomicI64>,
}

impl Stopping {
    /// Notes a signal. The second one ends the program.
    pub fn signal(&self) {
        let now = monotonic_millis().max(1);
        if self.since.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            process::exit(AT_ONCE);
        }
    }

    /// What stops calls from the first signal on.
    pub fn limits(&self) -> Stop {
        let (at_once, later) = (self.since.clone(), self.since.clone());
        let time = i64::try_from(LAST_CALL_TIME.as_millis()).unwrap_or(i64::MAX);
        Stop {
            steps: Arc::new(move || at_once.load(Ordering::Relaxed) > 0),
            calls: Arc::new(move || match later.load(Ordering::Relaxed) {
                0 => false,
                since => monotonic_millis() > since.saturating_add(time),
            }),
        }
    }
}

/// The refusal of a request that arrives too late.
pub fn refusal() -> Refused {
    Refused::new(STOPPING_NUMBER, STOPPING).with_data(json!({"code": "stopping"}))
}
