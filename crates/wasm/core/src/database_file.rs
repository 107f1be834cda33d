//! From a host and options to an open memory.

use limbic_core::{
    Error, Result,
    db::ownership,
    rusqlite::{Connection, OpenFlags},
};
use limbic_tools::Limbic;
use limbic_vfs::{Host, Reader};

use crate::{
    file_host::{FileHost, JsHost},
    options::OpenOptions,
};

/// The name under which SQLite knows the VFS over the host.
const VFS: &str = "limbic";

/// Opens the file that the options name. One that is not ours is not touched.
///
/// # Errors
/// As [`Limbic::open`], and when the options cannot be read.
pub fn open(host: FileHost, options: &str) -> Result<Limbic> {
    let OpenOptions { path, tools, .. } = OpenOptions::read(options)?;
    let host = JsHost::new(host);
    if let Ok(path) = host.real_path(&path) {
        ownership::require_ours(&path, |path| Reader::open(&host, path).ok())?;
    }
    limbic_vfs::register_vec0();
    limbic_vfs::register(VFS, host.clone(), false).map_err(|error| Error::CannotOpen(error.to_string()))?;
    // What failed before has nothing to do with this file.
    let _ = limbic_vfs::take_last_failure();
    let flags = if tools.read_only {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    };
    Connection::open_with_flags_and_vfs(&path, flags, VFS)
        .map_err(Error::from)
        .and_then(|connection| Limbic::open(connection, Box::new(host), tools))
        .map_err(explained)
}

/// SQLite says only that a file cannot be opened; the host knows why.
fn explained(error: Error) -> Error {
    match (error, limbic_vfs::take_last_failure()) {
        (Error::CannotOpen(_), Some(failure)) => {
            Error::CannotOpen(format!("{}: {}", failure.error, failure.path))
        }
        (error, _) => error,
    }
}
