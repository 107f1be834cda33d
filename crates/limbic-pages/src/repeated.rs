//! Reading again what a store has cancelled: a standby of PostgreSQL ends transactions whose snapshots are in the way
//! of what it applies.

use std::{thread, time::Duration};

use crate::store::{Head, PageStore, StoreError};

/// How often something that the store has cancelled is repeated.
pub const MAX_REPEATS: u32 = 5;
/// Pause between two attempts.
pub const PAUSE: Duration = Duration::from_millis(100);

/// Reads pages in a snapshot that began with `head`. If the store has ended it, they are read in another one, unless
/// the memory has changed: what was read before would be of another version.
///
/// # Errors
/// As [`PageStore::read`].
pub fn read(
    store: &mut dyn PageStore,
    head: &Head,
    pages: &[u64],
) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
    let mut found = store.read(pages);
    for _ in 0..MAX_REPEATS {
        if !matches!(found, Err(StoreError::Cancelled(_))) {
            break;
        }
        thread::sleep(PAUSE);
        if store.head(None)? != *head {
            store.end();
            break;
        }
        found = store.read(pages);
    }
    found
}
