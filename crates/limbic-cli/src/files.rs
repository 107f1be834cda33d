//! Opening database files, with the locks that the Node server uses.

use std::fs;
use std::path::Path;

use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_core::{Error, Result, db::ownership};
use limbic_tools::{Limbic, Options};
use limbic_vfs::{Host, HostError, Reader, StdHost};

use crate::host::SystemHost;
use crate::in_use;

const VFS: &str = "limbic";

/// Opens a database; creates the file unless it is read-only.
pub fn open(path: &Path, options: &Options, accepts_shared_disk: bool) -> Result<Limbic> {
    connect(path, options.read_only, accepts_shared_disk)
        .and_then(|connection| Limbic::open(connection, Box::new(SystemHost), options.clone()))
        .map_err(explained)
}

/// Connects to a file; creates it unless it is read-only. A file of another program is not changed. A disk that other
/// machines may write must be accepted.
pub fn connect(path: &Path, read_only: bool, accepts_shared_disk: bool) -> Result<Connection> {
    if let Some(path) = path.to_str().and_then(|path| StdHost.real_path(path).ok()) {
        ownership::require_ours(&path, |path| Reader::open(&StdHost, path).ok())?;
    }
    in_use::require_free(path)?;
    limbic_vfs::register_vec0();
    let registered = match accepts_shared_disk {
        true => limbic_vfs::register_for_shared_disks(VFS, StdHost),
        false => limbic_vfs::register(VFS, StdHost, false),
    };
    registered.map_err(|error| Error::CannotOpen(error.to_string()))?;
    let flags = if read_only {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        make_folder(path);
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    };
    // What failed before on this thread has nothing to do with this file.
    let _ = limbic_vfs::take_last_failure();
    Ok(Connection::open_with_flags_and_vfs(path, flags, VFS)?)
}

/// Returns the reason of the file system, because SQLite reports only that a file cannot be opened.
fn explained(error: Error) -> Error {
    match (error, limbic_vfs::take_last_failure()) {
        (Error::CannotOpen(_), Some(failure)) => match failure.error {
            HostError::HeldElsewhere(holder) => Error::LockedElsewhere(holder),
            error @ HostError::SharedDisk { .. } => Error::SharedDisk(error.to_string()),
            error => Error::CannotOpen(format!("{error}: {}", failure.path)),
        },
        (Error::Busy, _) => with_holder(Error::Busy),
        (error, _) => error,
    }
}

/// Names the owner of the lock on which this thread waited in vain, if waiting longer is in vain, too.
pub fn with_holder(busy: Error) -> Error {
    limbic_vfs::take_holder().map_or(busy, Error::LockedElsewhere)
}

/// Creates the data folder, accessible to the user only. Errors are ignored: opening the file reports them.
fn make_folder(file: &Path) {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let _ = builder.create(folder);
}
