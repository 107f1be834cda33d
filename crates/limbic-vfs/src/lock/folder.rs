//! The lock files of one connection: claiming, releasing, and clearing away what the dead left.

use std::sync::Arc;

use super::{
    owner::Owner,
    owner_liveness::{LockState, OwnerLiveness},
    wait::WriterQueue,
};
use crate::{Host, HostError};

/// How many breakers in a row may have died at breaking each other's guards.
const MAX_BREAK_DEPTH: usize = 6;
/// How often an operation is tried again when others change the folder in between.
const MAX_ATTEMPTS: usize = 16;

/// The folder of lock files beside a database, as one connection sees it.
pub struct Folder {
    pub host: Arc<dyn Host>,
    pub reserved: String,
    pub pending: String,
    pub shared: String,
    /// Who is next in line to write. A courtesy: nothing depends on it but fairness.
    pub turn: String,
    path: String,
    me: Owner,
    text: String,
    own: String,
    links: bool,
    liveness: OwnerLiveness,
}

impl Folder {
    /// The folder of a database; nothing is made yet.
    pub fn new(host: Arc<dyn Host>, database: &str) -> Folder {
        let me = Owner::new(&*host);
        let path = format!("{database}-locks");
        Folder {
            reserved: format!("{path}/reserved"),
            pending: format!("{path}/pending"),
            shared: format!("{path}/shared-{}", me.nonce),
            turn: format!("{path}/turn"),
            own: format!("{path}/owner-{}", me.nonce),
            text: me.to_text(),
            links: true,
            liveness: OwnerLiveness::default(),
            host,
            path,
            me,
        }
    }

    /// Makes the folder if need be, signs in, and clears away what dead connections left. What fails leaves nothing.
    pub fn enter(&mut self) -> Result<(), HostError> {
        self.create_owner_file().and_then(|()| self.sweep()).inspect_err(|_| {
            // A file that was made without room for its text says nothing.
            let _ = self.host.delete(&self.own);
            let _ = self.host.delete_folder(&self.path);
        })
    }

    /// Whether no other connection that may live has signed in.
    pub fn is_alone(&mut self) -> Result<bool, HostError> {
        let names = match self.host.list(&self.path) {
            Err(HostError::NotFound) => return Ok(true),
            other => other?,
        };
        for name in names {
            let state = self.inspect(&format!("{}/{name}", self.path))?;
            if matches!(state, LockState::Alive | LockState::Uncertain) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the file that every lock of this connection is a link to.
    fn create_owner_file(&self) -> Result<(), HostError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.host.create(&self.own, self.text.as_bytes()) {
                Err(HostError::NotFound) => self.host.create_folder(&self.path)?,
                Ok(()) | Err(HostError::Exists) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Err(HostError::Io("the lock folder vanishes as soon as it is made".to_owned()))
    }

    /// Takes everything of this connection away, and the folder when nobody else uses it.
    pub fn leave(&mut self) {
        // What cannot be removed is cleared away by others once this process has ended.
        for path in [&self.turn, &self.reserved, &self.pending, &self.shared] {
            if self.liveness.inspect(&*self.host, &self.me, path) == Ok(LockState::Mine) {
                let _ = self.host.delete(path);
            }
        }
        let _ = self.host.delete(&self.own);
        let _ = self.host.delete_folder(&self.path);
    }

    /// Creates the lock file `path` in this connection's name, in one step.
    ///
    /// [`HostError::Exists`] when anybody has it.
    pub fn claim(&mut self, path: &str) -> Result<(), HostError> {
        for _ in 0..MAX_ATTEMPTS {
            if !self.links {
                return self.claim_without_links(path);
            }
            match self.host.link(&self.own, path) {
                Err(HostError::NotFound) => self.create_owner_file()?,
                Err(HostError::Unsupported) => self.links = false,
                other => return other,
            }
        }
        Err(HostError::Io("the lock folder vanishes as soon as it is made".to_owned()))
    }

    /// Where a file cannot appear with its text, it is read again, in case it was taken for abandoned.
    fn claim_without_links(&mut self, path: &str) -> Result<(), HostError> {
        match self.host.create(path, self.text.as_bytes()) {
            Err(HostError::NotFound) => self.create_owner_file()?,
            other => other?,
        }
        if self.inspect(path)? == LockState::Mine { Ok(()) } else { Err(HostError::Exists) }
    }

    /// Removes a lock file of this connection; succeeds when it is gone already.
    pub fn release(&self, path: &str) -> Result<(), HostError> {
        match self.host.delete(path) {
            Err(HostError::NotFound) => Ok(()),
            other => other,
        }
    }

    /// Whose lock `path` is.
    pub fn inspect(&mut self, path: &str) -> Result<LockState, HostError> {
        self.liveness.inspect(&*self.host, &self.me, path)
    }

    /// Whether somebody else holds `path`. What the dead left is cleared away.
    pub fn is_blocked(&mut self, path: &str) -> Result<bool, HostError> {
        Ok(self.held_by_other(path)? != Some(false))
    }

    /// Whether somebody else holds `path`, or `None` when that is uncertain for the time being. What the dead
    /// left is cleared away.
    pub fn held_by_other(&mut self, path: &str) -> Result<Option<bool>, HostError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.inspect(path)? {
                LockState::Free | LockState::Mine => return Ok(Some(false)),
                LockState::Alive => return Ok(Some(true)),
                LockState::Uncertain => return Ok(None),
                LockState::Dead(nonce) => self.reap(&nonce)?,
                LockState::Unreadable => {
                    // As in `reap`: `reserved` goes before `pending`.
                    let reserved = self.reserved.clone();
                    if path == self.pending && self.is_blocked(&reserved)? {
                        return Ok(None);
                    }
                    self.break_lock(path, None, 0)?;
                }
            }
        }
        Ok(None)
    }

