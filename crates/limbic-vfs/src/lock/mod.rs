//! SQLite's five lock levels over lock files.
//!
//! # Files
//! A database `d` has a folder `d-locks`. Each connection creates a file `owner-N` that identifies it (`N` is its
//! nonce), holds a *beacon* `beacon-N-0` that shows every process of this kernel that it is alive (see
//! [`Host::hold_beacon`]), and acquires a lock by creating a *hard link* to the owner file. The link appears
//! atomically, with its content, and only if the name is free: an exclusive claim in one system call.
//!
//! | level | SQLite's promise | files |
//! |---|---|---|
//! | SHARED | many connections may read | `shared-N`, one per reader |
//! | RESERVED | one prepares to write, others continue to read | also `reserved` |
//! | PENDING | no new reader may begin | also `pending` |
//! | EXCLUSIVE | no other connection reads | the same; no other `shared-*` exists |
//!
//! # Mutual exclusion
//! A reader creates `shared-N` and *then* checks for `pending`. A writer creates `pending` and *then* lists the
//! `shared-*`. One of the two creations comes first, and the second connection sees it: either the reader finds
//! `pending`, removes its file and returns BUSY, or the writer finds the reader and returns BUSY while it keeps
//! `pending`. (A listing contains every entry that exists during the whole listing.) Two writers cannot both hold
//! `reserved` or `pending`, because a name can be created only once.
//!
//! # Order of releasing
//! `reserved`, `pending`, `shared-N`. A reader that arrives in between finds either `pending`, and waits, or no
//! `reserved`; so it never mistakes the journal of a writer that gave up for one that is being written. SQLite rolls
//! such a journal back before it reads.
//!
//! # Dead owners
//! `owner_liveness` determines which owners are dead; `folder` removes their locks without affecting those of live
//! ones. The locks of a dead owner count as released for all connections at once, because a dead process stays dead.
//! SQLite therefore sees the same as with locks of the operating system: a process that ends releases all its locks.
//!
//! # Calls that fail
//! A call that creates or removes a name may take effect and report a failure. What was created is read back; a lock is
//! removed only by a connection that it names, or whose owner is dead; a lock that could not be removed keeps
//! others out until it is. A lock file of a later format counts as that of a live owner.
//!
//! # An owner that lost its locks
//! An owner may be considered dead and continue: its lock folder was removed, or it was stopped under another kernel.
//! It checks that it holds its locks, at most once a second, before it writes the database and after it reads, and
//! always when it acquires RESERVED and before each step of a commit: writing the journal, acquiring EXCLUSIVE, ending
//! the transaction. From the first check that fails until its transaction is over it writes nothing, not even to roll
//! back: the journal is another's. The second is measured by a clock that runs while the machine is suspended. It
//! releases only files that name it.
//!
//! # The file at the path
//! Locks lie beside a path, so a database must have one path only: a file with several names (hard links) is refused,
//! and one that is mounted without its folder. The name under which a shell wrote a new database is removed instead.
//! Each lock, and the end of each transaction, requires that the file at the path is the one that is open. Another one
//! may be renamed over it at any time, and what would be written then would have no name: SQLite gets
//! `SQLITE_READONLY_DBMOVED`, and nothing is acknowledged.
//!
//! # No space for lock files
//! On a full disk a connection cannot create its owner file. If no other connection has one, it reads without a lock
//! and tries to create the file at each further lock; it gets no write lock until that succeeds. If another connection
//! has an owner file, that one may write at any moment, so this one gets no lock.
//!
//! # Reading without locks
//! A connection that may neither create lock files nor write the database (a read-only mount, a file of another user)
//! cannot keep a writer out. It watches the file instead: see [`watch`].
//!
//! # Shared disks
//! On a disk that other machines may write, what they create may be seen late. It is refused, or else belongs to one
//! machine at a time: a connection that enters creates its owner file and *then* lists the folder, and leaves again if
//! an owner of another kernel is there. Within one kernel all of the above holds.
//!
//! # Fairness
//! `pending` excludes new readers, so readers cannot starve a writer. SQLite decides how long to wait (`busy_timeout`)
//! and calls the VFS to sleep; [`wait`] wakes early when the obstacle is removed, and queues waiting writers at `turn`:
//! a connection that has just written yields to the next writer.

