//! Opens, deletes and checks files for SQLite.

use std::{
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rsqlite_vfs::{
    AccessMode, FileKind, MemChunksFile, OpenAccess, OpenOptions, OpenRequest, OpenedFile, OsCallback,
    SQLiteIoMethods, SQLiteVfs, VfsError, VfsResult, VfsStore,
};

use crate::{
    Host, HostError, HostFile, Inode, OpenMode,
    encryption::{DatabaseCipher, EncryptedDatabase, EncryptedJournal, Secret},
    error::{Operation, failed, last_failure},
    file::{Durable, File, SharedLocks, Stored, Writer, Writers},
    folder_of,
    lock::{LockFiles, wait},
    mounts::{self, Disk},
    mutex::lock,
    write_buffer::WriteBuffer,
};

/// The state of a registered VFS.
pub(crate) struct Data {
    host: RwLock<Arc<dyn Host>>,
    /// Whether databases on disks that other machines may write are opened.
    accepts_shared_disks: AtomicBool,
    /// What opens the databases, if they are encrypted.
    secret: Mutex<Option<Secret>>,
    durable: Durable,
    writers: Writers,
}

impl Data {
    pub fn new(host: Arc<dyn Host>, accepts_shared_disks: bool, secret: Option<Secret>) -> Data {
        Data {
            host: RwLock::new(host),
            accepts_shared_disks: AtomicBool::new(accepts_shared_disks),
            secret: Mutex::new(secret),
            durable: Durable::default(),
            writers: Writers::default(),
        }
    }

    pub fn host(&self) -> Arc<dyn Host> {
        self.host.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Replaces the host and the secret. Open files keep theirs.
    pub fn replace_host(&self, host: Arc<dyn Host>, accepts_shared_disks: bool, secret: Option<Secret>) {
        self.accepts_shared_disks.store(accepts_shared_disks, Ordering::Relaxed);
        *lock(&self.secret) = secret;
        *self.host.write().unwrap_or_else(std::sync::PoisonError::into_inner) = host;
        lock(&self.durable).clear();
        lock(&self.writers).clear();
    }

    fn open(&self, path: &str, options: OpenOptions) -> VfsResult<OpenedFile<File>> {
        let host = self.host();
        let journal =
            matches!(options.kind(), Some(FileKind::MainJournal | FileKind::SuperJournal | FileKind::Wal));
        let doing = if journal { Operation::OpenJournal } else { Operation::Open };
        let is_database = options.kind() == Some(FileKind::MainDb);
        let disk = if is_database {
            // Before a file is created.
            let accepts_shared = self.accepts_shared_disks.load(Ordering::Relaxed);
            mounts::require_local(&*host, path, accepts_shared).map_err(|error| failed(doing, path, error))?
        } else {
            Disk::Local
        };
        let writer = if is_database { None } else { self.writer(path) };
        let is_orphan = writer.is_none() && options.access() != OpenAccess::ReadOnly;
        if is_orphan && holds_pages(options.kind()) && lock(&self.secret).is_some() {
            return Err(failed(doing, path, HostError::Io(NO_CONNECTION.to_owned())));
        }
        let (file, access) =
            open_as_allowed(&*host, path, options).map_err(|error| failed(doing, path, error))?;
        let (locks, cipher, access) = if is_database {
            let cipher = self.cipher(&host, &*file, path).map_err(|error| failed(doing, path, error))?;
            match file.locks() {
                Some(locks) => (Some(Arc::new(Mutex::new(locks))), cipher, access),
                None => {
                    let inode = file.inode().map_err(|error| failed(doing, path, error))?;
                    let (locks, access) = lock_files(&host, path, inode, disk, access)?;
                    if let (Some(shared), OpenAccess::ReadOnly) = (&locks, access) {
                        // No connection of this process writes it, and this one tells a journal that is left from one
                        // being written.
                        let writer = Writer { locks: Arc::downgrade(shared), cipher: cipher.clone() };
                        lock(&self.writers).insert(path.to_owned(), writer);
                    }
                    (locks, cipher, access)
                }
            }
        } else {
            let (locks, cipher) = writer.unzip();
            (locks, cipher.flatten(), access)
        };
        if cipher.is_some() && options.kind() == Some(FileKind::Wal) {
            return Err(failed(doing, path, HostError::Unsupported));
        }
        let sync_folder = options.create() && access == OpenAccess::ReadWrite && {
            let id = host.stat(path).map_err(|error| failed(doing, path, error))?.map(|stat| stat.id);
            id.is_none() || lock(&self.durable).get(path).copied() != id
        };
        let file = if journal { Box::new(WriteBuffer::new(file, locks.clone())) } else { file };
        let file: Box<dyn HostFile> = match cipher.clone() {
            None => file,
            Some(cipher) if is_database => Box::new(EncryptedDatabase::new(file, cipher)),
            Some(cipher) => Box::new(EncryptedJournal::new(file, cipher)),
        };
        let (durable, writers, path) = (self.durable.clone(), self.writers.clone(), path.to_owned());
        let stored = Stored {
            host,
            path,
            file,
            locks,
            is_database,
            cipher,
            writers,
            sync_folder,
            durable,
            ends_transaction: false,
        };
        Ok(OpenedFile { file: File::Stored(Box::new(stored)), access })
    }

    /// What the connection that writes a journal shares with it. An ended connection has no journal.
    fn writer(&self, path: &str) -> Option<(SharedLocks, Option<Arc<DatabaseCipher>>)> {
        let database = path.strip_suffix("-journal").or_else(|| path.strip_suffix("-wal"))?;
        let writers = lock(&self.writers);
        let writer = writers.get(database)?;
        Some((writer.locks.upgrade()?, writer.cipher.clone()))
    }

    /// The cipher of a database, if there is a secret, which must be its own.
    fn cipher(
        &self,
        host: &Arc<dyn Host>,
        file: &dyn HostFile,
        path: &str,
    ) -> Result<Option<Arc<DatabaseCipher>>, HostError> {
        let Some(secret) = lock(&self.secret).clone() else { return Ok(None) };
        let cipher = DatabaseCipher::new(secret, host.clone());
        cipher.require_key(file, path)?;
        Ok(Some(Arc::new(cipher)))
    }
}

/// Why a journal is not opened for writing: its pages would be plain.
const NO_CONNECTION: &str =
    "the journal of an encrypted database has no connection that writes it: open it again";

/// Whether a file that is not a database holds pages of one.
fn holds_pages(kind: Option<FileKind>) -> bool {
    matches!(kind, Some(FileKind::MainJournal | FileKind::Wal))
}

/// Opens a file for writing if requested and permitted, otherwise for reading.
fn open_as_allowed(
    host: &dyn Host,
    path: &str,
    options: OpenOptions,
) -> Result<(Box<dyn HostFile>, OpenAccess), HostError> {
    if options.access() == OpenAccess::ReadOnly {
        return Ok((host.open(path, OpenMode::Read)?, OpenAccess::ReadOnly));
    }
    let mode = match (options.create(), options.exclusive()) {
        (true, true) => OpenMode::CreateNew,
        (true, false) => OpenMode::Create,
        (false, _) => OpenMode::Write,
    };
    match host.open(path, mode) {
        Ok(file) => Ok((file, OpenAccess::ReadWrite)),
        Err(HostError::Denied) if options.kind() == Some(FileKind::MainDb) => {
            // If both fail, the first error is the more specific one.
            let file = host.open(path, OpenMode::Read).map_err(|_| HostError::Denied)?;
            Ok((file, OpenAccess::ReadOnly))
        }
        Err(error) => Err(error),
    }
}

/// Opens the locks of a database. A database is watched instead, and read-only, if lock files are not permitted and this
/// user cannot write it: the file is read-only, or its folder does not permit a journal.
fn lock_files(
    host: &Arc<dyn Host>,
    path: &str,
    inode: Inode,
    disk: Disk,
    access: OpenAccess,
) -> VfsResult<(Option<SharedLocks>, OpenAccess)> {
    match LockFiles::open(host.clone(), path, inode, disk) {
        Ok(locks) => Ok((Some(Arc::new(Mutex::new(Box::new(locks)))), access)),
        Err(HostError::Denied) if disk == Disk::Local && !may_write(&**host, path) => {
            let locks = LockFiles::watch(host.clone(), path, inode)
                .map_err(|error| failed(Operation::Open, path, error))?;
            Ok((Some(Arc::new(Mutex::new(Box::new(locks)))), OpenAccess::ReadOnly))
        }
        Err(
            error @ (HostError::Moved
            | HostError::ManyNames
            | HostError::FileMount
            | HostError::HeldElsewhere(_)),
        ) => Err(failed(Operation::Open, path, error)),
        Err(error) => Err(failed(Operation::Open, &format!("{path}-locks"), error)),
    }
}

fn may_write(host: &dyn Host, path: &str) -> bool {
    let may = |path| host.may(path, true).unwrap_or(true);
    may(path) && may(folder_of(path))
}

pub(crate) struct Store;

impl VfsStore for Store {
    type File = File;
    type AppData = Arc<Data>;

    fn last_error(_: &Arc<Data>) -> Option<VfsError> {
        let failure = last_failure()?;
        Some(failed(Operation::Open, &failure.path, failure.error))
    }

    fn open_file(data: &Arc<Data>, request: OpenRequest<'_>) -> VfsResult<OpenedFile<File>> {
        match request.filename {
            Some(name) => data.open(name.path(), request.options),
            None => Ok(OpenedFile {
                file: File::Temporary(MemChunksFile::default()),
                access: OpenAccess::ReadWrite,
            }),
        }
    }

    fn close_file(data: &Arc<Data>, name: Option<&str>, file: File, options: OpenOptions) -> VfsResult<()> {
        drop(file);
        match name {
            Some(path) if options.delete_on_close() => Self::delete_file(data, path, false),
            _ => Ok(()),
        }
    }

    fn access(data: &Arc<Data>, path: &str, mode: AccessMode) -> VfsResult<bool> {
        let host = data.host();
        let found = match mode {
            // As in SQLite's unix VFS, an empty journal counts as missing.
            AccessMode::Exists => {
                host.stat(path).map(|stat| stat.is_some_and(|stat| !stat.is_file || stat.size > 0))
            }
            AccessMode::Read => host.may(path, false),
            AccessMode::ReadWrite => host.may(path, true),
        };
        found.map_err(|error| failed(Operation::Access, path, error))
    }

    fn full_pathname(data: &Arc<Data>, name: &str) -> VfsResult<String> {
        data.host().real_path(name).map_err(|error| failed(Operation::Open, name, error))
    }

    /// Always syncs the folder. SQLite does not request it at `synchronous=FULL`, and a journal that reappears after a power
    /// failure would roll back an acknowledged transaction.
    fn delete_file(data: &Arc<Data>, path: &str, _sync_folder: bool) -> VfsResult<()> {
        let host = data.host();
        lock(&data.durable).remove(path);
        host.delete(path).map_err(|error| failed(Operation::Delete, path, error))?;
        host.sync_folder(folder_of(path)).map_err(|error| failed(Operation::SyncFolder, path, error))
    }
}

pub(crate) struct Vfs;

impl SQLiteIoMethods for Vfs {
    type Store = Store;
}

impl SQLiteVfs<Vfs> for Vfs {
    type Os = Data;
    const MAX_PATH_SIZE: i32 = 4096;

    fn os(data: &Arc<Data>) -> &Data {
        data
    }
}

impl OsCallback for Data {
    fn sleep(&self, duration: Duration) {
        wait::sleep(&*self.host(), u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
    }

    fn random(&self, buffer: &mut [u8]) -> usize {
        self.host().fill_random(buffer);
        buffer.len()
    }

    fn epoch_timestamp_in_ms(&self) -> VfsResult<i64> {
        Ok(self.host().now_millis())
    }
}
