//! A hint that the next transaction writes: SQLite reveals it only after its first lock.

use std::{cell::Cell, time::Duration};

thread_local! {
    static WAIT: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// Says whether the transactions that this thread begins from here on write, and how long they wait for those of
/// others. It is a hint: [`Locks`](crate::Locks) of a server may then lock for writing at once, which saves a round
/// trip, and wait in the server's queue.
pub fn expect_write(wait: Option<Duration>) {
    WAIT.set(wait);
}

/// How long the transaction that this thread begins waits for others; `None` if it is not known to write.
#[must_use]
pub fn expected_wait() -> Option<Duration> {
    WAIT.get()
}
