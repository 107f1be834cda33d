//! What the connections of a process to a store share: since when it cannot be reached, so that calls do not wait for it one
//! after the other, and background work does not make them wait.

use std::{
    cell::Cell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The longest time after a failed attempt to connect during which nobody tries again.
const MAX_REST: Duration = Duration::from_secs(2);
/// The rest after an attempt, as a multiple of its duration: a connection that is refused at once may be tried at once.
const REST: u32 = 10;
/// Time for an attempt of background work to connect.
const BACKGROUND_LIMIT: Duration = Duration::from_secs(2);

thread_local! {
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// Runs background work: where a call would wait until its store is back, it fails.
pub fn in_background<T>(work: impl FnOnce() -> T) -> T {
    /// Restores the value, also after a panic.
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            IS_BACKGROUND.set(self.0);
        }
    }
    let _before = Restored(IS_BACKGROUND.replace(true));
    work()
}

/// Whether the caller is background work.
pub(crate) fn is_background() -> bool {
    IS_BACKGROUND.get()
}

/// The outage of a store, if there is one. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Outage(Arc<Mutex<Option<Failures>>>);

/// Attempts to connect that have failed, without a success since.
struct Failures {
    first: Instant,
    last: Instant,
    /// Until when nobody tries again.
    rest_until: Instant,
    why: String,
}

/// Who needs a connection, and how long it may wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A call waits for this time of an outage.
    Call(Duration),
    /// Background work does not wait.
    Background,
}

impl Need {
    /// The need of the caller's thread.
    pub(crate) fn of_caller(patience: Duration) -> Need {
        if is_background() { Need::Background } else { Need::Call(patience) }
    }

    /// The time that an attempt to connect may take; `limit` is that of a call.
    pub(crate) fn attempt_limit(self, limit: Duration) -> Duration {
        match self {
            Need::Call(_) => limit,
            Need::Background => limit.min(BACKGROUND_LIMIT),
        }
    }
}

impl Outage {
    /// Until when connecting is tried: at least once, if this is past.
    ///
    /// # Errors
    /// Why the last attempt failed, if the next one is due later.
    pub(crate) fn deadline(&self, now: Instant, need: Need) -> Result<Instant, String> {
        let mut known = self.failures();
        if let Need::Call(patience) = need {
            // Nobody has tried for so long that this says nothing about the present.
            known.take_if(|known| now.duration_since(known.last) > patience.max(MAX_REST));
        }
        let waits = match need {
            Need::Call(patience) => known.as_ref().map_or(now, |known| known.first) + patience,
            Need::Background => now,
        };
        match &*known {
            Some(Failures { rest_until, why, .. }) if waits <= now && now < *rest_until => Err(why.clone()),
            _ => Ok(waits.max(now)),
        }
    }

    /// Records an attempt to connect, or to get an answer, that has failed now.
    pub(crate) fn note_failure(&self, begun: Instant, now: Instant, why: &str) {
        let rest = (now.duration_since(begun) * REST).min(MAX_REST);
        let mut known = self.failures();
        let first = known.as_ref().map_or(begun, |known| known.first);
        *known = Some(Failures { first, last: now, rest_until: now + rest, why: why.to_owned() });
    }

    /// Records that the store can be reached.
    pub(crate) fn note_success(&self) {
        *self.failures() = None;
    }

    fn failures(&self) -> MutexGuard<'_, Option<Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Need = Need::Call(Duration::from_secs(10));

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn calls_wait_together_and_then_fail_at_once() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.deadline(start, PATIENCE), Ok(start + seconds(10)));
        outage.note_failure(start, start + seconds(1), "silent");
        assert_eq!(outage.deadline(start + seconds(1), PATIENCE), Ok(start + seconds(10)));
        outage.note_failure(start + seconds(1), start + seconds(10), "silent");
        for later in [10, 11] {
            assert_eq!(outage.deadline(start + seconds(later), PATIENCE), Err("silent".to_owned()));
        }
        let rested = start + seconds(12);
        assert_eq!(outage.deadline(rested, PATIENCE), Ok(rested), "one more attempt");
        outage.note_success();
        assert_eq!(outage.deadline(rested, PATIENCE), Ok(rested + seconds(10)));
    }

    #[test]
    fn an_attempt_that_fails_at_once_is_repeated_at_once() {
        let (outage, start) = (Outage::default(), Instant::now());
        outage.note_failure(start, start, "refused");
        let late = start + seconds(10);
        outage.note_failure(late, late, "refused");
        assert_eq!(outage.deadline(late, PATIENCE), Ok(late));
    }

    #[test]
    fn background_work_never_waits() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.deadline(start, Need::Background), Ok(start));
        outage.note_failure(start, start + seconds(1), "silent");
        assert_eq!(outage.deadline(start + seconds(2), Need::Background), Err("silent".to_owned()));
        assert_eq!(outage.deadline(start + seconds(3), Need::Background), Ok(start + seconds(3)));
    }

    #[test]
    fn an_outage_that_nobody_has_looked_at_for_long_is_forgotten() {
        let (outage, start) = (Outage::default(), Instant::now());
        outage.note_failure(start, start + seconds(10), "silent");
        let later = start + seconds(3600);
        assert_eq!(outage.deadline(later, PATIENCE), Ok(later + seconds(10)));
    }

    #[test]
    fn work_is_background_within_the_call_only() {
        assert!(!is_background());
        assert!(in_background(|| in_background(is_background) && is_background()));
        assert!(!is_background());
    }
}
