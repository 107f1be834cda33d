//! Open files of the VFS.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, Mutex},
};

use rsqlite_vfs::{
    DeviceCharacteristics, LockLevel, MemChunksFile, SyncOptions, VfsError, VfsFile, VfsResult,
};

use crate::{
    Host, HostFile,
    error::{Operation, failed},
    lock::Locks,
};

/// Journals whose directory entries this process has synced, with the [`crate::Stat::id`] of the file.
pub(crate) type Durable = Arc<Mutex<HashMap<String, u64>>>;

/// A file of the host, or a temporary one, which lives in memory.
pub enum File {
    /// In memory.
    Temporary(MemChunksFile),
    /// On the host.
    Stored(Box<Stored>),
}

/// A file of the host.
pub struct Stored {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) path: String,
    pub(crate) file: Box<dyn HostFile>,
    /// The locks of a database. A journal has none, because it is accessed under the database's lock; neither has a database
    /// that this process cannot write.
    pub(crate) locks: Option<RefCell<Locks>>,
    /// Whether the folder must be synced with the file, because the file may be new.
    pub(crate) sync_folder: bool,
    pub(crate) durable: Durable,
}

impl Stored {
    fn fail(&self, doing: Operation) -> impl FnOnce(crate::HostError) -> VfsError {
        let path = self.path.clone();
        move |error| failed(doing, &path, error)
    }

    fn write(&mut self, bytes: &[u8], offset: u64) -> VfsResult<()> {
        self.confirm(Operation::Write)?;
        self.file.write_at(bytes, offset).map_err(self.fail(Operation::Write))
    }

    fn confirm(&mut self, doing: Operation) -> VfsResult<()> {
        let Some(locks) = &mut self.locks else { return Ok(()) };
        locks.get_mut().confirm().map_err(|error| failed(doing, &self.path, error))
    }

    fn sync(&mut self, options: SyncOptions) -> VfsResult<()> {
        self.file.sync(options.data_only).map_err(self.fail(Operation::Sync))?;
        if !self.sync_folder {
            return Ok(());
        }
        self.host.sync_folder(folder_of(&self.path)).map_err(self.fail(Operation::SyncFolder))?;
        self.sync_folder = false;
        if let Ok(Some(stat)) = self.host.stat(&self.path) {
            lock(&self.durable).insert(self.path.clone(), stat.id);
        }
        Ok(())
    }
}

impl File {
    fn locks(&self) -> Option<&RefCell<Locks>> {
        match self {
            File::Temporary(_) => None,
            File::Stored(stored) => stored.locks.as_ref(),
        }
    }
}

impl VfsFile for File {
    fn read(&mut self, buffer: &mut [u8], offset: u64) -> VfsResult<usize> {
        match self {
            File::Temporary(file) => file.read(buffer, offset),
            File::Stored(stored) => stored.file.read_at(buffer, offset).map_err(stored.fail(Operation::Read)),
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

    fn sync(&mut self, options: SyncOptions) -> VfsResult<()> {
        match self {
            File::Temporary(_) => Ok(()),
            File::Stored(stored) => stored.sync(options),
        }
    }

    fn size(&self) -> VfsResult<u64> {
        match self {
            File::Temporary(file) => file.size(),
            File::Stored(stored) => stored.file.size().map_err(stored.fail(Operation::Size)),
        }
    }

    fn lock(&mut self, level: LockLevel) -> VfsResult<()> {
        self.locks().map_or(Ok(()), |locks| locks.borrow_mut().lock(level))
    }

    fn unlock(&mut self, level: LockLevel) -> VfsResult<()> {
        if let Some(locks) = self.locks() {
            locks.borrow_mut().unlock(level);
        }
        Ok(())
    }

    fn check_reserved_lock(&self) -> VfsResult<bool> {
        self.locks().map_or(Ok(false), |locks| locks.borrow_mut().check_reserved())
    }

    /// As on unix: an interrupted write damages no bytes outside its range.
    fn device_characteristics(&self) -> DeviceCharacteristics {
        DeviceCharacteristics::POWERSAFE_OVERWRITE
    }
}

/// The parent folder of a path.
pub(crate) fn folder_of(path: &str) -> &str {
    let is_separator = |c| c == '/' || (cfg!(any(windows, target_arch = "wasm32")) && c == '\\');
    match path.rfind(is_separator) {
        Some(0) => "/",
        Some(end) => &path[..end],
        None => ".",
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The guarded values are consistent between any two statements.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
