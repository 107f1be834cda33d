//! The lock files of one connection: claiming, releasing, and removing those of dead owners.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    owner::{Owner, is_of_later_format},
    owner_liveness::{LockState, OwnerLiveness},
};
use crate::{BeaconState, Held, Host, HostError, OpenMode, error::record_holder, mounts::Disk};

/// Maximum depth of guards whose creators died while they were breaking a lock.
const MAX_BREAK_DEPTH: usize = 6;
/// Age of a beacon whose owner never created its file.
const ORPHAN_MILLIS: f64 = 60_000.0;
/// Maximum size of a lock file's text, in bytes.
const MAX_TEXT_BYTES: usize = 4_096;
/// Attempts of an operation when other processes change the folder meanwhile.
const MAX_ATTEMPTS: usize = 16;

/// The owners that the files of the folder name.
pub struct Owners {
    /// Each with the names of its files except owner files and beacons.
    pub named: Vec<(Owner, Vec<String>)>,
    /// Files without an owner.
    pub nameless: Vec<String>,
}

/// The folder of lock files beside a database, as one connection sees it.
pub struct Folder {
    pub host: Arc<dyn Host>,
    pub reserved: String,
    pub pending: String,
    pub shared: String,
    /// Names the next writer. It affects fairness only, not correctness.
    pub turn: String,
    /// The owner file, to which every lock is a hard link.
    pub own: String,
    path: String,
    me: Owner,
    text: String,
    /// The beacons of this connection, of which the last is named in the owner file.
    beacons: Vec<(String, Box<dyn Held>)>,
    links: bool,
    /// Whether the folder belongs to one machine at a time.
    is_of_one_machine: bool,
    liveness: OwnerLiveness,
}

impl Folder {
    /// Describes the lock folder of a database; creates nothing. On a shared disk it belongs to one machine at a time.
    pub fn new(host: Arc<dyn Host>, database: &str, disk: Disk) -> Folder {
        let is_shared_disk = disk == Disk::Shared;
        let me = Owner::new(&*host);
        let path = format!("{database}-locks");
        Folder {
            reserved: format!("{path}/reserved"),
            pending: format!("{path}/pending"),
            shared: format!("{path}/shared-{}", me.nonce),
            turn: format!("{path}/turn"),
            own: format!("{path}/owner-{}", me.nonce),
            text: me.to_text(),
            beacons: Vec::new(),
            links: true,
            is_of_one_machine: is_shared_disk,
            liveness: OwnerLiveness::new(is_shared_disk),
            host,
            path,
            me,
        }
    }

    /// Creates the folder if necessary, creates the owner file, and removes files of dead owners. A failure leaves no
    /// files behind.
    pub fn enter(&mut self) -> Result<(), HostError> {
        let entered = self.create_owner_file().and_then(|()| self.sweep());
        entered.inspect_err(|_| {
            // An owner file that is empty for lack of space names no owner.
            self.remove_owner_file();
            let _ = self.host.delete_folder(&self.path);
        })
    }

    /// As [`Folder::enter`], for a person who decides that these owners are dead: removes their files as those of any
    /// dead owner.
    pub fn enter_declaring_dead(&mut self, nonces: BTreeSet<String>) -> Result<(), HostError> {
        self.is_of_one_machine = false;
        self.liveness.declared_dead = nonces;
        self.enter()
    }

    /// Reads who owns files of the folder.
    pub fn owners(&self) -> Result<Owners, HostError> {
        let mut owners = Owners { named: Vec::new(), nameless: Vec::new() };
        let mut names = match self.host.list(&self.path) {
            Err(HostError::NotFound) => Vec::new(),
            other => other?,
        };
        names.sort();
        for name in names.into_iter().filter(|name| !name.starts_with("beacon-")) {
            let text = match self.host.read(&format!("{}/{name}", self.path)) {
                Err(HostError::NotFound) => continue,
                other => other?,
            };
            let Some(owner) = Owner::parse(&text) else {
                owners.nameless.push(name);
                continue;
            };
            let index = owners.named.iter().position(|(known, _)| known.nonce == owner.nonce);
            let index = index.unwrap_or_else(|| {
                owners.named.push((owner, Vec::new()));
                owners.named.len() - 1
            });
            if !name.starts_with("owner-") {
                owners.named[index].1.push(name);
            }
        }
        Ok(owners)
    }

