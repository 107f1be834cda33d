//! What surrounds the VFS: byte files, sleep, time, random bytes and the identity of this process.

use std::fmt;

/// Why a host could not do what it was asked. These are the distinctions that callers act on; everything else
/// is [`HostError::Io`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Neither the file nor, possibly, its folder is there.
    #[error("nothing is there")]
    NotFound,
    /// The operating system does not let this user do it, or the file system is read-only.
    #[error("permission was denied")]
    Denied,
    /// A folder stands where a file was expected.
    #[error("it is a folder")]
    IsDirectory,
    /// The disk or the user's quota is full, or the file would become too large.
    #[error("the disk is full")]
    Full,
    /// Something is there that was to be created, or a folder to be deleted is not empty.
    #[error("it already exists")]
    Exists,
    /// The file system has no such operation (hard links, for example).
    #[error("the file system does not support it")]
    Unsupported,
    /// Any other failure, in the host's own words.
    #[error("{0}")]
    Io(String),
}

/// How a file is to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// An existing file, for reading.
    Read,
    /// An existing file, for reading and writing.
    Write,
    /// For reading and writing; created with mode 0600 when it is not there.
    Create,
    /// For reading and writing; [`HostError::Exists`] when it is there.
    CreateNew,
}

/// What is known about a file without opening it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stat {
    /// Length in bytes.
    pub size: u64,
    /// Whether it is a plain file; a folder has no meaningful size.
    pub is_file: bool,
    /// When its entry last changed (`st_ctime`), in milliseconds, compared for equality only. Creating or
    /// removing a hard link changes it.
    pub changed_millis: f64,
    /// Tells this very file from another that later bears the same name.
    pub id: u64,
}

/// Whether a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessState {
    /// It is gone, or a zombie without threads: it will never touch a file again.
    Gone,
    /// It runs (or is stopped) and began at this time, in whatever form the platform tells it.
    Running(String),
    /// It may run; when it began cannot be known.
    Unknown,
}

/// Who this process is, in terms that other processes can check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Process id.
    pub pid: u32,
    /// When the process began, as [`Host::process`] would tell it; empty where that is unknown.
    pub start: String,
    /// Name of the machine.
    pub machine: String,
    /// Differs after each boot; empty where that is unknown.
    pub boot: String,
    /// The set of processes in which `pid` means something (a container has its own).
    pub space: String,
    /// Which part of the process: a part may end while the process lives on (a wasm instance that trapped).
    pub instance: String,
}

/// An open file.
pub trait HostFile: Send {
    /// Reads at most `buffer.len()` bytes at `offset`; fewer only at the end of the file.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError>;
    /// Writes all of `bytes` at `offset`, lengthening the file if need be.
    ///
    /// # Errors
    /// [`HostError::Full`], [`HostError::Io`]; a part may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError>;
    /// Sets the length.
    ///
    /// # Errors
    /// [`HostError::Full`], [`HostError::Io`].
    fn truncate(&self, size_bytes: u64) -> Result<(), HostError>;
    /// Returns when what was written would survive a power failure. `data_only` leaves out times and the like.
    ///
    /// # Errors
    /// [`HostError::Io`]; what was written since the last success may be lost.
    fn sync(&self, data_only: bool) -> Result<(), HostError>;
    /// Length in bytes.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn size(&self) -> Result<u64, HostError>;
}

/// A host of byte files. Paths are UTF-8, in the host's own form, as [`Host::real_path`] returns them; `/`
/// joins a folder and a name on every platform.
pub trait Host: Send + Sync {
    /// Opens a file. A folder is [`HostError::IsDirectory`] in every mode.
    ///
    /// # Errors
    /// Any [`HostError`].
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError>;
    /// What stands at `path`; `None` when nothing does.
    ///
    /// # Errors
    /// [`HostError::Denied`], [`HostError::Io`].
    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError>;
    /// Whether this user may read (or, if `write`, also write) what stands at `path`; false when nothing does.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn may(&self, path: &str, write: bool) -> Result<bool, HostError>;
    /// Removes a file's name.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when nothing is there; any other.
    fn delete(&self, path: &str) -> Result<(), HostError>;
    /// The absolute path without links; the last part need not exist.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when the folder is not there; any other.
    fn real_path(&self, path: &str) -> Result<String, HostError>;
    /// Returns when names created and removed in this folder would survive a power failure. A platform that
    /// cannot do this succeeds.
    ///
    /// # Errors
    /// [`HostError::Io`].
    fn sync_folder(&self, path: &str) -> Result<(), HostError>;
    /// Makes a folder with mode 0700, and the folders above it; succeeds when it is there.
    ///
    /// # Errors
    /// [`HostError::Denied`], [`HostError::Full`], [`HostError::Exists`] when a file stands there.
    fn create_folder(&self, path: &str) -> Result<(), HostError>;
    /// Removes an empty folder.
    ///
    /// # Errors
    /// [`HostError::Exists`] when it is not empty; any other.
    fn delete_folder(&self, path: &str) -> Result<(), HostError>;
    /// The names in a folder, in any order. A name that is there during the whole call is in the list.
    ///
    /// # Errors
    /// [`HostError::NotFound`]; any other.
    fn list(&self, path: &str) -> Result<Vec<String>, HostError>;
    /// Creates a file with mode 0600 and this content; need not be atomic or durable.
    ///
    /// # Errors
    /// [`HostError::Exists`] when something is there; any other.
    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError>;
    /// Gives the file `from` a second name, atomically.
    ///
    /// # Errors
    /// [`HostError::Exists`] when `to` is there, [`HostError::NotFound`] when `from` or the folder is not,
    /// [`HostError::Unsupported`] where there are no hard links.
    fn link(&self, from: &str, to: &str) -> Result<(), HostError>;
    /// The content of a small file.
    ///
    /// # Errors
    /// [`HostError::NotFound`]; any other.
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError>;

    /// Lets this thread wait.
    fn sleep_micros(&self, micros: u64);
    /// Milliseconds since 1970, UTC.
    fn now_millis(&self) -> i64;
    /// Milliseconds on a clock that never jumps and does not run while the machine sleeps.
    fn monotonic_millis(&self) -> f64;
    /// Fills the buffer with unpredictable bytes.
    fn fill_random(&self, buffer: &mut [u8]);

    /// Who this process is. Asked once for each connection.
    fn identity(&self) -> Identity;
    /// Whether the process `pid` of this machine, boot and process space runs. `thorough` allows an expensive
    /// look (starting a program); without it [`ProcessState::Unknown`] may be the answer.
    fn process(&self, pid: u32, thorough: bool) -> ProcessState;
    /// Whether this instance of this very process has ended, so that its locks are nobody's.
    fn instance_ended(&self, _instance: &str) -> bool {
        false
    }
}

impl fmt::Debug for dyn Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Host")
    }
}
