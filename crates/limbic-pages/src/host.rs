//! The pages of a memory as a host of limbic-vfs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use limbic_vfs::{
    Host, HostError, HostFile, Identity, Inode, LockLevel, Locks, OpenMode, ProcessState, Stat, StdHost,
};

use crate::{
    cache_size::CacheSize,
    journal::Journal,
    session::Session,
    store::{PageStore, StoreError},
};

/// Connects to the store of a memory.
pub type Connect = dyn Fn() -> Result<Box<dyn PageStore>, StoreError> + Send + Sync;

/// A host with one database: the memory of a store. Each open of it is a connection to the store.
pub struct PagesHost {
    path: String,
    cache_size: CacheSize,
    connect: Box<Connect>,
}

impl PagesHost {
    /// A host whose database has this path, which only names it.
    pub fn new(
        path: &str,
        connect: impl Fn() -> Result<Box<dyn PageStore>, StoreError> + Send + Sync + 'static,
    ) -> PagesHost {
        PagesHost { path: path.to_owned(), cache_size: CacheSize::default(), connect: Box::new(connect) }
    }

    /// Sets how much of the pages each connection keeps.
    #[must_use]
    pub fn with_cache(self, cache_size: CacheSize) -> PagesHost {
        PagesHost { cache_size, ..self }
    }
}

type Shared = Arc<Mutex<Session>>;

fn lock(session: &Shared) -> MutexGuard<'_, Session> {
    // A panic leaves a session whose transaction the store ends.
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The database of a connection.
struct Database(Shared);

impl HostFile for Database {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        lock(&self.0).read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        lock(&self.0).write_at(bytes, offset)
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        lock(&self.0).truncate(size_bytes)
    }

    fn sync(&self) -> Result<(), HostError> {
        lock(&self.0).sync()
    }

    fn size(&self) -> Result<u64, HostError> {
        lock(&self.0).size_bytes()
    }

    fn inode(&self) -> Result<Inode, HostError> {
        Ok(INODE)
    }

    fn locks(&self) -> Option<Box<dyn Locks>> {
        Some(Box::new(StoreLocks(self.0.clone())))
    }
}

/// The locks of a connection: its transaction in the store.
struct StoreLocks(Shared);

impl Locks for StoreLocks {
    fn lock(&mut self, level: LockLevel) -> Result<bool, HostError> {
        lock(&self.0).lock(level)
    }

    fn unlock(&mut self, level: LockLevel) {
        lock(&self.0).unlock(level);
    }

    /// Asked only where a journal is found, and no connection sees one.
    fn check_reserved(&mut self) -> Result<Option<bool>, HostError> {
        Ok(Some(lock(&self.0).is_writer()))
    }

    fn confirm_write(&mut self) -> Result<(), HostError> {
        lock(&self.0).confirm()
    }

    fn confirm_read(&mut self) -> Result<(), HostError> {
        lock(&self.0).confirm()
    }

    fn confirm_step(&mut self) -> Result<(), HostError> {
        lock(&self.0).confirm()
    }

    /// A memory has no path that could lead elsewhere.
    fn require_in_place(&self) -> Result<(), HostError> {
        Ok(())
    }
}

const INODE: Inode = Inode { device: 0, number: 1 };

fn no_files<T>() -> Result<T, HostError> {
    Err(HostError::Unsupported)
}

impl Host for PagesHost {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        if path == self.path {
            let store = (self.connect)().map_err(HostError::from)?;
            let session = Session::new(store, self.cache_size);
            return Ok(Box::new(Database(Arc::new(Mutex::new(session)))));
        }
        match mode {
            OpenMode::Create | OpenMode::CreateNew => Ok(Box::new(Journal::default())),
            OpenMode::Read | OpenMode::Write => Err(HostError::NotFound),
        }
    }

    /// The database exists; a journal is never found, because none has anything to roll back.
    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        let is_database = path == self.path;
        Ok(is_database.then_some(Stat {
            size: 0,
            is_file: true,
            changed_millis: 0.0,
            id: 1,
            inode: INODE,
            links: 1,
        }))
    }

    fn may(&self, path: &str, _write: bool) -> Result<bool, HostError> {
        Ok(path == self.path)
    }

    /// A journal is gone when it is closed.
    fn delete(&self, path: &str) -> Result<(), HostError> {
        if path == self.path { no_files() } else { Ok(()) }
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        Ok(path.to_owned())
    }

    fn sync_folder(&self, _path: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn create_folder(&self, _path: &str) -> Result<(), HostError> {
        no_files()
    }

    fn delete_folder(&self, _path: &str) -> Result<(), HostError> {
        no_files()
    }

    fn list(&self, _path: &str) -> Result<Vec<String>, HostError> {
        Err(HostError::NotFound)
    }

    fn create(&self, _path: &str, _content: &[u8]) -> Result<(), HostError> {
        no_files()
    }

    fn link(&self, _from: &str, _to: &str) -> Result<(), HostError> {
        no_files()
    }

    fn read(&self, _path: &str) -> Result<Vec<u8>, HostError> {
        Err(HostError::NotFound)
    }

    fn sleep_micros(&self, micros: u64) {
        StdHost.sleep_micros(micros);
    }

    fn now_millis(&self) -> i64 {
        StdHost.now_millis()
    }

    fn monotonic_millis(&self) -> f64 {
        StdHost.monotonic_millis()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        StdHost.fill_random(buffer);
    }

    fn identity(&self) -> Identity {
        StdHost.identity()
    }

    fn process(&self, pid: u32, thorough: bool) -> ProcessState {
        StdHost.process(pid, thorough)
    }
}
