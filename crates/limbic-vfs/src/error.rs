//! From a host's errors to SQLite's codes, and the memory of what failed last.

use std::cell::RefCell;

use rsqlite_vfs::{VfsError, VfsErrorCode, ffi};

use crate::HostError;

/// The last failure on this thread that SQLite was told of, in the host's terms. SQLite reports most failures
/// to open as "unable to open database file"; this says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was tried.
    pub operation: &'static str,
    /// The file or folder it was tried on.
    pub path: String,
    /// How the host failed.
    pub error: HostError,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Takes the last failure of this thread; `None` when nothing failed since it was last taken. Take it once
/// before an operation to be sure that what is found afterwards belongs to it.
#[must_use]
pub fn take_last_failure() -> Option<Failure> {
    LAST.with_borrow_mut(Option::take)
}

pub(crate) fn last_failure() -> Option<Failure> {
    LAST.with_borrow(Clone::clone)
}

/// What SQLite was about, and so which of its codes fits an [`HostError::Io`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Doing {
    Open,
    OpenJournal,
    Read,
    Write,
    Truncate,
    Sync,
    SyncFolder,
    Size,
    Access,
    Delete,
    Lock,
    Unlock,
    CheckReserved,
}

impl Doing {
    fn name(self) -> &'static str {
        match self {
            Doing::Open | Doing::OpenJournal => "open",
            Doing::Read => "read",
            Doing::Write => "write",
            Doing::Truncate => "truncate",
            Doing::Sync => "sync",
            Doing::SyncFolder => "sync the folder",
            Doing::Size => "size",
            Doing::Access => "look",
            Doing::Delete => "delete",
            Doing::Lock => "lock",
            Doing::Unlock => "unlock",
            Doing::CheckReserved => "check the lock",
        }
    }

    fn code(self, error: &HostError) -> VfsErrorCode {
        match (self, error) {
            (_, HostError::Full) => VfsErrorCode::Full,
            (Doing::OpenJournal, HostError::Denied) => raw(ffi::SQLITE_READONLY_DIRECTORY),
            (Doing::Open | Doing::OpenJournal, HostError::IsDirectory) => raw(ffi::SQLITE_CANTOPEN_ISDIR),
            (Doing::Open | Doing::OpenJournal, HostError::Io(_)) => VfsErrorCode::Io,
            (Doing::Open | Doing::OpenJournal, _) => VfsErrorCode::CantOpen,
            (Doing::Delete, HostError::NotFound) => VfsErrorCode::IoDeleteNoEntry,
            (Doing::Read, _) => VfsErrorCode::IoRead,
            (Doing::Write, _) => VfsErrorCode::IoWrite,
            (Doing::Truncate, _) => VfsErrorCode::IoTruncate,
            (Doing::Sync, _) => VfsErrorCode::IoSync,
            (Doing::SyncFolder, _) => VfsErrorCode::IoDirectorySync,
            (Doing::Size, _) => VfsErrorCode::IoStat,
            (Doing::Access, _) => VfsErrorCode::IoAccess,
            (Doing::Delete, _) => VfsErrorCode::IoDelete,
            (Doing::Lock, _) => VfsErrorCode::IoLock,
            (Doing::Unlock, _) => VfsErrorCode::IoUnlock,
            (Doing::CheckReserved, _) => VfsErrorCode::IoCheckReservedLock,
        }
    }
}

fn raw(code: i32) -> VfsErrorCode {
    VfsErrorCode::from_raw(code).expect("the constants of SQLite's header are error codes")
}

/// Remembers the failure and says it in SQLite's terms.
pub(crate) fn failed(doing: Doing, path: &str, error: HostError) -> VfsError {
    let failure = Failure { operation: doing.name(), path: path.to_owned(), error };
    let code = doing.code(&failure.error);
    let message = format!("could not {} ({}): {}", failure.operation, failure.error, failure.path);
    LAST.with_borrow_mut(|last| *last = Some(failure));
    VfsError::new(code, message.into())
}

pub(crate) fn busy() -> VfsError {
    VfsError::new(VfsErrorCode::Busy, "another connection holds the lock".into())
}
