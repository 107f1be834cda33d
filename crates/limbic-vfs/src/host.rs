//! The interface between the VFS and its host: byte files, sleep, time, random bytes, process identity.

use std::fmt;

use rsqlite_vfs::LockLevel;

use crate::FileSystem;

/// An error of a host. Callers distinguish these cases; everything else is [`HostError::Io`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The file or its folder does not exist.
    #[error("no such file or folder")]
    NotFound,
    /// Permission denied, or the file system is read-only.
    #[error("permission denied")]
    Denied,
    /// A folder exists where a file was expected.
    #[error("it is a folder")]
    IsDirectory,
    /// The disk or the user's quota is full, or the file would become too large.
    #[error("the disk is full")]
    Full,
    /// The file to create exists, or the folder to delete is not empty.
    #[error("it already exists")]
    Exists,
    /// The file system does not support the operation, for example hard links.
    #[error("the file system does not support it")]
    Unsupported,
    /// Another file is at the path of an open database, or none.
    #[error("the file was moved or replaced while it was open")]
    Moved,
    /// The database has several names, whose locks would not exclude each other.
    #[error(
        "the file has another name (hard link), and each name would have its own locks; remove the other name, or copy the file"
    )]
    ManyNames,
    /// The database alone is mounted, so that the folder beside it is another than that of its other path.
    #[error(
        "only the file is mounted, so its locks would be separate from those at its other path; mount its folder"
    )]
    FileMount,
    /// The database was written while it was read without a lock.
    #[error("another program wrote the file while it was read")]
    Changed,
    /// The key or the passphrase is not that of the database.
    #[error(
        "the key or passphrase does not open the file: it belongs to another database, or the file is not an encrypted database"
    )]
    WrongKey,
    /// A key was given for a database that is not encrypted.
    #[error("the database is not encrypted")]
    NotEncrypted,
    /// A page of an encrypted database is not as it was written.
    #[error("page {0} of the encrypted database is damaged")]
    Damaged(u32),
    /// Other machines may write the disk, and their locks are unreliable there.
    #[error(
        "other machines may write {mount}, which is on {name}, and locks are reliable on a disk of this machine only; move the database to a local disk"
    )]
    SharedDisk {
        /// The type of the file system.
        name: String,
        /// Where it is mounted.
        mount: String,
    },
    /// Another machine holds the lock folder, and it is unknown whether it is still running.
    #[error("another machine has the database open or ended without closing it: {0}")]
    HeldElsewhere(String),
    /// A commit was sent, and it is unknown whether it took effect.
    #[error("{0}")]
    OutcomeUnknown(String),
    /// The lock was another transaction's for as long as this one waits for it.
    #[error("another transaction holds the lock")]
    Busy,
    /// A server ended a read that was in the way of its other work. It may be repeated.
    #[error("{0}")]
    Cancelled(String),
    /// Any other failure, with the host's message.
    #[error("{0}")]
    Io(String),
}

/// The mode in which to open a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// An existing file, for reading.
    Read,
    /// An existing file, for reading and writing.
    Write,
    /// For reading and writing; created with mode 0600 if it does not exist.
    Create,
    /// For reading and writing; [`HostError::Exists`] if it exists.
    CreateNew,
}

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stat {
    /// Length in bytes.
    pub size: u64,
    /// Whether it is a regular file; the size of a folder is meaningless.
    pub is_file: bool,
    /// When its entry last changed (`st_ctime`), in milliseconds, compared for equality only. Writing changes it, and
    /// so does creating or removing a hard link, except with the native host on Windows.
    pub changed_millis: f64,
    /// Distinguishes this file from a later one of the same name.
    pub id: u64,
    /// The file itself, whichever of its names leads to it.
    pub inode: Inode,
    /// How many names (hard links) it has.
    pub links: u64,
}

/// Identifies a file, whichever of its names it was opened by, as long as it is open or has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inode {
    /// The file system.
    pub device: u64,
    /// The file within it: the inode's number, on Windows the file's index.
    pub number: u64,
}

/// The state of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessState {
    /// It has ended, or is a zombie without threads, and will never access a file again.
    Gone,
    /// It is running or stopped and started at this time, in the platform's format.
    Running(String),
    /// It may be running; its start time is unknown.
    Unknown,
}

/// Whether the process that created a beacon still holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeaconState {
    /// Its owner is running or stopped.
    Held,
    /// Its owner has ended, or runs under another kernel.
    Released,
    /// There is no beacon, or it cannot be opened.
    Unknown,
}

/// A guard: its resource is held until it is dropped.
pub trait Held: Send {}

impl<T: Send> Held for T {}