mod folder;
mod owner_liveness;
mod owner;
pub mod unlock;
pub mod wait;
mod watch;

use std::sync::Arc;

use rsqlite_vfs::LockLevel;

use crate::{
    Host, HostError, Inode, Locks,
    error::record_holder,
    mounts::{self, Disk},
};
use folder::Folder;
use owner_liveness::LockState;
use wait::{Obstacle, WriterQueue};
use watch::{Start, Watch};

/// For this time after a check that it holds its locks, a connection relies on it.
const RECHECK_AFTER_MILLIS: f64 = 1_000.0;
/// Attempts to release a lock.
const MAX_RELEASES: usize = 3;
/// For this time after a write, a connection yields to the next writer.
const YIELD_MILLIS: f64 = 10.0;

/// The locks of one connection on one database, as lock files.
pub struct LockFiles {
    folder: Folder,
    database: String,
    /// The database that is open.
    inode: Inode,
    /// Whether there was space to create the owner file.
    is_signed_in: bool,
    level: LockLevel,
    /// Whether this connection has, or may have, these files. Those that its level does not need are left over from a
    /// release that failed.
    shared: bool,
    reserved: bool,
    pending: bool,
    /// The last attempt to read found a writer, so the next one checks for `pending` first.
    found_writer: bool,
    checked_millis: f64,
    /// A check has failed, and the transaction has not ended.
    is_lost: bool,
    wrote_millis: f64,
    /// How this connection reads where it may create no lock files.
    watch: Option<Watch>,
}

impl LockFiles {
    /// Opens the lock folder of a database, of which the file at `inode` is open, and creates the owner file, unless
    /// the disk is full.
    ///
    /// # Errors
    /// As [`Host::create_folder`] and [`Host::create`], but for a full disk; [`HostError::Moved`],
    /// [`HostError::ManyNames`], [`HostError::FileMount`], [`HostError::HeldElsewhere`].
    pub fn open(
        host: Arc<dyn Host>,
        database: &str,
        inode: Inode,
        disk: Disk,
    ) -> Result<LockFiles, HostError> {
        let found = host.stat(database)?.ok_or(HostError::Moved)?;
        mounts::require_one_path(&*host, database, &found)?;
        let mut folder = Folder::new(host, database, disk);
        let is_signed_in = match folder.enter() {
            Err(HostError::Full) => false,
            other => other.map(|()| true)?,
        };
        let mut locks = LockFiles::new(folder, database, inode);
        locks.is_signed_in = is_signed_in;
        Ok(locks)
    }

    /// For reading a database that this process may not write, in a folder in which it may create no lock files.
    ///
    /// # Errors
    /// [`HostError::Moved`], [`HostError::ManyNames`], [`HostError::FileMount`], and those of [`Host::stat`].
    pub fn watch(host: Arc<dyn Host>, database: &str, inode: Inode) -> Result<LockFiles, HostError> {
        let found = host.stat(database)?.ok_or(HostError::Moved)?;
        mounts::require_one_path(&*host, database, &found)?;
        let mut locks = LockFiles::new(Folder::new(host, database, Disk::Local), database, inode);
        locks.watch = Some(Watch::default());
        Ok(locks)
    }

    fn new(folder: Folder, database: &str, inode: Inode) -> LockFiles {
        LockFiles {
            folder,
            database: database.to_owned(),
            inode,
            is_signed_in: true,
            level: LockLevel::None,
            shared: false,
            reserved: false,
            pending: false,
            found_writer: false,
            checked_millis: 0.0,
            is_lost: false,
            wrote_millis: f64::NEG_INFINITY,
            watch: None,
        }
    }

    /// A connection that was inactive for long may have been considered dead; what it has read may be outdated.
    fn confirm_held(&mut self) -> Result<(), HostError> {
        if self.is_lost {
            return Err(lost());
        }
        let now_millis = self.folder.host.monotonic_millis();
        if now_millis - self.checked_millis < RECHECK_AFTER_MILLIS {
            return Ok(());
        }
        let files = [
            (self.shared, &self.folder.shared),
            (self.reserved, &self.folder.reserved),
            (self.pending, &self.folder.pending),
        ];
        let held: Vec<String> =
            files.into_iter().filter(|(held, _)| *held).map(|(_, path)| path.clone()).collect();
        self.folder.heartbeat(&held);
        for path in &held {
            self.expect_mine(path)?;
        }
        self.checked_millis = now_millis;
        Ok(())
    }