    /// Whether an owner is running; `None` if unknown.
    pub fn is_alive(&self, owner: &Owner) -> Result<Option<bool>, HostError> {
        self.liveness.is_alive(&*self.host, &self.me.identity, owner, &self.path)
    }

    /// Fails if a connection of another machine has an owner file. Of two machines that enter at the same time, the one
    /// that created its file later finds the other's, because a listing is complete.
    fn require_no_other_machine(&mut self) -> Result<(), HostError> {
        if !self.is_of_one_machine {
            return Ok(());
        }
        for name in self.host.list(&self.path)? {
            if name.starts_with("owner-")
                && let LockState::Foreign(owner) = self.inspect(&format!("{}/{name}", self.path))?
            {
                return Err(HostError::HeldElsewhere(owner.to_string()));
            }
        }
        Ok(())
    }

    /// Whether no other connection that may be alive has an owner file.
    pub fn is_alone(&mut self) -> Result<bool, HostError> {
        let names = match self.host.list(&self.path) {
            Err(HostError::NotFound) => return Ok(true),
            other => other?,
        };
        for name in names.into_iter().filter(|name| !name.starts_with("beacon-")) {
            let path = format!("{}/{name}", self.path);
            // An owner file without text: there was no room for it, so its owner holds no lock.
            let is_empty = self.host.stat(&path)?.is_none_or(|found| found.size == 0);
            if is_empty && name.starts_with("owner-") {
                continue;
            }
            let state = self.inspect(&path)?;
            if matches!(state, LockState::Alive | LockState::Uncertain | LockState::Foreign(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Creates the file to which every lock of this connection is a hard link. One that is incomplete, for lack of
    /// space, is removed: a lock that is linked to it would name no owner.
    fn create_owner_file(&mut self) -> Result<(), HostError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.hold_beacon() {
                Err(HostError::NotFound) => {
                    self.host.create_folder(&self.path)?;
                    continue;
                }
                other => other?,
            }
            let error = match self.host.create(&self.own, self.text.as_bytes()) {
                Ok(()) => return self.enter_alone(),
                Err(error) => error,
            };
            if error == HostError::NotFound {
                self.host.create_folder(&self.path)?;
                continue;
            }
            // A call that reports a failure may have taken effect.
            if self.host.read(&self.own).is_ok_and(|text| text == self.text.as_bytes()) {
                return self.enter_alone();
            }
            self.remove(&self.own)?;
            if error != HostError::Exists {
                return Err(error);
            }
        }
        Err(HostError::Io("the lock folder is removed as soon as it is created".to_owned()))
    }

    /// Leaves again if another machine has entered.
    fn enter_alone(&mut self) -> Result<(), HostError> {
        self.require_no_other_machine().inspect_err(|_| self.remove_owner_file())
    }

    /// Holds a beacon before the owner file names it, so that one which is named and not held means a dead owner. Each
    /// has a name of its own: where a folder was removed, the locks of an earlier owner file name an earlier beacon.
    fn hold_beacon(&mut self) -> Result<(), HostError> {
        let name = format!("beacon-{}-{}", self.me.nonce, self.beacons.len());
        let path = format!("{}/{name}", self.path);
        match self.host.hold_beacon(&path) {
            Ok(held) => {
                self.beacons.push((path, held));
                self.me.beacon = name;
            }
            Err(HostError::Unsupported | HostError::Denied) => self.me.beacon = String::new(),
            Err(error) => {
                // A call that reports a failure may have taken effect.
                let _ = self.host.delete(&path);
                return Err(error);
            }
        }
        self.text = self.me.to_text();
        Ok(())
    }

    /// Removes the owner file and the beacons, which are held until this connection is dropped.
    fn remove_owner_file(&mut self) {
        let _ = self.host.delete(&self.own);
        for (path, _) in &self.beacons {
            let _ = self.host.delete(path);
        }
    }

    /// Removes all files of this connection, and the folder if it is empty.
    pub fn leave(&mut self) {
        // Files that cannot be removed are reaped by others after this process has ended.
        for path in [&self.turn, &self.reserved, &self.pending, &self.shared] {
            if self.liveness.inspect(&*self.host, &self.me, path) == Ok(LockState::Mine) {
                let _ = self.host.delete(path);
            }
        }
        self.remove_owner_file();
        let _ = self.host.delete_folder(&self.path);
    }

    /// Creates the lock file `path` for this connection, atomically.
    ///
    /// # Errors
    /// [`HostError::Exists`] if the file exists, with any owner.
    pub fn claim(&mut self, path: &str) -> Result<(), HostError> {
        for _ in 0..MAX_ATTEMPTS {
            if !self.links {
                return self.claim_without_links(path);
            }
            match self.host.link(&self.own, path) {
                Err(HostError::NotFound) => self.create_owner_file()?,
                Err(HostError::Unsupported) => self.links = false,
                Err(HostError::Exists) => return Err(HostError::Exists),
                // A call that reports a failure may have taken effect.
                Err(_) if self.is_owned_by(path, Some(&self.me.nonce))? => return Ok(()),
                other => return other,
            }
        }
        Err(HostError::Io("the lock folder is removed as soon as it is created".to_owned()))
    }

    /// Without hard links the file is created empty first, so it is read back in case it was considered abandoned.
    fn claim_without_links(&mut self, path: &str) -> Result<(), HostError> {
        match self.host.create(path, self.text.as_bytes()) {
            Err(HostError::NotFound) => self.create_owner_file()?,
            Err(HostError::Exists) => return Err(HostError::Exists),
            // A call that reports a failure may have taken effect. An incomplete file is broken by any program that
            // finds it: it could be that of another connection.
            Err(error) if self.inspect(path)? != LockState::Mine => return Err(error),
            Ok(()) | Err(_) => {}
        }
        if self.inspect(path)? == LockState::Mine { Ok(()) } else { Err(HostError::Exists) }
    }

    /// Removes a lock file of this connection; succeeds if it does not exist or is another's.
    pub fn release(&self, path: &str) -> Result<(), HostError> {
        if self.is_owned_by(path, Some(&self.me.nonce))? { self.remove(path) } else { Ok(()) }
    }

    /// Removes a file of any owner; succeeds if it does not exist.
    pub fn remove(&self, path: &str) -> Result<(), HostError> {
        match self.host.delete(path) {
            Err(HostError::NotFound) => Ok(()),
            other => other,
        }
    }

    /// Whether this connection holds `path`.
    pub fn is_mine(&self, path: &str) -> Result<bool, HostError> {
        self.is_owned_by(path, Some(&self.me.nonce))
    }

    /// The state of the lock file `path`.
    pub fn inspect(&mut self, path: &str) -> Result<LockState, HostError> {
        let state = self.liveness.inspect(&*self.host, &self.me, path)?;
        if let LockState::Foreign(owner) = &state {
            record_holder(Some(owner.to_string()));
        }
        Ok(state)
    }

    /// Whether another connection holds `path` or may hold it. Reaps a dead owner.
    pub fn is_blocked(&mut self, path: &str) -> Result<bool, HostError> {
        Ok(self.held_by_other(path)? != Some(false))
    }

    /// Whether another connection holds `path`; `None` if its owner's state is unknown. Reaps a dead owner.
    pub fn held_by_other(&mut self, path: &str) -> Result<Option<bool>, HostError> {
        for _ in 0..MAX_ATTEMPTS {
            match self.inspect(path)? {
                LockState::Free | LockState::Mine => return Ok(Some(false)),
                LockState::Alive => return Ok(Some(true)),
                LockState::Uncertain | LockState::Foreign(_) => return Ok(None),
                LockState::Dead(nonce) => self.reap(&nonce)?,
                LockState::Unreadable => {
                    // As in `reap`, `reserved` is removed before `pending`.
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

    /// The lock file of another live connection that reads.
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

    /// Changes the entries of the lock files that this connection holds, as a heartbeat. A failed one is a missed one.
    pub fn heartbeat(&self, held: &[String]) {
        // With links, all are one file.
        let files = if self.links { std::slice::from_ref(&self.own) } else { held };
        for path in files {
            let _ = self.write_again(path);
        }
    }

    /// Writes the text of a lock file of this connection again. It is read from the file that is open: another
    /// connection may have broken the lock and created its own at the path.
    fn write_again(&self, path: &str) -> Result<(), HostError> {
        let file = self.host.open(path, OpenMode::Write)?;
        let mut text = vec![0; MAX_TEXT_BYTES];
        let length = file.read_at(&mut text, 0)?;
        text.truncate(length);
        let is_mine = Owner::parse(&text).is_some_and(|owner| owner.nonce == self.me.nonce);
        if is_mine { file.write_at(&text, 0) } else { Ok(()) }
    }

    /// Removes every lock of a dead owner. `reserved` is removed first: while `pending` excludes readers, no connection
    /// can mistake a partially written database for one with an active writer.
    fn reap(&mut self, nonce: &str) -> Result<(), HostError> {
        let shared = format!("{}/shared-{nonce}", self.path);
        for path in [self.reserved.clone(), self.pending.clone(), shared, self.turn.clone()] {
            if !self.break_lock(&path, Some(nonce), 0)? {
                return Ok(());
            }
        }
        // Guards that the owner left name its beacon, so that it goes last.
        for name in self.host.list(&self.path)?.into_iter().filter(|name| name.contains(".break-")) {
            if !self.break_lock(&format!("{}/{name}", self.path), Some(nonce), 0)? {
                return Ok(());
            }
        }
        self.remove(&format!("{}/owner-{nonce}", self.path))?;
        let beacons = format!("beacon-{nonce}-");
        for name in self.host.list(&self.path)?.into_iter().filter(|name| name.starts_with(&beacons)) {
            self.remove(&format!("{}/{name}", self.path))?;
        }
        Ok(())
    }

    /// Removes the lock at `path` if its owner is the dead `nonce`, or, for `None`, if it names no owner. Returns
    /// whether it is removed; it is not if a live connection is about to remove it.
    ///
    /// Only the creator of the guard file may remove the lock, after checking it again. This prevents removing a lock
    /// that a live connection created after the dead one's was removed. A guard whose creator died is removed in the
    /// same way, with a guard of its own.
    fn break_lock(&mut self, path: &str, nonce: Option<&str>, depth: usize) -> Result<bool, HostError> {
        if !self.is_owned_by(path, nonce)? {
            return Ok(true);
        }
        let guard = format!("{path}.break-{}", nonce.unwrap_or("nobody"));
        match self.claim(&guard) {
            Ok(()) => {}
            // Left over from a removal that failed.
            Err(HostError::Exists) if self.inspect(&guard)? == LockState::Mine => {}
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
            Ok(true) => self.remove(path),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        self.release(&guard)?;
        removed.map(|()| true)
    }

    /// Whether the lock file names `nonce` as its owner, or no owner for `None`.
    fn is_owned_by(&self, path: &str, nonce: Option<&str>) -> Result<bool, HostError> {
        match self.host.read(path) {
            Ok(text) if is_of_later_format(&text) => Ok(false),
            Ok(text) => Ok(Owner::parse(&text).map(|owner| owner.nonce).as_deref() == nonce),
            Err(HostError::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether this is a beacon. One without an owner file, of a process that was killed before it created one, is
    /// removed after a minute: the age of this connection's own file shows the time of the file system.
    fn is_kept_beacon(&self, name: &str) -> Result<bool, HostError> {
        let Some(nonce) = name.strip_prefix("beacon-").and_then(|rest| rest.split('-').next()) else {
            return Ok(false);
        };
        let path = format!("{}/{name}", self.path);
        let is_orphan = self.host.stat(&format!("{}/owner-{nonce}", self.path))?.is_none();
        if is_orphan && self.host.beacon(&path) == BeaconState::Released {
            let (own, beacon) = (self.host.stat(&self.own)?, self.host.stat(&path)?);
            if let (Some(own), Some(beacon)) = (own, beacon)
                && own.changed_millis - beacon.changed_millis > ORPHAN_MILLIS
            {
                self.remove(&path)?;
            }
        }
        Ok(true)
    }

    /// Reaps all dead owners in the folder.
    fn sweep(&mut self) -> Result<(), HostError> {
        for name in self.host.list(&self.path)? {
            let path = format!("{}/{name}", self.path);
            if path == self.own || self.is_kept_beacon(&name)? {
                continue;
            }
            if let LockState::Dead(nonce) = self.inspect(&path)? {
                self.reap(&nonce)?;
                if name.contains(".break-") {
                    self.break_lock(&path, Some(&nonce), 0)?;
                } else if name.starts_with("beat-") {
                    self.remove(&path)?;
                }
            }
        }
        Ok(())
    }
}
