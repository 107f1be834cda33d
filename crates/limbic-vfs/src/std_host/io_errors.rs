//! Converts errors of the operating system to errors of a host.

use std::io::{self, ErrorKind};

use crate::HostError;

/// The error that hosts report for one of the operating system.
pub(super) fn host_error(error: io::Error) -> HostError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => HostError::NotFound,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => HostError::Denied,
        ErrorKind::IsADirectory => HostError::IsDirectory,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => HostError::Full,
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => HostError::Exists,
        ErrorKind::Unsupported => HostError::Unsupported,
        _ => HostError::Io(error.to_string()),
    }
}
