//! Ids for the search log that are known before the log is written.

use limbic_core::Engine;

/// Number of bits of an id that distinguish sessions that search in the same millisecond.
const SESSION_BITS: u32 = 10;

/// Creates ids: the time in milliseconds, followed by random bits that are fixed per session. Ids increase and stay
/// below 2^53, so that JavaScript represents them exactly.
#[derive(Debug)]
pub struct EventIds {
    session: i64,
    last: i64,
}

impl EventIds {
    /// Creates the source of a new session.
    pub fn new(memory: &Engine) -> Self {
        let mut chance = [0; 2];
        memory.database().host().fill_random(&mut chance);
        Self { session: i64::from(u16::from_le_bytes(chance)) & ((1 << SESSION_BITS) - 1), last: 0 }
    }

    /// Returns the id of a search at the current time.
    pub fn next(&mut self, now_millis: i64) -> i64 {
        let by_time = (now_millis << SESSION_BITS) | self.session;
        self.last = by_time.max(self.last + (1 << SESSION_BITS));
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_within_a_millisecond_and_fit_javascript() {
        let mut ids = EventIds { session: 1023, last: 0 };
        let year_2200 = 7_258_118_400_000;
        let (first, second) = (ids.next(year_2200), ids.next(year_2200));
        assert!(first < second && second < 1 << 53);
        assert_eq!(first & 1023, second & 1023);
    }
}
