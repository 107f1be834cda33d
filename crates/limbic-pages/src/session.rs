//! One connection of SQLite to a memory: its transaction, its locks, and the pages that it keeps.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use limbic_vfs::{HostError, LockLevel};

use crate::{
    cache::Cache,
    cache_size::CacheSize,
    outage,
    read_ahead::{MAX_BLOCK, MAX_SEQUENTIAL, ReadAhead},
    repeated,
    store::{Head, Locked, PAGE_BYTES, PageStore, StoreError, Token, page_at, page_count},
    tree_order::TreeOrder,
};

/// The pages that one statement writes.
const WRITTEN_AT_ONCE: usize = 1_024;
/// Total time that a writer waits for the lock in the store's queue if it has not announced how long it waits.
const MAX_QUEUED: Duration = Duration::from_secs(10);
/// How long background work waits for the lock, and calls after one that has waited in vain.
const SHORT_WAIT: Duration = Duration::from_secs(2);
/// Time after a failed attempt to write during which the next transaction counts as its repetition.
const REPEATED_WITHIN: Duration = Duration::from_secs(1);

/// The state of a connection.
enum Transaction {
    /// No transaction: each read needs a snapshot of its own.
    None,
    /// Reads one version.
    Snapshot,
    /// Has the lock.
    Write,
    /// Has committed; SQLite has not released its lock yet.
    Committed,
    /// Has failed, and nothing may be read or written until SQLite releases its lock.
    Broken(HostError),
}

/// An attempt to write that was not announced and missed the lock, which SQLite repeats.
#[derive(Clone, Copy)]
struct Missed {
    /// When it missed the lock last.
    last: Instant,
    /// When it missed the lock for the first time.
    first: Instant,
}

/// A connection of SQLite.
pub struct Session {
    store: Box<dyn PageStore>,
    transaction: Transaction,
    level: LockLevel,
    /// The state that the transaction reads, or the last one did.
    head: Head,
    /// The version of the cached pages.
    known: Option<(u64, Option<Token>)>,
    cache: Cache,
    /// What others have changed of the cache: likely to be needed together.
    outdated: BTreeSet<u64>,
    /// What SQLite has written and not synced.
    dirty: BTreeMap<u64, Vec<u8>>,
    size_bytes: u64,
    read_ahead: ReadAhead,
    tree_order: TreeOrder,
    /// The last attempt to write that missed the lock.
    missed: Option<Missed>,
    /// When a write has waited for the lock in vain, without one since that got it.
    gave_up: Option<Instant>,
    /// Whether the store's history is another than what SQLite has read.
    has_moved: bool,
}

impl Session {
    /// A connection through `store` that keeps up to `cache_size` of pages.
    pub fn new(store: Box<dyn PageStore>, cache_size: CacheSize) -> Session {
        Session {
            store,
            transaction: Transaction::None,
            level: LockLevel::None,
            head: Head::default(),
            known: None,
            cache: Cache::new(cache_size.pages()),
            outdated: BTreeSet::new(),
            dirty: BTreeMap::new(),
            size_bytes: 0,
            read_ahead: ReadAhead::new(),
            tree_order: TreeOrder::default(),
            missed: None,
            gave_up: None,
            has_moved: false,
        }
    }

    /// Raises the level; false if another transaction is in the way.
    pub fn lock(&mut self, level: LockLevel) -> Result<bool, HostError> {
        if level <= self.level {
            return Ok(true);
        }
        let taken = match level {
            LockLevel::None => true,
            LockLevel::Shared => self.begin()?,
            LockLevel::Reserved | LockLevel::Pending | LockLevel::Exclusive => self.reserve()?,
        };
        if taken {
            self.level = level;
        }
        Ok(taken)
    }

    /// Lowers the level. A write transaction that was not committed keeps its snapshot, and the lock, until SQLite
    /// stops reading.
    pub fn unlock(&mut self, level: LockLevel) {
        if level >= self.level {
            return;
        }
        if level < LockLevel::Reserved {
            self.dirty.clear();
            self.size_bytes = self.head.size_bytes;
        }
        if level == LockLevel::None {
            self.store.end();
            self.transaction = Transaction::None;
        }
        self.level = level;
    }

    /// Whether this connection has the lock.
    pub fn is_writer(&self) -> bool {
        matches!(self.transaction, Transaction::Write)
    }

