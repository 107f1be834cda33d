//! Waiting for a lock. SQLite decides whether and how long to wait and calls the VFS to sleep; the sleep ends early
//! when the obstacle is removed.
//!
//! Waiting writers queue: each tries to create the file `turn`. Only its owner wakes early, and a connection that has
//! just written yields to it. `turn` affects fairness only, not correctness, so any connection may remove one that has
//! been unused for a while.

use std::{cell::RefCell, sync::Arc};

use super::{folder::Folder, owner_liveness::LockState};
use crate::{Host, HostError};

/// Polling intervals of a short and of a long wait.
const SHORT_STEP_MICROS: u64 = 300;
const LONG_STEP_MICROS: u64 = 1_000;
const LONG_MILLIS: f64 = 20.0;
/// Time without a writer after which an unused `turn` is considered abandoned.
const UNUSED_MILLIS: f64 = 5.0;

/// The lock that blocked the last attempt on this thread.
pub enum Obstacle {
    /// This file: a writer's `pending`, or a reader's `shared-N`.
    File(Arc<dyn Host>, String),
    /// Another connection holds RESERVED.
    Reserved(WriterQueue),
}

/// The paths that a writer needs to queue for RESERVED.
pub struct WriterQueue {
    host: Arc<dyn Host>,
    reserved: String,
    turn: String,
    own: String,
}

thread_local! {
    static OBSTACLE: RefCell<Option<Obstacle>> = const { RefCell::new(None) };
    static MY_TURN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records the obstacle for the following [`sleep`].
pub fn record_obstacle(obstacle: Obstacle) {
    OBSTACLE.set(Some(obstacle));
}

/// Sleeps for SQLite, until the obstacle is removed or the time is over.
pub fn sleep(host: &dyn Host, micros: u64) {
    let end_millis = host.monotonic_millis() + millis(micros);
    match OBSTACLE.take() {
        None => host.sleep_micros(micros),
        Some(Obstacle::File(host, path)) => {
            until(&*host, end_millis, || !is_there(&*host, &path));
        }
        Some(Obstacle::Reserved(queue)) => queue.wait(end_millis),
    }
}

/// Releases `turn` after the lock was acquired, so that the next writer can take it.
pub fn leave_queue(folder: &Folder) {
    if MY_TURN.take().is_some_and(|turn| turn == folder.turn) {
        // If it cannot be removed, it expires.
        let _ = folder.release(&folder.turn);
    }
}

/// Waits briefly for the writer that holds `turn` to begin.
pub fn yield_to_next_writer(folder: &mut Folder) -> Result<(), HostError> {
    let turn = folder.turn.clone();
    if folder.host.stat(&turn)?.is_none() {
        return Ok(());
    }
    if folder.inspect(&turn)? != LockState::Mine {
        let host = folder.host.clone();
        until(&*host, host.monotonic_millis() + UNUSED_MILLIS, || !is_there(&*host, &turn));
    }
    folder.remove(&turn)
}

impl WriterQueue {
    /// The queue of the database whose locks `folder` holds.
    pub fn of(folder: &Folder) -> Self {
        Self {
            host: folder.host.clone(),
            reserved: folder.reserved.clone(),
            turn: folder.turn.clone(),
            own: folder.own.clone(),
        }
    }

    fn wait(self, end_millis: f64) {
        let WriterQueue { host, reserved, turn, own } = self;
        let mut next = MY_TURN.with_borrow(|mine| mine.as_ref() == Some(&turn)) && is_there(&*host, &turn);
        let mut unused_since = None;
        until(&*host, end_millis, || {
            if !next && host.link(&own, &turn).is_ok() {
                MY_TURN.set(Some(turn.clone()));
                next = true;
            }
            if is_there(&*host, &reserved) {
                unused_since = None;
                return false;
            }
            if !next {
                let now_millis = host.monotonic_millis();
                if now_millis - *unused_since.get_or_insert(now_millis) > UNUSED_MILLIS {
                    let _ = host.delete(&turn);
                    unused_since = None;
                }
            }
            next
        });
    }
}

/// Polls until the condition holds or the time is over.
fn until(host: &dyn Host, end_millis: f64, mut done: impl FnMut() -> bool) {
    let start_millis = host.monotonic_millis();
    loop {
        if done() {
            return;
        }
        let now_millis = host.monotonic_millis();
        if now_millis >= end_millis {
            return;
        }
        let long = now_millis - start_millis > LONG_MILLIS;
        host.sleep_micros(if long { LONG_STEP_MICROS } else { SHORT_STEP_MICROS });
    }
}

/// Whether the file exists. An error counts as missing: the next attempt reports it.
fn is_there(host: &dyn Host, path: &str) -> bool {
    matches!(host.stat(path), Ok(Some(_)))
}

fn millis(micros: u64) -> f64 {
    std::time::Duration::from_micros(micros).as_secs_f64() * 1_000.0
}