/// The identity of a process, which other processes can check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Process id.
    pub pid: u32,
    /// Start time of the process, in the format of [`Host::process`]; empty if unknown.
    pub start: String,
    /// Name of the machine.
    pub machine: String,
    /// Boot id; empty if unknown.
    pub boot: String,
    /// The PID namespace, such as that of a container.
    pub space: String,
    /// The part of the process, which may end before the process does: a wasm instance that has trapped.
    pub instance: String,
}

/// An open file.
pub trait HostFile: Send {
    /// Reads at most `buffer.len()` bytes at `offset`; fewer only at the end of the file.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError>;
    /// Writes all of `bytes` at `offset`, extending the file if necessary.
    ///
    /// # Errors
    /// [`HostError::Full`], [`HostError::Io`]; a part may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError>;
    /// Sets the length.
    ///
    /// # Errors
    /// [`HostError::Full`], [`HostError::Io`].
    fn truncate(&self, size_bytes: u64) -> Result<(), HostError>;
    /// Returns when all writes, and the length, would survive a power failure. Other metadata need not: file systems
    /// with a journal would write the time of the last change with each sync, which takes as long as the rest.
    /// PostgreSQL syncs its log in this way on Linux, and SQLite its files if it is compiled with `HAVE_FDATASYNC`.
    ///
    /// # Errors
    /// [`HostError::Io`]; writes since the last successful sync may be lost.
    fn sync(&self) -> Result<(), HostError>;
    /// Length in bytes.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn size(&self) -> Result<u64, HostError>;
    /// Which file is open, whatever became of its name.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn inode(&self) -> Result<Inode, HostError>;
    /// The locks of this connection, if the host coordinates connections itself; without them lock files beside the
    /// database do. Called once, for a database file.
    fn locks(&self) -> Option<Box<dyn Locks>> {
        None
    }
}

/// The locks of one connection on one database, as SQLite asks for them: lock files, or the locks of a host that
/// coordinates its connections itself, such as a database server, or that has one connection only.
pub trait Locks: Send {
    /// Raises the level, as `xLock`. Returns false if another connection prevents it: SQLite then waits and tries
    /// again.
    ///
    /// # Errors
    /// Any [`HostError`]; the level is unchanged.
    fn lock(&mut self, level: LockLevel) -> Result<bool, HostError>;

    /// Lowers the level, as `xUnlock`.
    ///
    /// It reports no failure: SQLite releases the locks of a transaction after it has committed, and would report a
    /// failure as that of the commit.
    fn unlock(&mut self, level: LockLevel);

    /// Whether any connection is at RESERVED or above, as `xCheckReservedLock`; `None` if that is uncertain.
    ///
    /// With "yes", SQLite takes it that a journal belongs to a writer at work and needs no rollback. As long as it is
    /// uncertain whether that writer lives, the only safe answer is BUSY.
    ///
    /// # Errors
    /// Any [`HostError`].
    fn check_reserved(&mut self) -> Result<Option<bool>, HostError>;

    /// To be called before the database or its journal is written: fails if the locks may no longer be this
    /// connection's.
    ///
    /// # Errors
    /// [`HostError::Io`]: they are not.
    fn confirm_write(&mut self) -> Result<(), HostError>;

    /// To be called after the database was read, and before the bytes are used: a lock that is held afterwards was held
    /// while they were read.
    ///
    /// # Errors
    /// [`HostError::Io`] and [`HostError::Changed`]: it is not.
    fn confirm_read(&mut self) -> Result<(), HostError>;

    /// To be called before a step of a commit, such as writing the journal, and before a rollback relies on the
    /// journal: checks the locks whenever the last check was.
    ///
    /// # Errors
    /// As [`Locks::confirm_write`].
    fn confirm_step(&mut self) -> Result<(), HostError>;

    /// Checks that the file at the database's path is the one that is open, and has no other name.
    ///
    /// # Errors
    /// [`HostError::Moved`], [`HostError::ManyNames`].
    fn require_in_place(&self) -> Result<(), HostError>;
}