    fn expect_mine(&mut self, path: &str) -> Result<(), HostError> {
        if self.is_lost || !self.folder.is_mine(path)? {
            self.is_lost = true;
            return Err(lost());
        }
        Ok(())
    }

    fn lock_without_room(&mut self, level: LockLevel) -> Result<bool, HostError> {
        match self.folder.enter() {
            Ok(()) => {
                self.is_signed_in = true;
                // Content that was read without a lock may be outdated: a writer begins again.
                if level == LockLevel::Shared { self.share() } else { Ok(false) }
            }
            Err(HostError::Full) if level == LockLevel::Shared && self.folder.is_alone()? => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn begin_watch(&mut self) -> Result<bool, HostError> {
        let Some(watch) = &mut self.watch else { return Ok(false) };
        let start = watch.begin(&mut self.folder, &self.database)?;
        if start == Start::Pending {
            wait::record_obstacle(self.file(self.folder.pending.clone()));
        }
        Ok(start == Start::Begun)
    }

    fn share(&mut self) -> Result<bool, HostError> {
        let now_millis = self.folder.host.monotonic_millis();
        if now_millis - self.wrote_millis < YIELD_MILLIS {
            wait::yield_to_next_writer(&mut self.folder)?;
        }
        let pending = self.folder.pending.clone();
        if self.found_writer && self.folder.is_blocked(&pending)? {
            wait::record_obstacle(self.file(pending));
            return Ok(false);
        }
        let shared = self.folder.shared.clone();
        self.shared = true;
        match self.folder.claim(&shared) {
            // Left by a release that failed: the name contains this connection's nonce, so it belongs to no other.
            Ok(()) | Err(HostError::Exists) => {}
            Err(error) => return Err(error),
        }
        match self.folder.is_blocked(&pending) {
            Ok(false) => {
                self.found_writer = false;
                self.checked_millis = now_millis;
                Ok(true)
            }
            other => {
                self.found_writer = true;
                self.release_unneeded()?;
                wait::record_obstacle(self.file(pending));
                other.map(|_| false)
            }
        }
    }

    fn reserve(&mut self) -> Result<bool, HostError> {
        let reserved = self.folder.reserved.clone();
        // A failure leaves open whether the file was created.
        self.reserved = true;
        let taken = self.take(&reserved).and_then(|taken| {
            if taken {
                wait::leave_queue(&self.folder);
                self.confirm_held()?;
                // Without it, another may have written since this transaction read.
                self.expect_mine(&self.folder.shared.clone())?;
            }
            Ok(taken)
        });
        match taken {
            Ok(true) => Ok(true),
            Ok(false) => {
                self.reserved = false;
                wait::record_obstacle(Obstacle::Reserved(WriterQueue::of(&self.folder)));
                Ok(false)
            }
            Err(error) => {
                self.release_unneeded()?;
                Err(error)
            }
        }
    }

    fn exclude(&mut self) -> Result<bool, HostError> {
        if !self.pending {
            let pending = self.folder.pending.clone();
            self.pending = true;
            if !self.take(&pending)? {
                self.pending = false;
                wait::record_obstacle(self.file(pending));
                return Ok(false);
            }
            self.level = LockLevel::Pending;
        }
        if let Some(reader) = self.folder.other_reader()? {
            wait::record_obstacle(self.file(reader));
            return Ok(false);
        }
        self.confirm_step()?;
        Ok(true)
    }

    fn file(&self, path: String) -> Obstacle {
        Obstacle::File(self.folder.host.clone(), path)
    }

    /// Claims a lock that only one may have.
    fn take(&mut self, path: &str) -> Result<bool, HostError> {
        loop {
            match self.folder.claim(path) {
                Err(HostError::Exists) => {}
                other => return other.map(|()| true),
            }
            match self.folder.inspect(path)? {
                LockState::Mine => return Ok(true),
                LockState::Alive | LockState::Uncertain | LockState::Foreign(_) => return Ok(false),
                LockState::Free => {}
                LockState::Dead(_) | LockState::Unreadable => {
                    if self.folder.is_blocked(path)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Removes the files that the level does not need, in the order that others rely on.
    fn release_unneeded(&mut self) -> Result<(), HostError> {
        if self.reserved && self.level < LockLevel::Reserved {
            self.folder.release(&self.folder.reserved)?;
            self.reserved = false;
            self.wrote_millis = self.folder.host.monotonic_millis();
        }
        if self.pending && self.level < LockLevel::Pending {
            self.folder.release(&self.folder.pending)?;
            self.pending = false;
        }
        if self.shared && self.level < LockLevel::Shared {
            self.folder.remove(&self.folder.shared)?;
            self.shared = false;
        }
        Ok(())
    }
}

impl Locks for LockFiles {
    fn lock(&mut self, level: LockLevel) -> Result<bool, HostError> {
        if level <= self.level {
            return Ok(true);
        }
        record_holder(None);
        let taken = self.release_unneeded().and_then(|()| match level {
            LockLevel::None => Ok(true),
            LockLevel::Shared if self.watch.is_some() => self.begin_watch(),
            _ if self.watch.is_some() => Ok(false),
            _ if !self.is_signed_in => self.lock_without_room(level),
            LockLevel::Shared => self.share(),
            LockLevel::Reserved => self.reserve(),
            LockLevel::Pending | LockLevel::Exclusive => self.exclude(),
        });
        let taken = taken.and_then(|taken| {
            if taken {
                self.require_in_place().inspect_err(|_| {
                    // What cannot be removed is removed before the next lock.
                    let _ = self.release_unneeded();
                })?;
            }
            Ok(taken)
        });
        if taken == Ok(true) {
            self.level = level;
        }
        taken
    }

    /// Files that cannot be removed continue to keep others out, and are removed before the next lock is acquired.
    fn unlock(&mut self, level: LockLevel) {
        if level >= self.level {
            return;
        }
        self.level = level;
        self.is_lost &= level > LockLevel::None;
        if self.watch.is_some() {
            return;
        }
        let _ = (0..MAX_RELEASES).any(|_| self.release_unneeded().is_ok());
    }

    fn check_reserved(&mut self) -> Result<Option<bool>, HostError> {
        if self.reserved {
            return Ok(Some(true));
        }
        let path = self.folder.reserved.clone();
        let held = match &self.watch {
            Some(_) => watch::held_by_other(&mut self.folder, &path),
            None => self.folder.held_by_other(&path),
        }?;
        if held.is_none() {
            wait::record_obstacle(self.file(path));
        }
        Ok(held)
    }

    fn confirm_write(&mut self) -> Result<(), HostError> {
        if self.level < LockLevel::Reserved { Ok(()) } else { self.confirm_held() }
    }

    fn confirm_read(&mut self) -> Result<(), HostError> {
        if let Some(watch) = &self.watch {
            return if self.level >= LockLevel::Shared {
                watch.confirm(&self.folder, &self.database)
            } else {
                Ok(())
            };
        }
        if self.shared && self.level >= LockLevel::Shared { self.confirm_held() } else { Ok(()) }
    }

    fn confirm_step(&mut self) -> Result<(), HostError> {
        if let Some(watch) = &self.watch {
            // The journal of a writer that began since SQLite looked for one is not left over.
            let reserved = self.folder.reserved.clone();
            return match watch::held_by_other(&mut self.folder, &reserved)? {
                Some(false) => watch.confirm(&self.folder, &self.database),
                Some(true) | None => Err(HostError::Changed),
            };
        }
        self.confirm_write()?;
        let (reserved, pending) = (self.folder.reserved.clone(), self.folder.pending.clone());
        if self.reserved {
            self.expect_mine(&reserved)?;
        }
        if self.pending {
            self.expect_mine(&pending)?;
        }
        Ok(())
    }

    fn require_in_place(&self) -> Result<(), HostError> {
        match self.folder.host.stat(&self.database)? {
            Some(found) if found.inode != self.inode => Err(HostError::Moved),
            Some(found) => mounts::require_one_name(&*self.folder.host, &self.database, &found),
            None => Err(HostError::Moved),
        }
    }
}

fn lost() -> HostError {
    HostError::Io("the lock was taken over during a long pause".to_owned())
}

impl Drop for LockFiles {
    fn drop(&mut self) {
        if self.watch.is_none() {
            self.folder.leave();
        }
    }
}
