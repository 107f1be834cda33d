//! Limits the bytes of requests that wait for their answers: the core runs one call at a time, and memory is finite.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::refusal::Refusal;

/// The code of the refusal of a request that would exceed a limit.
pub const TOO_MANY_BYTES: &str = "too_many_bytes";

/// Bytes of one client, that is a token and an address.
const MAX_CLIENT_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of all clients together.
const MAX_ALL_BYTES: usize = 192 * 1024 * 1024;
/// A message up to this length is read when a limit is reached, since it may cancel a request.
const MAX_CANCEL_BYTES: usize = 8 * 1024;
/// Maximum number of these messages that wait beyond each limit.
const MAX_CANCELS: usize = 16;

/// Limits of request bodies, in bytes.
#[derive(Debug, Clone, Copy)]
struct Limits {
    client: usize,
    all: usize,
    /// Bytes of a message that is read although a limit is reached.
    cancel: usize,
}

/// Counts the bytes of the requests that were received and not yet answered.
pub struct QueuedBytes {
    limits: Limits,
    counted: Arc<Mutex<Counted>>,
}

#[derive(Default)]
struct Counted {
    by_client: HashMap<String, usize>,
    all: usize,
}

/// The bytes of one request; given back when it is dropped.
pub struct Reservation {
    limits: Limits,
    counted: Arc<Mutex<Counted>>,
    client: String,
    taken: usize,
    /// Whether it was read although a limit is reached.
    is_beyond: bool,
}

impl Default for QueuedBytes {
    fn default() -> Self {
        Self::with_limits(Limits { client: MAX_CLIENT_BYTES, all: MAX_ALL_BYTES, cancel: MAX_CANCEL_BYTES })
    }
}

impl QueuedBytes {
    fn with_limits(limits: Limits) -> Self {
        Self { limits, counted: Arc::default() }
    }

    /// Begins to count a request of a client.
    pub fn reserve(&self, client: &str) -> Reservation {
        Reservation {
            limits: self.limits,
            counted: self.counted.clone(),
            client: client.to_owned(),
            taken: 0,
            is_beyond: false,
        }
    }
}

impl Reservation {
    /// Reserves more bytes. Those of a short message are reserved even when a limit is reached, up to some
    /// more.
    ///
    /// # Errors
    /// `too_many_bytes` if a limit is reached; nothing more is reserved.
    pub fn take(&mut self, bytes: usize) -> Result<(), Refusal> {
        let Limits { client, all, cancel } = self.limits;
        let mut counted = counted(&self.counted);
        let of_client = counted.by_client.get(&self.client).copied().unwrap_or_default();
        self.is_beyond = of_client + bytes > client || counted.all + bytes > all;
        let beyond = MAX_CANCELS * cancel;
        let is_refused = of_client + bytes > client + beyond || counted.all + bytes > all + beyond;
        if self.is_beyond && (is_refused || self.taken + bytes > cancel) {
            return Err(self.refusal());
        }
        counted.all += bytes;
        counted.by_client.insert(self.client.clone(), of_client + bytes);
        self.taken += bytes;
        Ok(())
    }

    /// Refuses a message that was read although a limit is reached. Not for one that cancels a request.
    ///
    /// # Errors
    /// `too_many_bytes` if a limit was reached.
    pub fn require_room(&self) -> Result<(), Refusal> {
        if self.is_beyond { Err(self.refusal()) } else { Ok(()) }
    }

    fn refusal(&self) -> Refusal {
        let Limits { client, all, .. } = self.limits;
        let text = format!(
            "Requests without an answer may have {client} bytes for a client and {all} for all: wait for answers, or \
             cancel a request"
        );
        Refusal::retry_later(429, TOO_MANY_BYTES, &text)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut counted = counted(&self.counted);
        counted.all -= self.taken;
        let left = counted.by_client.get(&self.client).map_or(0, |of_client| of_client - self.taken);
        if left > 0 {
            counted.by_client.insert(self.client.clone(), left);
        } else {
            counted.by_client.remove(&self.client);
        }
    }
}

fn counted(counted: &Mutex<Counted>) -> MutexGuard<'_, Counted> {
    // A panic while a number changes leaves it as it was or as it becomes.
    counted.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_for_each_client_and_for_all() {
        let queued = QueuedBytes::with_limits(Limits { client: 10, all: 15, cancel: 0 });
        let [mut one, mut more, mut other] = ["one", "one", "other"].map(|client| queued.reserve(client));
        let took = |reservation: &mut Reservation, bytes| reservation.take(bytes).is_ok();
        assert!(took(&mut one, 6) && !took(&mut more, 5) && took(&mut more, 4), "the limit of a client");
        assert!(!took(&mut other, 6) && took(&mut other, 5), "the limit of all");
        drop(one);
        let mut next = queued.reserve("one");
        assert!(!took(&mut next, 7) && took(&mut next, 6), "the rest of the client is still counted");
        drop((more, other, next));
        assert!(counted(&queued.counted).by_client.is_empty());
        assert!(took(&mut queued.reserve("another"), 10));
    }

    #[test]
    fn a_short_message_is_read_beyond_a_limit_but_only_a_cancellation_is_served() {
        let queued = QueuedBytes::with_limits(Limits { client: 10, all: 15, cancel: 4 });
        let [mut one, mut short] = ["one", "one"].map(|client| queued.reserve(client));
        assert!(one.take(10).is_ok() && one.require_room().is_ok());
        assert!(short.take(3).is_ok() && short.take(2).is_err(), "only a short one");
        assert_eq!(short.require_room().map_err(|refusal| refusal.code), Err("too_many_bytes"));
        drop((one, short));
        assert!(counted(&queued.counted).by_client.is_empty());
    }

    #[test]
    fn a_refusal_says_when_to_try_again() {
        let refusal =
            QueuedBytes::default().reserve("one").take(MAX_CLIENT_BYTES + 1).expect_err("it is too much");
        assert_eq!((refusal.status, refusal.code), (429, "too_many_bytes"));
        assert_eq!(refusal.header.map(|(name, _)| name), Some("Retry-After"));
    }
}