/// A host of byte files. Paths are UTF-8, in the host's own form, as [`Host::real_path`] returns them; `/`
/// joins a folder and a name on every platform.
pub trait Host: Send + Sync {
    /// Opens a file. A folder is [`HostError::IsDirectory`] in every mode.
    ///
    /// # Errors
    /// Any [`HostError`].
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError>;
    /// Metadata of `path`; `None` if it does not exist.
    ///
    /// # Errors
    /// [`HostError::Denied`], [`HostError::Io`].
    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError>;
    /// Whether this user may read (and, if `write`, also write) `path`; false if it does not exist.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn may(&self, path: &str, write: bool) -> Result<bool, HostError>;
    /// Removes a file's name.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if it does not exist; any other.
    fn delete(&self, path: &str) -> Result<(), HostError>;
    /// The absolute path with links resolved; the last component need not exist.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if the folder does not exist; any other.
    fn real_path(&self, path: &str) -> Result<String, HostError>;
    /// Returns when the entries created and removed in this folder would survive a power failure. Succeeds on a
    /// platform without this operation.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn sync_folder(&self, path: &str) -> Result<(), HostError>;
    /// Creates a folder with mode 0700 and its parents; succeeds if it exists.
    ///
    /// # Errors
    /// [`HostError::Denied`], [`HostError::Full`], [`HostError::Exists`] if a file has this path.
    fn create_folder(&self, path: &str) -> Result<(), HostError>;
    /// Removes an empty folder.
    ///
    /// # Errors
    /// [`HostError::Exists`] when it is not empty; any other.
    fn delete_folder(&self, path: &str) -> Result<(), HostError>;
    /// The entries of a folder in any order. An entry that exists during the whole call is included.
    ///
    /// # Errors
    /// [`HostError::NotFound`]; any other.
    fn list(&self, path: &str) -> Result<Vec<String>, HostError>;
    /// Creates a file with mode 0600 and this content; need not be atomic or durable.
    ///
    /// # Errors
    /// [`HostError::Exists`] if the path exists; any other.
    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError>;
    /// Creates a hard link `to` to the file `from`, atomically.
    ///
    /// # Errors
    /// [`HostError::Exists`] if `to` exists, [`HostError::NotFound`] if `from` or the folder does not,
    /// [`HostError::Unsupported`] without hard links.
    fn link(&self, from: &str, to: &str) -> Result<(), HostError>;
    /// Gives a file another name, atomically, in place of the file that has it. Both are in one folder.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if there is no file `from`; any other.
    fn rename(&self, _from: &str, _to: &str) -> Result<(), HostError> {
        Err(HostError::Unsupported)
    }
    /// Gives the file `to` the owner, the group and the mode of the file `from`. Does nothing on a platform without
    /// them.
    ///
    /// # Errors
    /// [`HostError::Denied`] if this user may not give a file away; any other.
    fn copy_owner(&self, _from: &str, _to: &str) -> Result<(), HostError> {
        Ok(())
    }
    /// The content of a small file.
    ///
    /// # Errors
    /// [`HostError::NotFound`]; any other.
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError>;

    /// Creates a beacon, such as a named pipe that is open for reading, which every process of this kernel sees as held
    /// until the result is dropped or this process ends.
    ///
    /// # Errors
    /// [`HostError::Unsupported`] and [`HostError::Denied`] where beacons are not available; any other.
    fn hold_beacon(&self, _path: &str) -> Result<Box<dyn Held>, HostError> {
        Err(HostError::Unsupported)
    }
    /// Whether a beacon is held.
    fn beacon(&self, _path: &str) -> BeaconState {
        BeaconState::Unknown
    }

    /// The type of the file system on which this folder is; `None` if the platform does not report it.
    fn file_system(&self, _path: &str) -> Option<FileSystem> {
        None
    }

    /// Blocks this thread.
    fn sleep_micros(&self, micros: u64);
    /// Milliseconds since 1970, UTC.
    fn now_millis(&self) -> i64;
    /// Milliseconds of a monotonic clock that runs while the machine is suspended.
    fn monotonic_millis(&self) -> f64;
    /// Fills the buffer with unpredictable bytes.
    fn fill_random(&self, buffer: &mut [u8]);

    /// The identity of this process. Called once per connection.
    fn identity(&self) -> Identity;
    /// The state of the process `pid` of this machine, boot and namespace. `thorough` permits starting a program to
    /// find out; without it the result may be [`ProcessState::Unknown`].
    fn process(&self, pid: u32, thorough: bool) -> ProcessState;
    /// Whether this instance of this process has ended, so that its locks are stale.
    fn instance_ended(&self, _instance: &str) -> bool {
        false
    }
}

impl fmt::Debug for dyn Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Host")
    }
}

/// The parent folder of a path. That of a file at the root of a drive keeps its separator: `C:` would be the current
/// folder of the drive.
#[must_use]
pub fn folder_of(path: &str) -> &str {
    let is_separator = |c| c == '/' || (cfg!(any(windows, target_arch = "wasm32")) && c == '\\');
    match path.rfind(is_separator) {
        Some(0) => "/",
        Some(2) if is_separator('\\') && path.as_bytes()[1] == b':' => &path[..3],
        Some(end) => &path[..end],
        None => ".",
    }
}
