//! Connections to databases through a VFS over a host.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use rsqlite_vfs::{RegisterVfsError, register_vfs};
use rusqlite::{Connection, OpenFlags, ffi};

use crate::{
    Access, Host,
    mutex::lock,
    opened::Opened,
    store::{Data, Vfs},
};

/// The VFSes of this process by name. SQLite may keep references to them until the process ends, so that one whose
/// connection is closed is used again.
static REGISTERED: Mutex<Vec<(String, Arc<Data>)>> = Mutex::new(Vec::new());

/// Opens the database at `path` on `host`, through a VFS that this connection has alone: the host, the key and the
/// locks of one connection never reach the files of another, whichever is opened or closed in between and on whichever
/// thread. Databases that the connection attaches are on the same host, and have the same key.
///
/// ```
/// use limbic_vfs::{Access, StdHost};
/// use rusqlite::OpenFlags;
///
/// let path = std::env::temp_dir().join(format!("limbic-doc-{}.db", std::process::id()));
/// let connection = limbic_vfs::connect(&path, OpenFlags::default(), StdHost, Access::default())?;
/// connection.execute_batch("PRAGMA journal_mode = DELETE; CREATE TABLE t (x); INSERT INTO t VALUES (1)")?;
/// assert_eq!(connection.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0))?, 1);
/// drop(connection);
/// std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As `Connection::open_with_flags`; [`take_last_failure`](crate::take_last_failure) has the host's error. SQLite's
/// error if it rejects another VFS.
pub fn connect(
    path: impl AsRef<Path>,
    flags: OpenFlags,
    host: impl Host + 'static,
    access: Access,
) -> rusqlite::Result<Connection> {
    let opened = Arc::new(Opened::new(Arc::new(host), access));
    let vfs = claim(&opened)?;
    let connection = Connection::open_with_flags_and_vfs(path, flags, vfs.as_str());
    // From here on, the open database keeps the VFS.
    drop(opened);
    connection
}

/// Returns the name of a VFS for the files of `opened`, which no other connection uses.
fn claim(opened: &Arc<Opened>) -> rusqlite::Result<String> {
    let mut registered = lock(&REGISTERED);
    if let Some((name, _)) = registered.iter().find(|(_, data)| data.claim(opened)) {
        return Ok(name.clone());
    }
    // Another copy of this library, which a program may contain, has names of the same form.
    let taken = |number: usize| {
        let name = format!("limbic-{number}");
        match register(&name, opened) {
            Err(RegisterVfsError::NameConflict(_)) => None,
            registered => Some(registered.map(|data| (name, data))),
        }
    };
    let found = (registered.len()..usize::MAX).find_map(taken).expect("SQLite has fewer VFSes");
    let (name, data) = found.map_err(|error| {
        let reason = format!("SQLite rejected a VFS of Limbic: {error}");
        rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), Some(reason))
    })?;
    registered.push((name.clone(), data));
    Ok(name)
}

#[allow(unsafe_code, reason = "SQLite takes a VFS as raw pointers to its callbacks")]
fn register(name: &str, opened: &Arc<Opened>) -> Result<Arc<Data>, RegisterVfsError> {
    let data = Arc::new(Data::new(opened));
    // SAFETY: `Vfs` changes none of the callbacks, layouts or versions of `rsqlite_vfs`. `Data` is shared between
    // threads only through locks. The mutex of `REGISTERED`, which the caller holds, serialises registrations by this
    // crate.
    let registration = unsafe { register_vfs::<Vfs, Vfs>(name, data.clone(), false) }?;
    registration.into_raw();
    Ok(data)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::StdHost;

    #[test]
    fn a_vfs_is_used_again_after_its_connection_is_closed() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let open = |name: &str| {
            connect(folder.path().join(name), OpenFlags::default(), StdHost, Access::default())
                .expect("the folder is writable")
        };
        let is_used = |connection: &Connection| {
            connection.execute_batch("CREATE TABLE IF NOT EXISTS t (x)").expect("it is open");
        };
        let kept = open("kept.db");
        is_used(&kept);
        for _ in 0..100 {
            is_used(&open("other.db"));
        }
        // Tests run at the same time, each with a few connections.
        assert!(lock(&REGISTERED).len() < 50);
        is_used(&kept);
    }
}
