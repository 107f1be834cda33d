//! How many pages one read fetches.

use std::{ops::Range, time::Duration};

/// Time in which the store delivers a page of a larger read, in microseconds (PostgreSQL over loopback).
const PAGE_MICROS: u128 = 45;
/// Minimum number of pages of a random access.
const MIN_BLOCK: u64 = 4;
/// Maximum number of pages of a random access.
pub const MAX_BLOCK: u64 = 128;
/// Minimum number of pages of a random access to a page whose neighbours in its tree are known: those are more likely
/// to be read than the pages beside it in the file.
const MIN_GROUP: u64 = 16;
/// Maximum number of pages of a random access to a file of which the cache cannot keep all: larger blocks would
/// displace pages that are in use.
const MAX_BLOCK_OF_LARGE_FILES: u64 = 16;
/// Maximum number of pages of a sequential access.
pub const MAX_SEQUENTIAL: u64 = 512;
/// The share of a longer round trip in the estimate: one of this many.
const SMOOTHING: u32 = 16;

/// Chooses the pages that are fetched with a missing one.
///
/// A random access fetches the aligned block around the page that the store delivers in about the time of a round trip
/// (the bandwidth-delay product): a few pages from a near store, many from a far one. A page that follows the last read
/// doubles it.
pub struct ReadAhead {
    /// The estimated time of a round trip.
    trip: Option<Duration>,
    /// The page after the last read, and the number of its pages.
    last: (u64, u64),
}

impl ReadAhead {
    pub const fn new() -> Self {
        Self { trip: None, last: (0, 0) }
    }

    /// Notes the time of a round trip without pages. The estimate follows a shorter one at once and a longer one
    /// slowly, for that one may have waited for something else.
    pub fn note_trip(&mut self, time: Duration) {
        self.trip = Some(match self.trip {
            Some(known) if time > known => known + (time - known) / SMOOTHING,
            _ => time,
        });
    }

    /// Returns the pages to fetch for a missing one, of a file of which the cache keeps all pages or not. They may
    /// exceed the end of the file.
    pub fn around(&mut self, page: u64, is_all_kept: bool) -> Range<u64> {
        let (end, count) = self.last;
        let (start, count) = if end == page && count > 0 {
            (page, (count * 2).min(MAX_SEQUENTIAL))
        } else {
            let count = self.block(is_all_kept);
            (page / count * count, count)
        };
        self.last = (start + count, count);
        start..start + count
    }

    /// Returns how many pages to fetch that are beside a missing one in its tree. `displaces` says whether others may
    /// have to leave the cache for them.
    pub fn group(&self, displaces: bool) -> usize {
        usize::try_from(self.block(!displaces).max(MIN_GROUP)).unwrap_or(usize::MAX)
    }

    fn block(&self, is_all_kept: bool) -> u64 {
        let max_block = if is_all_kept { MAX_BLOCK } else { MAX_BLOCK_OF_LARGE_FILES };
        let pages = self.trip.unwrap_or_default().as_micros() / PAGE_MICROS;
        u64::try_from(pages).unwrap_or(MAX_BLOCK).next_power_of_two().clamp(MIN_BLOCK, max_block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farther_the_store_the_larger_is_a_block() {
        let block = |micros, is_all_kept| {
            let mut ahead = ReadAhead::new();
            ahead.note_trip(Duration::from_micros(micros));
            ahead.around(200, is_all_kept)
        };
        assert_eq!(block(100, true), 200..204);
        assert_eq!(block(600, true), 192..208);
        assert_eq!(block(2_200, true), 192..256);
        assert_eq!(block(50_000, true), 128..256);
        assert_eq!(block(50_000, false), 192..208);
        assert_eq!(ReadAhead::new().around(200, true), 200..204);
        let group = |micros| {
            let mut ahead = ReadAhead::new();
            ahead.note_trip(Duration::from_micros(micros));
            [false, true].map(|displaces| ahead.group(displaces))
        };
        assert_eq!([100, 2_200, 50_000].map(group), [[16, 16], [64, 16], [128, 16]]);
    }

    #[test]
    fn pages_in_order_are_fetched_in_larger_and_larger_reads() {
        let mut ahead = ReadAhead::new();
        let mut page = 8;
        let mut lengths = Vec::new();
        for _ in 0..10 {
            let read = ahead.around(page, true);
            assert_eq!(read.start, page);
            lengths.push(read.end - read.start);
            page = read.end;
        }
        assert_eq!(lengths, [4, 8, 16, 32, 64, 128, 256, 512, 512, 512]);
        assert_eq!(ahead.around(40, true), 40..44);
    }

    #[test]
    fn one_slow_trip_changes_the_estimate_little() {
        let mut ahead = ReadAhead::new();
        ahead.note_trip(Duration::from_micros(160));
        ahead.note_trip(Duration::from_micros(1_760));
        assert_eq!(ahead.trip, Some(Duration::from_micros(260)));
        ahead.note_trip(Duration::from_micros(90));
        assert_eq!(ahead.trip, Some(Duration::from_micros(90)));
    }
}
