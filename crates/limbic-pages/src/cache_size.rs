//! The size of a server's cache of pages, as addresses give it.

use crate::store::PAGE_BYTES;

/// Bytes of a MB, as in PostgreSQL's settings.
const MEGABYTE: u64 = 1 << 20;
const MIN_MEGABYTES: u64 = 16;
const MAX_MEGABYTES: u64 = 64 * 1024;
const DEFAULT_MEGABYTES: u64 = 256;

/// How many bytes of pages a connection keeps: 256 MB by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSize {
    megabytes: u64,
}

impl CacheSize {
    /// What [`CacheSize::parse`] accepts, for messages.
    pub const EXPECTED: &str = "a whole number with MB or GB, from 16MB to 64GB, such as 512MB or 1GB";

    /// Parses a whole number with the unit MB or GB, in either case; a MB is 1,048,576 bytes. `None` if it is something
    /// else, or outside of 16 MB to 64 GB.
    #[must_use]
    pub fn parse(text: &str) -> Option<CacheSize> {
        let text = text.trim().to_ascii_uppercase();
        let (number, factor) = match text.strip_suffix("GB") {
            Some(number) => (number, 1024),
            None => (text.strip_suffix("MB")?, 1),
        };
        let number: u64 = number.trim_end().parse().ok()?;
        let megabytes = number.checked_mul(factor)?;
        (MIN_MEGABYTES..=MAX_MEGABYTES).contains(&megabytes).then_some(CacheSize { megabytes })
    }

    /// The number of pages.
    pub(crate) fn pages(self) -> usize {
        let bytes = usize::try_from(self.megabytes * MEGABYTE).unwrap_or(usize::MAX);
        bytes / PAGE_BYTES
    }
}

impl Default for CacheSize {
    fn default() -> CacheSize {
        CacheSize { megabytes: DEFAULT_MEGABYTES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_whole_number_with_its_unit() {
        let pages = |text| CacheSize::parse(text).map(CacheSize::pages);
        assert_eq!(pages("256MB"), Some(CacheSize::default().pages()));
        for (text, expected) in
            [("16MB", 4_096), ("1GB", 262_144), (" 64 gb ", 16_777_216), ("65536MB", 16_777_216)]
        {
            assert_eq!(pages(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "MB",
            "512",
            "15MB",
            "65GB",
            "-1GB",
            "1.5GB",
            "1TB",
            "1GiB",
            "lots",
            "18446744073709551615GB",
        ] {
            assert_eq!(pages(text), None, "{text}");
        }
    }
}
