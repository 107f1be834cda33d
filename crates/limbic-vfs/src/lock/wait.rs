//! Waiting for a lock. SQLite decides whether and how long to wait and calls the VFS to sleep; this wakes
//! early when what was in the way is gone.
//!
//! Waiting writers line up: each tries to become the one whose turn is next. Only that one wakes early; who
//! has just written and wants to write again lets it go first. `turn` is a courtesy without meaning for
//! safety, so whoever finds it unused for a while removes it.

use std::{cell::RefCell, sync::Arc};

use super::{folder::Folder, owner_liveness::LockState};
use crate::{Host, HostError};

/// A look every so often while the wait is short, and when it is long.
const SHORT_STEP_MICROS: u64 = 300;
const LONG_STEP_MICROS: u64 = 1_000;
const LONG_MILLIS: f64 = 20.0;
/// `turn` stands unused this long while nobody writes: its owner gave up.
const UNUSED_MILLIS: f64 = 5.0;

/// What was in the way of the last attempt on this thread.
pub enum Obstacle {
    /// This file: a writer's `pending`, or a reader's `shared-N`.
    File(Arc<dyn Host>, String),
    /// Another prepares to write.
    Reserved(WriterQueue),
}

/// What is needed to line up.
pub struct WriterQueue {
    pub host: Arc<dyn Host>,
    pub reserved: String,
    pub turn: String,
    pub own: String,
}

thread_local! {
    static OBSTACLE: RefCell<Option<Obstacle>> = const { RefCell::new(None) };
    static MY_TURN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers the obstacle for the [`sleep`] that follows.
pub fn record_obstacle(obstacle: Obstacle) {
    OBSTACLE.set(Some(obstacle));
}

/// SQLite's sleep.
pub fn sleep(host: &dyn Host, micros: u64) {
    let end_millis = host.monotonic_millis() + millis(micros);
    match OBSTACLE.take() {
        None => host.sleep_micros(micros),
        Some(Obstacle::File(host, path)) => {
            until(&*host, end_millis, || !is_there(&*host, &path));
        }
        Some(Obstacle::Reserved(line)) => line.wait(end_millis),
    }
}

/// The lock was won: the next may line up.
pub fn leave_queue(folder: &Folder) {
    if MY_TURN.take().is_some_and(|turn| turn == folder.turn) {
        // A courtesy that cannot be withdrawn ends by itself.
        let _ = folder.release(&folder.turn);
    }
}

/// Gives the writer whose turn it is a moment to begin.
pub fn yield_to_next_writer(folder: &mut Folder) -> Result<(), HostError> {
    let turn = folder.turn.clone();
    if folder.host.stat(&turn)?.is_none() {
        return Ok(());
    }
    if folder.inspect(&turn)? != LockState::Mine {
        let host = folder.host.clone();
        until(&*host, host.monotonic_millis() + UNUSED_MILLIS, || !is_there(&*host, &turn));
    }
    folder.release(&turn)
}

impl WriterQueue {
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

/// Sleeps in steps until the condition holds or the time has come.
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

/// A file that cannot be looked at ends the wait; the next attempt reports why.
fn is_there(host: &dyn Host, path: &str) -> bool {
    matches!(host.stat(path), Ok(Some(_)))
}

fn millis(micros: u64) -> f64 {
    std::time::Duration::from_micros(micros).as_secs_f64() * 1_000.0
}
