//! A memory in the browser's origin-private file system (OPFS), which one dedicated worker uses exclusively.
//!
//! `sahpool` keeps a fixed number of files open, each held exclusively by this worker, so that SQLite's synchronous
//! calls need no promise. The worker that holds them owns the memory; another one gets `storage_taken` at once.

use std::{cell::RefCell, collections::BTreeSet};

use limbic_core::{
    Error, Result,
    rusqlite::{Connection, OpenFlags},
};
use limbic_tools::Limbic;
use sqlite_wasm_rs::WasmOsCallback;
use sqlite_wasm_vfs::sahpool::{OpfsSAHError, OpfsSAHPoolCfgBuilder, OpfsSAHPoolUtil, install};
use wasm_bindgen::JsValue;

use crate::{browser_host::BrowserHost, options::OpenOptions};

/// Database, journal, and two spare files.
const FILES: usize = 4;

thread_local! {
    /// The folders that this worker uses. SQLite's locks do not work between connections of one pool.
    static IN_USE: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// The open files of a folder, released when dropped.
pub struct Pool {
    util: OpfsSAHPoolUtil,
    _claim: Claim,
}

impl Drop for Pool {
    fn drop(&mut self) {
        // A failure is ignored: the browser releases the files when the worker ends.
        let _ = self.util.pause();
    }
}

/// The exclusive use of a folder in this worker.
struct Claim(String);

impl Claim {
    fn new(directory: &str) -> Result<Self> {
        let is_free = IN_USE.with_borrow_mut(|in_use| in_use.insert(directory.to_owned()));
        if is_free { Ok(Self(directory.to_owned())) } else { Err(Error::StorageTaken) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        IN_USE.with_borrow_mut(|in_use| in_use.remove(&self.0));
    }
}

/// Opens the database that the options name; creates it if it is missing.
///
/// # Errors
/// [`Error::StorageUnavailable`], [`Error::StorageTaken`], and as [`Limbic::open`].
pub async fn open(options: String) -> Result<(Limbic, Pool)> {
    let options = OpenOptions::read(&options)?;
    let claim = Claim::new(&options.directory)?;
    let vfs = format!("opfs/{}", options.directory);
    let settings = OpfsSAHPoolCfgBuilder::new()
        .vfs_name(&vfs)
        .directory(&options.directory)
        .initial_capacity(FILES)
        .build();
    limbic_vfs::register_vec0();
    let util = install::<WasmOsCallback>(&settings, false).await.map_err(explained)?;
    // From here on, the files are released in every case.
    let pool = Pool { util, _claim: claim };
    if pool.util.is_paused() {
        pool.util.resume().await.map_err(explained)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags_and_vfs(&options.path, flags, vfs.as_str())?;
    // This VFS does not overwrite a journal, so the journal, which contains deleted data, is not kept.
    connection.execute_batch("PRAGMA journal_size_limit = 0")?;
    let limbic = Limbic::open(connection, Box::new(BrowserHost), options.tools)?;
    Ok((limbic, pool))
}

/// Converts the browser's error.
fn explained(error: OpfsSAHError) -> Error {
    match &error {
        OpfsSAHError::NotSupported => Error::StorageUnavailable(error.to_string()),
        OpfsSAHError::Opfs { operation, value, .. } => match (name_of(value).as_deref(), *operation) {
            (Some("NoModificationAllowedError"), _) => Error::StorageTaken,
            (Some("QuotaExceededError"), _) => Error::DiskFull,
            (Some("SecurityError"), _) | (_, "get OPFS root") => Error::StorageUnavailable(error.to_string()),
            _ => Error::Io(error.to_string()),
        },
        OpfsSAHError::Busy | OpfsSAHError::DirectoryInUse(_) => Error::StorageTaken,
        OpfsSAHError::InvalidDirectory | OpfsSAHError::InvalidFilename(_) => {
            Error::invalid(error.to_string())
        }
        _ => Error::CannotOpen(error.to_string()),
    }
}

fn name_of(value: &JsValue) -> Option<String> {
    js_sys::Reflect::get(value, &"name".into()).ok()?.as_string()
}
