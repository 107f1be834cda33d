//! Reading where no lock file can be created.
//!
//! Pages are written only while the writer has `pending`, and every write changes the entry of the file. So a reader
//! notes the entry *first*, requires that no writer has `pending` *then*, and after each read requires that the entry
//! is still the same. Nothing was written in between, and what was written before belongs to a transaction that had
//! ended. A journal that a killed writer left makes SQLite refuse to read.
//!
//! The time in an entry is as coarse as the kernel's tick, so an entry that has just changed may hide a further change:
//! it counts as being written.

use super::{folder::Folder, owner_liveness::LockState};
use crate::{HostError, Stat};

/// Longer than a tick of any kernel.
const SETTLED_MILLIS: i64 = 40;

/// The entry of the database when a transaction began to read.
#[derive(Debug, Default)]
pub struct Watch(Option<Stat>);

/// Whether reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It did.
    Begun,
    /// Another connection may write; its `pending` is removed when it has finished.
    Pending,
    /// The file has just changed. There is nothing to wait for but time.
    Recent,
}

impl Watch {
    /// Begins to read, unless another connection writes.
    pub fn begin(&mut self, folder: &mut Folder, database: &str) -> Result<Start, HostError> {
        let found = folder.host.stat(database)?.ok_or(HostError::Moved)?;
        if is_recent(&found, folder.host.now_millis()) {
            return Ok(Start::Recent);
        }
        let pending = folder.pending.clone();
        if held_by_other(folder, &pending)? != Some(false) {
            return Ok(Start::Pending);
        }
        self.0 = Some(found);
        Ok(Start::Begun)
    }

    /// Fails if the database was written since the transaction began.
    pub fn confirm(&self, folder: &Folder, database: &str) -> Result<(), HostError> {
        let is_same = |now: &Stat, then: &Stat| {
            now.changed_millis.to_bits() == then.changed_millis.to_bits()
                && (now.size, now.inode) == (then.size, then.inode)
        };
        match (folder.host.stat(database)?, &self.0) {
            (Some(now), Some(then)) if is_same(&now, then) => Ok(()),
            (Some(_), _) => Err(HostError::Changed),
            (None, _) => Err(HostError::Moved),
        }
    }
}

fn is_recent(found: &Stat, now_millis: i64) -> bool {
    #[allow(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
    let changed_millis = found.changed_millis as i64;
    // A time in the future is not evidence: the clock was set back.
    (0..SETTLED_MILLIS).contains(&(now_millis - changed_millis))
}

/// As [`Folder::held_by_other`], without reaping. Locks that this user may not see count as released.
pub fn held_by_other(folder: &mut Folder, path: &str) -> Result<Option<bool>, HostError> {
    match folder.inspect(path) {
        Ok(LockState::Alive) => Ok(Some(true)),
        Ok(LockState::Uncertain | LockState::Foreign(_)) => Ok(None),
        Ok(LockState::Free | LockState::Mine | LockState::Dead(_) | LockState::Unreadable)
        | Err(HostError::Denied) => Ok(Some(false)),
        Err(error) => Err(error),
    }
}
