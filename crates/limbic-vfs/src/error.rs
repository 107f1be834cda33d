//! Maps host errors to SQLite's codes and records the last failure.

use std::cell::RefCell;

use rsqlite_vfs::{VfsError, VfsErrorCode, ffi};

use crate::HostError;

/// The last failure on this thread that was reported to SQLite, with the host's error. SQLite reports most failures to
/// open as "unable to open database file"; this is the cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The operation that failed.
    pub operation: &'static str,
    /// The file or folder.
    pub path: String,
    /// The host's error.
    pub error: HostError,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    static HOLDER: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes the description of the owner that blocked the last lock of this thread, if it is unknown whether it
/// is running: it is never considered dead, and a person has to decide (see [`unlock`](crate::unlock)).
#[must_use]
pub fn take_holder() -> Option<String> {
    HOLDER.with_borrow_mut(Option::take)
}

pub(crate) fn record_holder(holder: Option<String>) {
    HOLDER.set(holder);
}

/// Takes the last failure of this thread; `None` if nothing has failed since the last call. Call it before an operation
/// to discard older failures.
#[must_use]
pub fn take_last_failure() -> Option<Failure> {
    LAST.with_borrow_mut(Option::take)
}

pub(crate) fn last_failure() -> Option<Failure> {
    LAST.with_borrow(Clone::clone)
}

/// The operation that SQLite requested; determines the error code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
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
    CheckReserved,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Open | Operation::OpenJournal => "open",
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Truncate => "truncate",
            Operation::Sync => "sync",
            Operation::SyncFolder => "sync the folder",
            Operation::Size => "size",
            Operation::Access => "access",
            Operation::Delete => "delete",
            Operation::Lock => "lock",
            Operation::CheckReserved => "check the lock",
        }
    }

    fn code(self, error: &HostError) -> VfsErrorCode {
        match (self, error) {
            (_, HostError::Full) => VfsErrorCode::Full,
            (Operation::Read, HostError::Damaged(_)) => raw(ffi::SQLITE_CORRUPT),
            (Operation::Lock | Operation::Sync, HostError::Moved | HostError::ManyNames) => {
                raw(ffi::SQLITE_READONLY_DBMOVED)
            }
            // SQLite repeats a lock that is busy for its whole timeout.
            (Operation::Lock, HostError::Busy) => raw(ffi::SQLITE_LOCKED),
            (Operation::OpenJournal, HostError::Denied) => raw(ffi::SQLITE_READONLY_DIRECTORY),
            (Operation::Open | Operation::OpenJournal, HostError::IsDirectory) => {
                raw(ffi::SQLITE_CANTOPEN_ISDIR)
            }
            (Operation::Lock, HostError::HeldElsewhere(_)) | (Operation::Read, HostError::Changed) => {
                VfsErrorCode::Busy
            }
            (Operation::Open | Operation::OpenJournal, HostError::Io(_)) => VfsErrorCode::Io,
            (Operation::Open | Operation::OpenJournal, _) => VfsErrorCode::CantOpen,
            (Operation::Delete, HostError::NotFound) => VfsErrorCode::IoDeleteNoEntry,
            (Operation::Read, _) => VfsErrorCode::IoRead,
            (Operation::Write, _) => VfsErrorCode::IoWrite,
            (Operation::Truncate, _) => VfsErrorCode::IoTruncate,
            (Operation::Sync, _) => VfsErrorCode::IoSync,
            (Operation::SyncFolder, _) => VfsErrorCode::IoDirectorySync,
            (Operation::Size, _) => VfsErrorCode::IoStat,
            (Operation::Access, _) => VfsErrorCode::IoAccess,
            (Operation::Delete, _) => VfsErrorCode::IoDelete,
            (Operation::Lock, _) => VfsErrorCode::IoLock,
            (Operation::CheckReserved, _) => VfsErrorCode::IoCheckReservedLock,
        }
    }
}

fn raw(code: i32) -> VfsErrorCode {
    VfsErrorCode::from_raw(code).expect("the constants of SQLite's header are error codes")
}

/// Records the failure and converts it to SQLite's error.
pub(crate) fn failed(doing: Operation, path: &str, error: HostError) -> VfsError {
    let failure = Failure { operation: doing.name(), path: path.to_owned(), error };
    let code = doing.code(&failure.error);
    let message = format!("could not {} ({}): {}", failure.operation, failure.error, failure.path);
    LAST.with_borrow_mut(|last| *last = Some(failure));
    VfsError::new(code, message.into())
}

pub(crate) fn busy() -> VfsError {
    VfsError::new(VfsErrorCode::Busy, "another connection holds the lock".into())
}
