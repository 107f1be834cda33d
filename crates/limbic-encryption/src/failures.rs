//! The core's errors for failures of limbic-vfs, the same in both shells.

use limbic_core::Error;
use limbic_vfs::HostError;

/// Returns the error for a failure of the host at `path`.
pub(crate) fn explained(error: HostError, path: &str) -> Error {
    match error {
        HostError::Full => Error::DiskFull,
        HostError::WrongKey => Error::WrongKey,
        HostError::NotEncrypted => Error::NotEncrypted,
        HostError::HeldElsewhere(holder) => Error::LockedElsewhere(holder),
        error @ HostError::SharedDisk { .. } => Error::SharedDisk(error.to_string()),
        error => Error::CannotOpen(format!("{error}: {path}")),
    }
}

/// Returns the cause of a failure to open a database on this thread, of which SQLite reports only that there is one.
/// [`take_last_failure`](limbic_vfs::take_last_failure) before the opening discards earlier failures.
#[must_use]
pub fn opening_error(error: Error) -> Error {
    match (error, limbic_vfs::take_last_failure()) {
        (Error::CannotOpen(_), Some(failure)) => explained(failure.error, &failure.path),
        (Error::Busy, _) => busy_error(),
        (error, _) => error,
    }
}

/// Returns the error for a lock that timed out on this thread. It names the owner if a longer wait would be futile.
#[must_use]
pub fn busy_error() -> Error {
    limbic_vfs::take_holder().map_or(Error::Busy, Error::LockedElsewhere)
}

#[cfg(test)]
mod tests {
    use limbic_core::rusqlite::OpenFlags;
    use limbic_vfs::{Access, StdHost};

    use super::*;

    #[test]
    fn the_cause_of_a_failure_to_open_is_reported_once() {
        let folder = std::env::temp_dir();
        let _ = limbic_vfs::take_last_failure();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let opened = limbic_vfs::connect(&folder, flags, StdHost, Access::default());
        let sqlite = Error::from(opened.expect_err("a folder is not a database"));
        let (of_sqlite, of_host) = (sqlite.to_string(), opening_error(sqlite).to_string());
        assert_ne!(of_host, of_sqlite);
        assert!(of_host.contains(&*folder.to_string_lossy()), "{of_host}");
        assert!(limbic_vfs::take_last_failure().is_none());
    }

    #[test]
    fn a_full_disk_is_reported_as_one() {
        assert!(matches!(explained(HostError::Full, "memory.db"), Error::DiskFull));
    }
}
