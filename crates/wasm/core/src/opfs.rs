//! A memory in the browser's origin-private file system (OPFS), which one dedicated worker uses exclusively.
//!
//! `sahpool` keeps a fixed number of files open, each held exclusively by this worker, so that SQLite's synchronous
//! calls need no promise. The worker that holds them owns the memory; another one gets `storage_taken` at once.

use std::{cell::RefCell, collections::BTreeSet, sync::Arc};

use js_sys::{Promise, futures::future_to_promise};
use limbic_core::{
    Error, Host as _, Result,
    db::Database,
    rusqlite::{Connection, OpenFlags},
};
use limbic_encryption::{
    Secret, opening_error,
    two_files::{self, Converted, Form, Recovered, encrypted_path},
};
use limbic_tools::Limbic;
use limbic_vfs::{Access, Host, HostError, VfsHost};
use sqlite_wasm_rs::WasmOsCallback;
use sqlite_wasm_vfs::sahpool::{OpfsSAHError, OpfsSAHPoolCfgBuilder, OpfsSAHPoolUtil, install};
use wasm_bindgen::prelude::*;

use crate::{
    browser_host::BrowserHost,
    encryption::{self, EncryptedDatabase},
    options::OpenOptions,
    thrown::thrown,
};

/// Two files of a database, of which one is empty or a note unless it is being encrypted or decrypted, and their
/// journals.
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

/// A memory in the origin-private file system.
pub struct Opened {
    pub limbic: Limbic,
    pub pool: Pool,
    pub is_encrypted: bool,
    /// The rest of an interrupted conversion, and why it could not be removed, as the end of a sentence.
    pub unfinished: Option<String>,
}

/// Opens the database that the options name; creates a plain one if it is missing.
///
/// # Errors
/// [`Error::StorageUnavailable`], [`Error::StorageTaken`], [`Error::Encrypted`] without the key of an encrypted one,
/// [`Error::WrongKey`], and as [`Limbic::open`].
pub async fn open(options: String) -> Result<Opened> {
    let options = OpenOptions::read(&options)?;
    let secret = encryption::secret(&options.secret)?;
    let (database, pool) = acquire(&options).await?;
    let Recovered { form, unfinished } = database.recover()?;
    let connection = database.connect(form, secret)?;
    let limbic = Limbic::open(connection, Box::new(BrowserHost), options.tools);
    Ok(Opened {
        limbic: limbic.map_err(opening_error)?,
        pool,
        is_encrypted: form == Form::Encrypted,
        unfinished: unfinished.map(|rest| rest.to_string()),
    })
}

/// Encrypts the database that the options name with the key that they have: a copy that is read back takes its place.
///
/// # Errors
/// As [`Core::open_opfs`](crate::Core::open_opfs); `conflict` if it is encrypted; `disk_full`. The next opening finds
/// out whether it is encrypted then; its content is the same.
#[wasm_bindgen(unchecked_return_type = "Promise<EncryptedDatabase>")]
pub fn encrypt_opfs(options: String) -> Promise {
    promised(convert(options, Form::Plain))
}

/// Decrypts the database that the options name with the key that they have.
///
/// # Errors
/// As [`encrypt_opfs`]; `not_encrypted`.
#[wasm_bindgen(unchecked_return_type = "Promise<EncryptedDatabase>")]
pub fn decrypt_opfs(options: String) -> Promise {
    promised(convert(options, Form::Encrypted))
}

fn promised(converted: impl Future<Output = Result<Converted>> + 'static) -> Promise {
    future_to_promise(
        async move { converted.await.map(EncryptedDatabase::from).map(Into::into).map_err(thrown) },
    )
}

async fn convert(options: String, from: Form) -> Result<Converted> {
    let options = OpenOptions::read(&options)?;
    let secret = encryption::secret(&options.secret)?.ok_or_else(|| Error::invalid("The key is missing"))?;
    let (database, _pool) = acquire(&options).await?;
    match (from, database.recover()?.form) {
        (Form::Plain, Form::Encrypted) => {
            return Err(Error::Conflict("The database is encrypted already. Nothing was changed".to_owned()));
        }
        (Form::Encrypted, Form::Plain) => return Err(Error::NotEncrypted),
        _ => {}
    }
    // Rolls back what a worker that ended has left.
    let connection = database.connect(from, Some(secret.clone()))?;
    Database::open(connection, Box::new(BrowserHost), false).map_err(opening_error)?.close()?;
    let original = database.connect(from, Some(secret.clone()))?;
    match from {
        Form::Plain => two_files::encrypt(&database.files, &database.path, original, &secret),
        Form::Encrypted => two_files::decrypt(&database.files, &database.path, original),
    }
}

/// A database in a pool.
struct OpfsDatabase {
    path: String,
    /// The name of the pool's VFS.
    vfs: String,
    host: VfsHost,
    files: Arc<dyn Host>,
}

impl OpfsDatabase {
    fn recover(&self) -> Result<Recovered> {
        two_files::recover(&*self.files, &self.path)
    }

    /// Opens a connection; a plain database ignores the secret.
    fn connect(&self, form: Form, secret: Option<Secret>) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        // Earlier failures do not concern this file.
        let _ = limbic_vfs::take_last_failure();
        if form == Form::Plain {
            let connection = Connection::open_with_flags_and_vfs(&self.path, flags, self.vfs.as_str())?;
            // This VFS does not overwrite a journal, so the journal, which contains deleted data, is not kept.
            connection.execute_batch("PRAGMA journal_size_limit = 0")?;
            return Ok(connection);
        }
        let secret = secret.ok_or(Error::Encrypted)?;
        let access = Access { secret: Some(secret), ..Access::default() };
        let connection = limbic_vfs::connect(encrypted_path(&self.path), flags, self.host.clone(), access)
            .map_err(|error| opening_error(error.into()))?;
        // Nothing else opens the file. Without this, SQLite would read the first page before every transaction, and
        // decrypt the pages in its cache again when it has changed.
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
        Ok(connection)
    }
}

/// Acquires the files of the folder that the options name.
async fn acquire(options: &OpenOptions) -> Result<(OpfsDatabase, Pool)> {
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
    let host = VfsHost::new(&vfs, |buffer| BrowserHost.fill_random(buffer))
        .map_err(|error: HostError| Error::invalid(error.to_string()))?;
    let files: Arc<dyn Host> = Arc::new(host.clone());
    Ok((OpfsDatabase { path: options.path.clone(), vfs, host, files }, pool))
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
