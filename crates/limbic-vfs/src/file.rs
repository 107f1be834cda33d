//! Open files of the VFS.

use std::sync::{Arc, MutexGuard};

use rsqlite_vfs::{
    DeviceCharacteristics, LockLevel, MemChunksFile, SyncOptions, VfsError, VfsFile, VfsResult,
};

use crate::{
    HostError, HostFile, Locks,
    encryption::DatabaseCipher,
    error::{Operation, busy, failed},
    mutex::lock,
    opened::{Opened, SharedLocks, Writer},
};

/// A file of the host, or a temporary one, which lives in memory.
pub enum File {
    /// In memory.
    Temporary(MemChunksFile),
    /// On the host.
    Stored(Box<Stored>),
}

/// A file of the host.
pub struct Stored {
    pub(crate) path: String,
    pub(crate) file: Box<dyn HostFile>,
    /// The locks under which the file is accessed: those of this database, or, for a journal, of its database. A
    /// database that this process cannot write has none.
    pub(crate) locks: Option<SharedLocks>,
    pub(crate) is_database: bool,
    /// That of an encrypted database.
    pub(crate) cipher: Option<Arc<DatabaseCipher>>,
    /// Whether the folder must be synced with the file, because the file may be new.
    pub(crate) sync_folder: bool,
    /// Whether the next sync ends a transaction.
    pub(crate) ends_transaction: bool,
    /// The arguments and shared state of the connection. Dropped last.
    pub(crate) opened: Arc<Opened>,
}

/// Length of the zeros that SQLite writes over a journal's header to end a transaction.
pub(crate) const HEADER_BYTES: usize = 28;

/// Whether a write to a journal clears its header, which ends the transaction.
pub(crate) fn ends_transaction(bytes: &[u8], offset: u64) -> bool {
    offset == 0 && bytes.get(..HEADER_BYTES).is_some_and(|header| header.iter().all(|byte| *byte == 0))
}

impl Stored {
    fn fail(&self, doing: Operation) -> impl FnOnce(HostError) -> VfsError {
        let path = self.path.clone();
        move |error| failed(doing, &path, error)
    }

    fn read(&mut self, buffer: &mut [u8], offset: u64) -> VfsResult<usize> {
        let count = self.file.read_at(buffer, offset);
        if let Some(locks) = self.locks.as_ref().filter(|_| self.is_database) {
            // A page that is being written seems damaged.
            if matches!(count, Ok(_) | Err(HostError::Damaged(_))) {
                lock(locks).confirm_read().map_err(|error| failed(Operation::Read, &self.path, error))?;
            }
        }
        count.map_err(self.fail(Operation::Read))
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        self.confirm(Operation::Write)?;
        self.ends_transaction |= !self.is_database && ends_transaction(bytes, offset);
        self.file.write_at(bytes, offset).map_err(self.fail(Operation::Write))
    }

    fn confirm(&mut self, doing: Operation) -> VfsResult<()> {
        let Some(locks) = self.locks.as_ref().filter(|_| self.is_database) else { return Ok(()) };
        lock(locks).confirm_write().map_err(|error| failed(doing, &self.path, error))
    }

    /// After a step that ends a transaction: what it wrote must be in the file that others open.
    fn require_in_place(&mut self, doing: Operation) -> VfsResult<()> {
        if !std::mem::take(&mut self.ends_transaction) {
            return Ok(());
        }
        let Some(locks) = &self.locks else { return Ok(()) };
        match lock(locks).require_in_place() {
            Err(error @ HostError::Moved) => Err(failed(doing, &self.path, error)),
            // The transaction is valid: another failure must not be reported as that of the commit.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn sync(&mut self) -> VfsResult<()> {
        self.file.sync().map_err(self.fail(Operation::Sync))?;
        self.require_in_place(Operation::Sync)?;
        if !self.sync_folder {
            return Ok(());
        }
        self.opened
            .host
            .sync_folder(crate::folder_of(&self.path))
            .map_err(self.fail(Operation::SyncFolder))?;
        self.sync_folder = false;
        if let Ok(Some(stat)) = self.opened.host.stat(&self.path) {
            lock(&self.opened.durable).insert(self.path.clone(), stat.id);
        }
        Ok(())
    }
}

impl File {
    fn locks(&self) -> Option<(MutexGuard<'_, Box<dyn Locks>>, &Stored)> {
        match self {
            File::Temporary(_) => None,
            File::Stored(stored) => Some((lock(stored.locks.as_ref()?), stored)),
        }
    }
}

impl VfsFile for File {
    fn read(&mut self, buffer: &mut [u8], offset: u64) -> VfsResult<usize> {
        match self {
            File::Temporary(file) => file.read(buffer, offset),
            File::Stored(stored) => stored.read(buffer, offset),
        }
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        match self {
            File::Temporary(file) => file.write(bytes, offset),
            File::Stored(stored) => stored.write(bytes, offset),
        }
    }

    fn truncate(&mut self, size: u64) -> VfsResult<()> {
        match self {
            File::Temporary(file) => file.truncate(size),
            File::Stored(stored) => {
                stored.confirm(Operation::Truncate)?;
                stored.file.truncate(size).map_err(stored.fail(Operation::Truncate))
            }
        }
    }

    fn sync(&mut self, _: SyncOptions) -> VfsResult<()> {
        match self {
            File::Temporary(_) => Ok(()),
            File::Stored(stored) => stored.sync(),
        }
    }

    fn size(&self) -> VfsResult<u64> {
        match self {
            File::Temporary(file) => file.size(),
            File::Stored(stored) => stored.file.size().map_err(stored.fail(Operation::Size)),
        }
    }

    fn lock(&mut self, level: LockLevel) -> VfsResult<()> {
        let Some((mut locks, stored)) = self.locks() else { return Ok(()) };
        match locks.lock(level) {
            Ok(true) => {}
            Ok(false) => return Err(busy()),
            Err(error) => return Err(failed(Operation::Lock, &stored.path, error)),
        }
        if let Some(shared) = stored.locks.as_ref().filter(|_| level >= LockLevel::Reserved) {
            let writer = Writer { locks: Arc::downgrade(shared), cipher: stored.cipher.clone() };
            lock(&stored.opened.writers).insert(stored.path.clone(), writer);
        }
        Ok(())
    }

    fn unlock(&mut self, level: LockLevel) -> VfsResult<()> {
        if let Some((mut locks, _)) = self.locks() {
            locks.unlock(level);
        }
        Ok(())
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        let Some((mut locks, stored)) = self.locks() else { return Ok(false) };
        match locks.check_reserved() {
            Ok(Some(held)) => Ok(held),
            Ok(None) => Err(busy()),
            Err(error) => Err(failed(Operation::CheckReserved, &stored.path, error)),
        }
    }

    /// As on unix: an interrupted write damages no bytes outside its range.
    fn device_characteristics(&self) -> DeviceCharacteristics {
        DeviceCharacteristics::POWERSAFE_OVERWRITE
    }
}