    /// The lock file of another connection that reads, and lives.
    pub fn other_reader(&mut self) -> Result<Option<String>, HostError> {
        for name in self.host.list(&self.path)? {
            if !name.starts_with("shared-") || name.contains('.') {
                continue;
            }
            let path = format!("{}/{name}", self.path);
            if path != self.shared && self.is_blocked(&path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// What a waiting writer needs to line up.
    pub fn line(&self) -> WriterQueue {
        WriterQueue {
            host: self.host.clone(),
            reserved: self.reserved.clone(),
            turn: self.turn.clone(),
            own: self.own.clone(),
        }
    }

    /// Shows a sign of life.
    pub fn heartbeat(&self) {
        let beat = format!("{}/beat-{}", self.path, self.me.nonce);
        // A beat that fails is a beat missed.
        if self.host.link(&self.own, &beat).is_ok() {
            let _ = self.host.delete(&beat);
        }
    }

    /// Removes every lock of a dead owner. `reserved` goes first: while `pending` still keeps readers out,
    /// nobody can mistake a half-written database for one whose writer is at work.
    fn reap(&mut self, nonce: &str) -> Result<(), HostError> {
        let shared = format!("{}/shared-{nonce}", self.path);
        for path in [self.reserved.clone(), self.pending.clone(), shared, self.turn.clone()] {
            if !self.break_lock(&path, Some(nonce), 0)? {
                return Ok(());
            }
        }
        self.release(&format!("{}/owner-{nonce}", self.path))
    }

    /// Removes the lock at `path` if it names the dead `nonce`; `None` is a lock that names nobody. Whether it
    /// is gone: it is not when somebody who lives is just about to remove it.
    ///
    /// Only who creates the guard file may remove the lock, and looks again before. So nobody can remove
    /// a lock that a living connection created after the dead one's was removed. A guard whose own creator
    /// died is removed in the same way, with a guard of its own.
    fn break_lock(&mut self, path: &str, nonce: Option<&str>, depth: usize) -> Result<bool, HostError> {
        if !self.is_owned_by(path, nonce)? {
            return Ok(true);
        }
        let guard = format!("{path}.break-{}", nonce.unwrap_or("nobody"));
        match self.claim(&guard) {
            Ok(()) => {}
            Err(HostError::Exists) => {
                match self.inspect(&guard)? {
                    LockState::Dead(breaker) if depth < MAX_BREAK_DEPTH => {
                        self.break_lock(&guard, Some(&breaker), depth + 1)?;
                    }
                    LockState::Unreadable if depth < MAX_BREAK_DEPTH => {
                        self.break_lock(&guard, None, depth + 1)?;
                    }
                    _ => {}
                }
                return Ok(!self.is_owned_by(path, nonce)?);
            }
            Err(error) => return Err(error),
        }
        let removed = match self.is_owned_by(path, nonce) {
            Ok(true) => self.release(path),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        self.release(&guard)?;
        removed.map(|()| true)
    }

    /// Whether the lock file says that it is of `nonce`, or of nobody for `None`.
    fn is_owned_by(&self, path: &str, nonce: Option<&str>) -> Result<bool, HostError> {
        match self.host.read(path) {
            Ok(text) => Ok(Owner::parse(&text).map(|owner| owner.nonce).as_deref() == nonce),
            Err(HostError::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Looks through the folder once for what the dead left.
    fn sweep(&mut self) -> Result<(), HostError> {
        for name in self.host.list(&self.path)? {
            let path = format!("{}/{name}", self.path);
            if path == self.own {
                continue;
            }
            if let LockState::Dead(nonce) = self.inspect(&path)? {
                self.reap(&nonce)?;
                if name.contains(".break-") {
                    self.break_lock(&path, Some(&nonce), 0)?;
                } else if name.starts_with("beat-") {
                    self.release(&path)?;
                }
            }
        }
        Ok(())
    }
}
