//! Opens, deletes and checks files for SQLite.

use std::{
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use rsqlite_vfs::{
    AccessMode, FileKind, MemChunksFile, OpenAccess, OpenOptions, OpenRequest, OpenedFile, OsCallback,
    SQLiteIoMethods, SQLiteVfs, VfsError, VfsResult, VfsStore,
};

use crate::{
    Host, HostError, HostFile, Inode, OpenMode,
    encryption::{DatabaseCipher, EncryptedDatabase, EncryptedJournal},
    error::{Operation, failed, last_failure},
    file::{File, Stored},
    folder_of,
    lock::{LockFiles, wait},
    mounts::{self, Disk},
    mutex::lock,
    opened::{Opened, SharedLocks, Writer},
    write_buffer::WriteBuffer,
};

/// The state of a registered VFS: what its connection, if it has one, was opened with.
pub(crate) struct Data {
    opened: Mutex<Weak<Opened>>,
}

impl Data {
    pub fn new(opened: &Arc<Opened>) -> Data {
        Data { opened: Mutex::new(Arc::downgrade(opened)) }
    }

    /// Gives the VFS to another connection. False if the present one has open files, or is being opened.
    pub fn claim(&self, opened: &Arc<Opened>) -> bool {
        let mut present = lock(&self.opened);
        let is_free = present.strong_count() == 0;
        if is_free {
            *present = Arc::downgrade(opened);
        }
        is_free
    }

    /// `None` after the connection was closed.
    fn opened(&self) -> Option<Arc<Opened>> {
        lock(&self.opened).upgrade()
    }

    fn opened_for(&self, doing: Operation, path: &str) -> VfsResult<Arc<Opened>> {
        self.opened().ok_or_else(|| failed(doing, path, HostError::Io("the database is closed".to_owned())))
    }
}

impl Opened {
    fn open(self: &Arc<Self>, path: &str, options: OpenOptions) -> VfsResult<OpenedFile<File>> {
        let host = &self.host;
        let journal =
            matches!(options.kind(), Some(FileKind::MainJournal | FileKind::SuperJournal | FileKind::Wal));
        let doing = if journal { Operation::OpenJournal } else { Operation::Open };
        let is_database = options.kind() == Some(FileKind::MainDb);
        let disk = if is_database {
            // Before a file is created.
            mounts::require_local(&**host, path, self.access.accepts_shared_disks)
                .map_err(|error| failed(doing, path, error))?
        } else {
            Disk::Local
        };
        let writer = if is_database { None } else { self.writer(path) };
        let is_orphan = writer.is_none() && options.access() != OpenAccess::ReadOnly;
        if is_orphan && holds_pages(options.kind()) && self.access.secret.is_some() {
            return Err(failed(doing, path, HostError::Io(NO_CONNECTION.to_owned())));
        }
        let (file, access) =
            open_as_allowed(&**host, path, options).map_err(|error| failed(doing, path, error))?;
        let (locks, cipher, access) = if is_database {
            let cipher = self.cipher(&*file, path).map_err(|error| failed(doing, path, error))?;
            match file.locks() {
                Some(locks) => (Some(Arc::new(Mutex::new(locks))), cipher, access),
                None => {
                    let inode = file.inode().map_err(|error| failed(doing, path, error))?;
                    let (locks, access) = lock_files(host, path, inode, disk, access)?;
                    if let (Some(shared), OpenAccess::ReadOnly) = (&locks, access) {
                        // No connection of this process writes it, and this one distinguishes a journal that is
                        // left from one being written.
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
        let stored = Stored {
            path: path.to_owned(),
            file,
            locks,
            is_database,
            cipher,
            sync_folder,
            ends_transaction: false,
            opened: self.clone(),
        };
        Ok(OpenedFile { file: File::Stored(Box::new(stored)), access })
    }

    /// Returns the state that a journal shares with the connection that writes it. An ended connection has no journal.
    fn writer(&self, path: &str) -> Option<(SharedLocks, Option<Arc<DatabaseCipher>>)> {
        let database = path.strip_suffix("-journal").or_else(|| path.strip_suffix("-wal"))?;
        let writers = lock(&self.writers);
        let writer = writers.get(database)?;
        Some((writer.locks.upgrade()?, writer.cipher.clone()))
    }

    /// The cipher of a database, if there is a secret, which must be its own.
    fn cipher(&self, file: &dyn HostFile, path: &str) -> Result<Option<Arc<DatabaseCipher>>, HostError> {
        let Some(secret) = self.access.secret.clone() else { return Ok(None) };
        let cipher = DatabaseCipher::new(secret, self.host.clone());
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

/// Opens the locks of a database. A database is watched instead, and read-only, if lock files are not permitted and
/// this user cannot write it: the file is read-only, or its folder does not permit a journal.
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
            Some(name) => data.opened_for(Operation::Open, name.path())?.open(name.path(), request.options),
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
        let opened = data.opened_for(Operation::Access, path)?;
        let host = &opened.host;
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
        let opened = data.opened_for(Operation::Open, name)?;
        opened.host.real_path(name).map_err(|error| failed(Operation::Open, name, error))
    }

    /// Always syncs the folder. SQLite does not request it at `synchronous=FULL`, and a journal that reappears after a
    /// power failure would roll back an acknowledged transaction.
    fn delete_file(data: &Arc<Data>, path: &str, _sync_folder: bool) -> VfsResult<()> {
        let opened = data.opened_for(Operation::Delete, path)?;
        let host = &opened.host;
        lock(&opened.durable).remove(path);
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
        if let Some(opened) = self.opened() {
            wait::sleep(&*opened.host, u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
        }
    }

    fn random(&self, buffer: &mut [u8]) -> usize {
        let Some(opened) = self.opened() else { return 0 };
        opened.host.fill_random(buffer);
        buffer.len()
    }

    fn epoch_timestamp_in_ms(&self) -> VfsResult<i64> {
        self.opened_for(Operation::Access, "the clock").map(|opened| opened.host.now_millis())
    }
}