    /// Fails if the transaction has.
    pub fn confirm(&self) -> Result<(), HostError> {
        match &self.transaction {
            Transaction::Broken(error) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Length of the database in bytes.
    pub fn size_bytes(&mut self) -> Result<u64, HostError> {
        self.in_transaction(|session| Ok(session.size_bytes))
    }

    /// Reads at most `buffer.len()` bytes at `offset`.
    pub fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        self.in_transaction(|session| {
            let rest = usize::try_from(session.size_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
            let count = rest.min(buffer.len());
            let mut done = 0;
            while done < count {
                let (page, start) = page_at(offset + u64::try_from(done).unwrap_or_default());
                let length = (PAGE_BYTES - start).min(count - done);
                let content = session.page(page)?;
                buffer[done..done + length].copy_from_slice(&content[start..start + length]);
                done += length;
            }
            Ok(count)
        })
    }

    /// Writes `bytes` at `offset`; nothing leaves this process before the sync.
    pub fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        self.require_write()?;
        let mut done = 0;
        while done < bytes.len() {
            let (page, start) = page_at(offset + u64::try_from(done).unwrap_or_default());
            let length = (PAGE_BYTES - start).min(bytes.len() - done);
            let piece = &bytes[done..done + length];
            if length == PAGE_BYTES {
                self.dirty.insert(page, piece.to_vec());
            } else {
                let mut content = self.page(page)?.to_vec();
                content[start..start + length].copy_from_slice(piece);
                self.dirty.insert(page, content);
            }
            done += length;
        }
        self.size_bytes = self.size_bytes.max(offset + u64::try_from(bytes.len()).unwrap_or_default());
        Ok(())
    }

    /// Sets the length. SQLite shortens a database after its commit and does not sync it, so that is a commit of its
    /// own, and if it fails, nothing but room is lost.
    pub fn truncate(&mut self, size_bytes: u64) -> Result<(), HostError> {
        if matches!(self.transaction, Transaction::Committed | Transaction::Snapshot) {
            if size_bytes < self.size_bytes && self.shorten(size_bytes).is_err() {
                self.store.end();
                self.transaction = Transaction::Committed;
            }
            return Ok(());
        }
        self.require_write()?;
        self.dirty.split_off(&page_count(size_bytes));
        self.size_bytes = size_bytes;
        Ok(())
    }

    fn shorten(&mut self, size_bytes: u64) -> Result<(), HostError> {
        self.lock_again()?;
        self.size_bytes = size_bytes;
        self.sync()
    }

    /// Commits the written pages.
    pub fn sync(&mut self) -> Result<(), HostError> {
        if self.dirty.is_empty() && self.size_bytes == self.head.size_bytes {
            return self.confirm();
        }
        self.require_write()?;
        // SQLite rolls back by writing the pages as they were.
        let (cache, outside) = (&mut self.cache, page_count(self.head.size_bytes));
        self.dirty.retain(|page, content| *page >= outside || cache.get(*page) != Some(content.as_slice()));
        if self.dirty.is_empty() && self.size_bytes == self.head.size_bytes {
            return Ok(());
        }
        match self.store_dirty() {
            Ok(head) => {
                self.known = Some((head.version, head.token(head.version)));
                for (page, content) in std::mem::take(&mut self.dirty) {
                    self.keep(page, content);
                }
                self.drop_behind(head.truncated == head.version, head.size_bytes);
                self.head = head;
                self.transaction = Transaction::Committed;
                Ok(())
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    fn store_dirty(&mut self) -> Result<Head, StoreError> {
        let pages: Vec<(u64, &[u8])> =
            self.dirty.iter().map(|(page, content)| (*page, content.as_slice())).collect();
        let mut rest = pages.as_slice();
        while let Some((pages, others)) = rest.split_at_checked(WRITTEN_AT_ONCE) {
            self.store.write(pages)?;
            rest = others;
        }
        self.store.commit(rest, self.size_bytes)
    }

    /// Pages behind the end of a database that became shorter would be read again when it grows.
    fn drop_behind(&mut self, was_truncated: bool, size_bytes: u64) {
        if was_truncated {
            for page in page_count(size_bytes)..page_count(self.head.size_bytes) {
                self.cache.remove(page);
            }
        }
    }

    fn require_write(&mut self) -> Result<(), HostError> {
        match &self.transaction {
            Transaction::Write => Ok(()),
            Transaction::Broken(error) => Err(error.clone()),
            _ if self.level >= LockLevel::Reserved => self.lock_again(),
            _ => Err(HostError::Io("the database was written without a lock".to_owned())),
        }
    }

    /// Begins to read, or to write if the core says so or after a miss: a writer that only reserves after its snapshot
    /// needs another round trip, and would come too late again and again where many write. Returns false if SQLite may
    /// repeat it; where the lock was not free for the whole wait, that is [`HostError::Busy`], which it does not.
    fn begin(&mut self) -> Result<bool, HostError> {
        let now = Instant::now();
        let announced = limbic_vfs::expected_wait();
        self.missed = self.missed.filter(|missed| {
            announced.is_none()
                && now.duration_since(missed.last) < REPEATED_WITHIN
                && now.duration_since(missed.first) < 2 * MAX_QUEUED
        });
        let wait = match (announced, self.missed) {
            (Some(announced), _) => self.longest_wait(announced, now),
            (None, Some(missed)) => MAX_QUEUED.saturating_sub(now.duration_since(missed.first)),
            (None, None) => return self.begin_snapshot().map(|()| true),
        };
        self.require_same_history()?;
        match self.store.lock(wait, self.known.map(|(version, _)| version))? {
            Locked::Yes(head) => {
                self.transaction = Transaction::Write;
                self.gave_up = None;
                self.enter(head)?;
                Ok(true)
            }
            Locked::Busy | Locked::Stale => {
                let is_over = announced.is_some()
                    || self.missed.is_none_or(|missed| missed.first.elapsed() >= MAX_QUEUED);
                if is_over {
                    self.missed = None;
                    if wait > SHORT_WAIT {
                        self.gave_up = Some(Instant::now());
                    }
                    return Err(HostError::Busy);
                }
                self.miss();
                Ok(false)
            }
        }
    }

    /// How long a transaction waits for the lock that has announced this time. Calls wait for background work, which is
    /// done again later, and for each other: where one has waited in vain, the next ones wait for a part of the time.
    /// Those which came together would otherwise wait one after the other.
    fn longest_wait(&self, announced: Duration, now: Instant) -> Duration {
        let is_held = self.gave_up.is_some_and(|gave_up| now.duration_since(gave_up) < MAX_QUEUED);
        if is_held || outage::is_background() { announced.min(SHORT_WAIT) } else { announced }
    }

    fn begin_snapshot(&mut self) -> Result<(), HostError> {
        self.require_same_history()?;
        let asked = Instant::now();
        let head = self.store.head(self.known.map(|(version, _)| version))?;
        self.read_ahead.note_trip(asked.elapsed());
        self.transaction = Transaction::Snapshot;
        self.enter(head)
    }

    fn require_same_history(&self) -> Result<(), HostError> {
        if self.has_moved { Err(HostError::Moved) } else { Ok(()) }
    }

    fn miss(&mut self) {
        let last = Instant::now();
        let first = self.missed.map_or(last, |missed| missed.first);
        self.missed = Some(Missed { last, first });
    }

    /// Takes the lock in the reading transaction.
    fn reserve(&mut self) -> Result<bool, HostError> {
        match &self.transaction {
            Transaction::Write => {
                self.missed = None;
                return Ok(true);
            }
            Transaction::Committed => {
                return match self.lock_again() {
                    Err(HostError::Changed) => Ok(false),
                    other => other.map(|()| true),
                };
            }
            Transaction::Broken(error) => return Err(error.clone()),
            Transaction::None => {
                return Err(HostError::Io("a lock was requested without a snapshot".to_owned()));
            }
            Transaction::Snapshot => {}
        }
        match self.store.lock(Duration::ZERO, None) {
            Ok(Locked::Yes(_)) => {
                self.transaction = Transaction::Write;
                self.missed = None;
                Ok(true)
            }
            Ok(Locked::Busy | Locked::Stale) => {
                self.miss();
                Ok(false)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Locks again after a commit, as long as SQLite has not released its lock. No other server may have written since.
    fn lock_again(&mut self) -> Result<(), HostError> {
        match self.store.lock(Duration::ZERO, None)? {
            Locked::Yes(head) if head == self.head => {
                self.transaction = Transaction::Write;
                Ok(())
            }
            Locked::Yes(_) | Locked::Busy | Locked::Stale => {
                self.store.end();
                Err(HostError::Changed)
            }
        }
    }

    /// Applies what others have committed since the last transaction.
    fn enter(&mut self, head: Head) -> Result<(), HostError> {
        if let Some((version, token)) = self.known {
            let found = match head.token(version) {
                None if head.version > version => {
                    self.store.token(version).map_err(|error| self.fail_to_enter(error))?
                }
                found => found,
            };
            let is_other =
                head.version < version || found.zip(token).is_some_and(|(found, token)| token != found);
            if is_other {
                // What SQLite and the core keep in memory is of another history as well.
                self.has_moved = true;
                self.store.end();
                self.transaction = Transaction::None;
                return Err(HostError::Moved);
            }
            if head.truncated > version || (head.version > version && found.is_none()) {
                self.cache.clear();
                self.tree_order.clear();
                self.outdated.clear();
            } else if head.version > version {
                let changed = self.store.changed_since(version);
                for page in changed.map_err(|error| self.fail_to_enter(error))? {
                    if self.cache.remove(page) {
                        self.outdated.insert(page);
                    }
                }
            }
        }
        self.known = Some((head.version, head.token(head.version)));
        self.size_bytes = head.size_bytes;
        self.head = head;
        Ok(())
    }

    fn fail_to_enter(&mut self, error: StoreError) -> HostError {
        let error = self.fail(error);
        self.transaction = Transaction::None;
        error
    }

    /// Runs a read; one that SQLite makes before it has a lock has a snapshot of its own.
    fn in_transaction<T>(
        &mut self,
        read: impl FnOnce(&mut Session) -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        match &self.transaction {
            Transaction::Broken(error) => Err(error.clone()),
            Transaction::None => {
                self.begin_snapshot()?;
                let result = read(self);
                self.store.end();
                self.transaction = Transaction::None;
                result
            }
            _ => read(self),
        }
    }

    fn page(&mut self, page: u64) -> Result<&[u8], HostError> {
        if !self.dirty.contains_key(&page) && !self.cache.contains(page) {
            self.fetch(page)?;
        }
        let found = match self.dirty.get(&page) {
            Some(content) => Some(content.as_slice()),
            None => self.cache.get(page),
        };
        found.ok_or_else(|| HostError::Io("a page was not kept".to_owned()))
    }

    /// Fetches a page, with those that are likely to be needed next.
    fn fetch(&mut self, page: u64) -> Result<(), HostError> {
        if matches!(self.transaction, Transaction::Committed) {
            self.read_again()?;
        }
        let last = page_count(self.head.size_bytes);
        let mut wanted = BTreeSet::from([page]);
        if self.outdated.remove(&page) {
            let max_count = usize::try_from(MAX_SEQUENTIAL).unwrap_or(usize::MAX);
            while let Some(other) = self.outdated.pop_first().filter(|_| wanted.len() < max_count) {
                wanted.insert(other);
            }
        } else {
            let is_all_kept = self.cache.keeps_all(last);
            let displaces = !is_all_kept && !self.cache.has_room(MAX_BLOCK);
            match self.tree_order.beside(page, self.read_ahead.group(displaces)) {
                Some(group) => wanted.extend(group),
                None => wanted.extend(self.read_ahead.around(page, is_all_kept)),
            }
        }
        wanted.retain(|other| *other == page || (*other < last && !self.cache.contains(*other)));
        let wanted: Vec<u64> = wanted.into_iter().collect();
        let found = match self.transaction {
            Transaction::Snapshot => repeated::read(&mut *self.store, &self.head, &wanted),
            _ => self.store.read(&wanted),
        };
        let found = found.map_err(|error| self.fail(error))?;
        for (page, content) in found {
            if content.len() != PAGE_BYTES {
                let text = format!("page {page} of the store has {} bytes, not {PAGE_BYTES}", content.len());
                return Err(HostError::Io(text));
            }
            self.keep(page, content);
        }
        if !self.cache.contains(page) {
            self.cache.insert(page, vec![0; PAGE_BYTES]);
        }
        Ok(())
    }

    /// Keeps a page as the transaction sees it.
    fn keep(&mut self, page: u64, content: Vec<u8>) {
        self.outdated.remove(&page);
        self.tree_order.note(page, &content);
        self.cache.insert(page, content);
    }

    /// A snapshot for reading on after a commit: only of what was committed.
    fn read_again(&mut self) -> Result<(), HostError> {
        let head = self.store.head(None).map_err(|error| self.fail(error))?;
        if head != self.head {
            self.store.end();
            let error = HostError::Io("another program wrote the database while it was read".to_owned());
            self.transaction = Transaction::Broken(error.clone());
            return Err(error);
        }
        self.transaction = Transaction::Snapshot;
        Ok(())
    }

    fn fail(&mut self, error: StoreError) -> HostError {
        let error = HostError::from(error);
        self.store.end();
        self.dirty.clear();
        self.transaction = Transaction::Broken(error.clone());
        error
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.store.end();
    }
}
