//! A hint that the next transaction writes: SQLite tells only after its first lock.

use std::cell::Cell;

thread_local! {
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Says whether the transactions that this thread begins from here on write. It is a hint: [`Locks`](crate::Locks) of a
/// server may then lock for writing at once, which saves a round trip.
pub fn expect_write(is_expected: bool) {
    IS_EXPECTED.set(is_expected);
}

/// Whether this thread begins a transaction that writes.
#[must_use]
pub fn is_write_expected() -> bool {
    IS_EXPECTED.get()
}
