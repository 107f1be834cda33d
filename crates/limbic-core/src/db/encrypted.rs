//! Recognition of encrypted databases, which have no header: SQLCipher writes whole pages of random-looking bytes.

use std::io::Read;

use crate::Error;

/// The default page size of SQLCipher 4, in bytes.
const PAGE_BYTES: usize = 4096;

/// How often each byte value occurs in a page of random bytes, on average.
const MEAN: usize = PAGE_BYTES / 256;

/// Maximum chi-squared statistic of a page of random bytes: ten standard deviations (22.6) above the mean (255).
const MAX_CHI_SQUARED: usize = 480;

/// Returns the error for a file of `size` bytes that does not start as a SQLite database: [`Error::Encrypted`] or
/// [`Error::NotADatabase`]. Compressed data of whole pages is taken for encrypted.
pub(crate) fn not_a_database(file: impl Read, size: u64) -> Error {
    let page_bytes = u64::try_from(PAGE_BYTES).unwrap_or(u64::MAX);
    let mut page = Vec::new();
    let is_read = file.take(page_bytes).read_to_end(&mut page).is_ok();
    match is_read && size.is_multiple_of(page_bytes) && is_random(&page) {
        true => Error::Encrypted,
        false => Error::NotADatabase,
    }
}

/// Whether a whole page contains every byte value about equally often.
fn is_random(page: &[u8]) -> bool {
    let mut counts = [0_usize; 256];
    for byte in page {
        counts[usize::from(*byte)] += 1;
    }
    let deviations: usize = counts.iter().map(|count| count.abs_diff(MEAN).pow(2)).sum();
    page.len() == PAGE_BYTES && deviations <= MAX_CHI_SQUARED * MEAN
}
