//! What the connections of a process to a store share: since when it cannot be reached, so that calls do not wait for
//! it one after the other, and background work does not make them wait.
//!
//! An attempt of background work is shorter than those of calls. If its limit ends it, that is recorded for background
//! work alone: a call may still succeed. While a store is silent, attempts of calls would take long; one thread makes
//! them in their place (see `postgres::probe`), and calls fail at once.

use std::{
    cell::Cell,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The longest time after a failed attempt to connect during which no other attempt is made.
const MAX_REST: Duration = Duration::from_secs(2);
/// The rest after an attempt, as a multiple of its duration: a connection that is refused at once may be tried at once.
const REST: u32 = 10;
/// A probe continues as long as a call needed the store within this time.
const WANTED_WITHIN: Duration = Duration::from_secs(60);
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
pub(crate) struct Outage(Arc<Mutex<Records>>);

#[derive(Default)]
struct Records {
    calls: Option<Failures>,
    background: Option<Failures>,
    /// When a call last needed the store while a probe ran; `None` without a probe.
    probed: Option<Instant>,
}

/// Attempts to connect that have failed, without a success since.
struct Failures {
    first: Instant,
    last: Instant,
    /// Until when no other attempt is made.
    rest_until: Instant,
    why: String,
}

impl Failures {
    /// Adds a failure to those that are known.
    fn add(known: &mut Option<Failures>, begun: Instant, now: Instant, why: &str) {
        let first = known.as_ref().map_or(begun, |known| known.first);
        *known = Some(Failures { first, last: now, rest_until: now + rest(begun, now), why: why.to_owned() });
    }
}

/// The rest after an attempt.
fn rest(begun: Instant, now: Instant) -> Duration {
    (now.duration_since(begun) * REST).min(MAX_REST)
}

/// Who needs a connection, and how long it may wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A call waits for this time of an outage.
    Call(Duration),
    /// A lookup for a request does not wait, since others would wait for it, but its attempt is as long as that of a
    /// call.
    Lookup,
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
            Need::Call(_) | Need::Lookup => limit,
            Need::Background => limit.min(BACKGROUND_LIMIT),
        }
    }

    /// Whether an attempt may have failed by the limit of background work alone.
    fn has_cut(self, begun: Instant, now: Instant) -> bool {
        self == Need::Background && now.duration_since(begun) >= BACKGROUND_LIMIT
    }
}

impl Outage {
    /// Until when connecting is tried: at least once, if this is past.
    ///
    /// # Errors
    /// Why the last attempt failed, if the next one is due later, or is made by a probe.
    pub(crate) fn deadline(&self, now: Instant, need: Need) -> Result<Instant, String> {
        let mut records = self.records();
        let is_probed = match &mut records.probed {
            Some(asked) => {
                *asked = now;
                true
            }
            None => false,
        };
        let known = match need {
            Need::Call(_) | Need::Lookup => &mut records.calls,
            Need::Background => &mut records.background,
        };
        if let (Need::Call(patience), Some(known)) = (need, &mut *known)
            && !is_probed
            && now.duration_since(known.last) > patience.max(MAX_REST)
        {
            // Nobody has tried for so long that this says nothing about the present.
            (known.first, known.rest_until) = (now, now);
        }
        let waits = match need {
            Need::Call(patience) => known.as_ref().map_or(now, |known| known.first) + patience,
            Need::Lookup | Need::Background => now,
        };
        match known {
            Some(known) if waits <= now && (is_probed || now < known.rest_until) => Err(known.why.clone()),
            _ => Ok(waits.max(now)),
        }
    }

    /// Records an attempt to connect that has failed now.
    pub(crate) fn note_failure(&self, need: Need, begun: Instant, now: Instant, why: &str) {
        let mut records = self.records();
        Failures::add(&mut records.background, begun, now, why);
        if !need.has_cut(begun, now) {
            Failures::add(&mut records.calls, begun, now, why);
        }
    }

    /// Records an answer that has not come in time.
    pub(crate) fn note_silence(&self, begun: Instant, now: Instant, why: &str) {
        self.note_failure(Need::Lookup, begun, now, why);
    }

    /// Records that the store can be reached.
    pub(crate) fn note_success(&self) {
        let mut records = self.records();
        (records.calls, records.background) = (None, None);
    }

    /// Why calls cannot reach the store, if they cannot.
    pub(crate) fn why(&self) -> Option<String> {
        self.records().calls.as_ref().map(|known| known.why.clone())
    }

    /// Begins a probe, if the last attempt took so long that further ones would make calls wait, and there is none.
    /// Returns whether it has begun.
    pub(crate) fn begin_probe(&self, now: Instant) -> bool {
        let mut records = self.records();
        let is_slow = [&records.calls, &records.background]
            .into_iter()
            .flatten()
            .any(|known| known.rest_until >= now && known.rest_until.duration_since(known.last) >= MAX_REST);
        let begins = is_slow && records.probed.is_none();
        if begins {
            records.probed = Some(now);
        }
        begins
    }

