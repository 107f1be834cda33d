//! Registration of a VFS with SQLite.

use std::sync::{Arc, Mutex};

use rsqlite_vfs::{RegisterVfsError, register_vfs};

use crate::{
    Host, Secret,
    mutex::lock,
    store::{Data, Vfs},
};

/// The VFSes of this process by name. SQLite may keep references to them until the process ends.
static REGISTERED: Mutex<Vec<(String, Arc<Data>)>> = Mutex::new(Vec::new());

/// SQLite rejected the VFS.
#[derive(Debug, thiserror::Error)]
#[error("SQLite rejected the VFS {name}: {reason}")]
pub struct RegisterError {
    name: String,
    reason: RegisterVfsError,
}

/// Registers `host` as the VFS `name`, for `Connection::open_with_flags_and_vfs(path, flags, name)`.
///
/// Registering a name again replaces the host for databases that are opened afterwards; open ones keep theirs.
///
/// ```
/// use rusqlite::{Connection, OpenFlags};
///
/// limbic_vfs::register("limbic-doc", limbic_vfs::StdHost, false)?;
/// let path = std::env::temp_dir().join(format!("limbic-doc-{}.db", std::process::id()));
/// let connection = Connection::open_with_flags_and_vfs(&path, OpenFlags::default(), "limbic-doc")?;
/// connection.execute_batch("PRAGMA journal_mode = DELETE; CREATE TABLE t (x); INSERT INTO t VALUES (1)")?;
/// assert_eq!(connection.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0))?, 1);
/// drop(connection);
/// std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RegisterError`] when the name is empty, contains NUL, or belongs to a VFS of another library.
pub fn register(name: &str, host: impl Host + 'static, make_default: bool) -> Result<(), RegisterError> {
    register_host(name, Arc::new(host), make_default, Access::default())
}

/// As [`register`], and accepts databases on disks that other machines may write, such as network file systems. One
/// machine at a time can have such a database open, and nothing of another machine is considered dead.
///
/// # Errors
/// As [`register`].
pub fn register_for_shared_disks(name: &str, host: impl Host + 'static) -> Result<(), RegisterError> {
    register_with(name, host, Access { accepts_shared_disks: true, secret: None })
}

/// How databases are opened.
#[derive(Default)]
pub struct Access {
    /// Whether databases on disks that other machines may write are accepted; see [`register_for_shared_disks`].
    pub accepts_shared_disks: bool,
    /// The key or the passphrase of encrypted databases. With it, plain databases are refused, and new ones are encrypted.
    pub secret: Option<Secret>,
}

/// As [`register`], for databases that are opened in this way.
///
/// # Errors
/// As [`register`].
pub fn register_with(name: &str, host: impl Host + 'static, access: Access) -> Result<(), RegisterError> {
    register_host(name, Arc::new(host), false, access)
}

#[allow(unsafe_code, reason = "SQLite takes a VFS as raw pointers to its callbacks")]
fn register_host(
    name: &str,
    host: Arc<dyn Host>,
    make_default: bool,
    Access { accepts_shared_disks, secret }: Access,
) -> Result<(), RegisterError> {
    let mut registered = lock(&REGISTERED);
    if let Some((_, data)) = registered.iter().find(|(known, _)| known == name) {
        data.replace_host(host, accepts_shared_disks, secret);
        return Ok(());
    }
    let data = Arc::new(Data::new(host, accepts_shared_disks, secret));
    // SAFETY: `Vfs` changes none of the callbacks, layouts or versions of `rsqlite_vfs`. `Data` is shared
    // between threads only through locks. The list's mutex serialises registrations by this crate.
    let registration = unsafe { register_vfs::<Vfs, Vfs>(name, data.clone(), make_default) }
        .map_err(|reason| RegisterError { name: name.to_owned(), reason })?;
    registration.into_raw();
    registered.push((name.to_owned(), data));
    Ok(())
}
