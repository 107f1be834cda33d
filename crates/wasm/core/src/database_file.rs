//! Opens a memory over a host with options.

use std::sync::Arc;

use limbic_core::{Error, Result, db::ownership, rusqlite::OpenFlags};
use limbic_encryption::{busy_error, opening_error};
use limbic_tools::Limbic;
use limbic_vfs::{Access, Host, Reader, Unlocked};

use crate::{
    code_host::{self, CodeHost},
    encryption,
    file_host::{FileHost, JsHost},
    options::OpenOptions,
};

/// Opens the file that the options name. A file of another program is not changed. `code` reads source code.
///
/// # Errors
/// As [`Limbic::open`], and for invalid options.
pub fn open(host: FileHost, options: &str, code: Option<CodeHost>) -> Result<Limbic> {
    let OpenOptions { path, tools, shared_disk, secret, code_root, .. } = OpenOptions::read(options)?;
    let host = JsHost::new(host);
    let secret = encryption::secret(&secret)?;
    // Without its key, an encrypted database cannot be inspected; only somebody with its key can use it.
    if secret.is_none()
        && let Ok(path) = host.real_path(&path)
    {
        ownership::require_ours(&path, |path| Reader::open(&host, path).ok())?;
    }
    limbic_vfs::register_vec0();
    let access = Access { accepts_shared_disks: shared_disk, secret };
    // Earlier failures do not concern this file.
    let _ = limbic_vfs::take_last_failure();
    // A reader may write the file, to undo the write of a program that was killed.
    let created = if tools.read_only { OpenFlags::empty() } else { OpenFlags::SQLITE_OPEN_CREATE };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | created;
    let mut limbic = limbic_vfs::connect(&path, flags, host.clone(), access)
        .map_err(Error::from)
        .and_then(|connection| Limbic::open(connection, Box::new(host), tools))
        .map_err(opening_error)?;
    limbic.explain_errors(|error| match error {
        Error::Busy => busy_error(),
        error => error,
    });
    if let (Some(root), Some(code)) = (code_root, code) {
        limbic.set_code_files(Box::new(code_host::below(&root, code)));
    }
    Ok(limbic)
}

/// Shows the owners of the lock files of a database; if `confirmed`, removes those of owners that are not known to run.
///
/// # Errors
/// If the lock files cannot be read or removed.
pub fn unlock(host: FileHost, path: &str, confirmed: bool) -> Result<Unlocked> {
    let host = JsHost::new(host);
    host.real_path(path)
        .and_then(|path| limbic_vfs::unlock(Arc::new(host), &path, confirmed))
        .map_err(|error| Error::CannotOpen(format!("{error}: {path}-locks")))
}