    /// The time until a probe tries again: none after `begun` to `now` if calls are to try themselves, because attempts
    /// fail at once or no call needs the store.
    pub(crate) fn probe_rest(&self, begun: Instant, now: Instant) -> Option<Duration> {
        let asked = self.records().probed?;
        let is_wanted = now.duration_since(asked) < WANTED_WITHIN;
        (is_wanted && rest(begun, now) >= MAX_REST).then_some(MAX_REST)
    }

    /// Ends a probe.
    pub(crate) fn end_probe(&self) {
        self.records().probed = None;
    }

    fn records(&self) -> MutexGuard<'_, Records> {
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
        outage.note_failure(PATIENCE, start, start + seconds(1), "silent");
        assert_eq!(outage.deadline(start + seconds(1), PATIENCE), Ok(start + seconds(10)));
        outage.note_failure(PATIENCE, start + seconds(1), start + seconds(10), "silent");
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
        outage.note_failure(PATIENCE, start, start, "refused");
        let late = start + seconds(10);
        outage.note_failure(PATIENCE, late, late, "refused");
        assert_eq!(outage.deadline(late, PATIENCE), Ok(late));
    }

    #[test]
    fn background_work_never_waits() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.deadline(start, Need::Background), Ok(start));
        outage.note_failure(PATIENCE, start, start + seconds(1), "silent");
        assert_eq!(outage.deadline(start + seconds(2), Need::Background), Err("silent".to_owned()));
        assert_eq!(outage.deadline(start + seconds(3), Need::Background), Ok(start + seconds(3)));
    }

    #[test]
    fn background_work_that_gave_up_early_says_nothing_to_calls() {
        let (outage, start) = (Outage::default(), Instant::now());
        let mut now = start;
        // It tries again and again, two seconds each.
        for _ in 0..10 {
            outage.note_failure(Need::Background, now, now + BACKGROUND_LIMIT, "slow");
            now += BACKGROUND_LIMIT;
            assert_eq!(outage.deadline(now, Need::Background), Err("slow".to_owned()));
            assert_eq!(outage.deadline(now, PATIENCE), Ok(now + seconds(10)));
            assert_eq!(outage.deadline(now, Need::Lookup), Ok(now));
            now += MAX_REST;
        }
        // What fails before the limit concerns calls as well.
        outage.note_failure(Need::Background, now, now + seconds(1), "refused");
        assert_eq!(outage.deadline(now + seconds(1), Need::Lookup), Err("refused".to_owned()));
        assert_eq!(outage.deadline(now + seconds(1), PATIENCE), Ok(now + seconds(10)));
    }

    #[test]
    fn only_the_probe_connects_to_a_silent_store() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert!(!outage.begin_probe(start), "it is not away");
        outage.note_failure(PATIENCE, start, start + seconds(10), "silent");
        let mut now = start + seconds(10);
        assert!(outage.begin_probe(now) && !outage.begin_probe(now), "one is enough");
        for _ in 0..5 {
            // An attempt of the probe takes ten seconds after its rest.
            let begun = now + MAX_REST;
            for need in [PATIENCE, Need::Lookup, Need::Background] {
                for later in [5, 11] {
                    assert_eq!(outage.deadline(now + seconds(later), need), Err("silent".to_owned()));
                }
            }
            now = begun + seconds(10);
            outage.note_failure(Need::Lookup, begun, now, "silent");
            assert_eq!(outage.probe_rest(begun, now), Some(MAX_REST));
        }
        // Calls can do attempts that fail at once.
        assert_eq!(outage.probe_rest(now, now), None);
        outage.note_success();
        outage.end_probe();
        assert_eq!(outage.deadline(now, PATIENCE), Ok(now + seconds(10)));
    }

    #[test]
    fn a_probe_ends_when_no_call_needs_the_store() {
        let (outage, start) = (Outage::default(), Instant::now());
        outage.note_failure(PATIENCE, start, start + seconds(10), "silent");
        assert!(outage.begin_probe(start + seconds(10)));
        assert_eq!(outage.probe_rest(start + seconds(80), start + seconds(90)), None);
    }

    #[test]
    fn an_attempt_that_fails_at_once_needs_no_probe() {
        let (outage, start) = (Outage::default(), Instant::now());
        outage.note_failure(PATIENCE, start, start, "refused");
        assert!(!outage.begin_probe(start));
    }

    #[test]
    fn an_outage_lasts_until_a_success() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.why(), None);
        outage.note_failure(Need::Background, start, start + BACKGROUND_LIMIT, "slow");
        assert_eq!(outage.why(), None, "a call may succeed");
        outage.note_silence(start, start + seconds(30), "silent");
        assert!(outage.deadline(start + seconds(3600), PATIENCE).is_ok());
        assert_eq!(outage.why(), Some("silent".to_owned()));
        outage.note_success();
        assert_eq!(outage.why(), None);
    }

    #[test]
    fn an_outage_that_was_not_checked_for_long_is_forgotten() {
        let (outage, start) = (Outage::default(), Instant::now());
        outage.note_failure(PATIENCE, start, start + seconds(10), "silent");
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
