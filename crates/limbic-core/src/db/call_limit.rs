//! Limits of a call: its statements are interrupted when its time is over, or when its client has gone.

use std::sync::Arc;

use rusqlite::Connection;

use crate::{Error, Result};

/// Number of steps of SQLite's virtual machine between two checks: a fraction of a millisecond.
const STEPS_BETWEEN: i32 = 1_000;

/// Whether the client of a call has disconnected or cancelled it.
pub type IsAbandoned = Arc<dyn Fn() -> bool + Send + Sync>;

/// Whether the shell ends, so that a call is to stop.
pub type IsStopping = Arc<dyn Fn() -> bool + Send + Sync>;

/// The limits of a call.
#[derive(Clone)]
pub struct CallLimit {
    clock: fn() -> i64,
    end_millis: i64,
    limit_millis: u64,
    is_abandoned: Option<IsAbandoned>,
    is_stopping: Option<IsStopping>,
}

impl CallLimit {
    /// Limits a call that begins now.
    ///
    /// # Arguments
    /// * `clock` - in milliseconds; it advances during a call.
    /// * `limit_millis` - how long the call may take.
    /// * `is_abandoned` - stops the call when it returns true; asked about every millisecond.
    #[must_use]
    pub fn starting_now(clock: fn() -> i64, limit_millis: u64, is_abandoned: Option<IsAbandoned>) -> Self {
        let end_millis = clock().saturating_add(i64::try_from(limit_millis).unwrap_or(i64::MAX));
        Self { clock, end_millis, limit_millis, is_abandoned, is_stopping: None }
    }

    /// Also stops the call when this returns true.
    #[must_use]
    pub fn stopped_by(self, is_stopping: Option<IsStopping>) -> Self {
        Self { is_stopping, ..self }
    }

    /// The error of the call if it is to be stopped.
    pub(super) fn exceeded(&self) -> Option<Error> {
        if self.is_stopping.as_ref().is_some_and(|is_stopping| is_stopping()) {
            return Some(Error::Stopping);
        }
        if (self.clock)() > self.end_millis {
            return Some(Error::Timeout { limit_millis: self.limit_millis });
        }
        self.is_abandoned.as_ref().filter(|is_abandoned| is_abandoned()).map(|_| Error::CallAbandoned)
    }

    /// Interrupts the statements of a connection when a limit is exceeded; `None` lets them run to their end.
    pub(super) fn install(limit: Option<&Self>, connection: &mut Connection) -> Result<()> {
        match limit.cloned() {
            Some(limit) => {
                connection.progress_handler(STEPS_BETWEEN, Some(move || limit.exceeded().is_some()))?
            }
            None => connection.progress_handler(0, None::<fn() -> bool>)?,
        }
        Ok(())
    }
}
