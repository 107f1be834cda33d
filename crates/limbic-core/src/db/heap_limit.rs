//! A limit of SQLite's heap while statements of users run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

/// How much may be added to the heap: sorting long values could exhaust the memory.
const MAX_ADDED_BYTES: i64 = 2_000_000_000;

/// Asks for a limit without changing it.
const UNCHANGED: i64 = -1;

/// SQLite has one heap for all connections of a process, and so one limit.
static LIMITED: Mutex<Limited> = Mutex::new(Limited { statements: 0, soft_before: 0 });

struct Limited {
    /// How many statements run.
    statements: usize,
    /// The limit above which SQLite frees caches, which a hard limit lowers.
    soft_before: i64,
}

fn limited() -> MutexGuard<'static, Limited> {
    LIMITED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Limits the heap until it is dropped. An allocation beyond the limit fails, in any connection of the process.
pub(super) struct HeapLimit(());

impl HeapLimit {
    /// Sets the limit; `None` if the process has one of its own.
    pub(super) fn set() -> Option<Self> {
        let mut limited = limited();
        if limited.statements == 0 {
            if hard_limit(UNCHANGED) > 0 {
                return None;
            }
            limited.soft_before = soft_limit(UNCHANGED);
            hard_limit(used_bytes().saturating_add(MAX_ADDED_BYTES));
        }
        limited.statements += 1;
        Some(Self(()))
    }
}

impl Drop for HeapLimit {
    fn drop(&mut self) {
        let mut limited = limited();
        limited.statements -= 1;
        if limited.statements == 0 {
            hard_limit(0);
            soft_limit(limited.soft_before);
        }
    }
}

/// Sets the hard limit in bytes, 0 for none, and returns the former one.
#[allow(unsafe_code, reason = "SQLite has this function in C alone; its pragma cannot remove a limit")]
fn hard_limit(bytes: i64) -> i64 {
    // SAFETY: the function takes a number, and locks a mutex of its own.
    unsafe { ffi::sqlite3_hard_heap_limit64(bytes) }
}

/// Sets the soft limit in bytes, 0 for none, and returns the former one.
#[allow(unsafe_code, reason = "as in hard_limit")]
fn soft_limit(bytes: i64) -> i64 {
    // SAFETY: as in `hard_limit`.
    unsafe { ffi::sqlite3_soft_heap_limit64(bytes) }
}

#[allow(unsafe_code, reason = "SQLite has this function in C alone")]
fn used_bytes() -> i64 {
    // SAFETY: the function takes nothing, and locks a mutex of its own.
    unsafe { ffi::sqlite3_memory_used() }
}

/// The limit that is set, in bytes; 0 for none.
#[cfg(test)]
pub(super) fn present_bytes() -> i64 {
    hard_limit(UNCHANGED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_lasts_as_long_as_one_of_the_statements() {
        let (first, second) = (HeapLimit::set(), HeapLimit::set());
        drop(first);
        assert!(present_bytes() >= MAX_ADDED_BYTES);
        drop(second);
        // Other tests run statements at the same time.
        assert!((0..10_000_000).any(|_| present_bytes() == 0 && soft_limit(UNCHANGED) == 0));
    }
}
