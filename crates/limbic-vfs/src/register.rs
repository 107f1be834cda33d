//! Making a VFS known to SQLite.

use std::sync::{Arc, Mutex};

use rsqlite_vfs::{RegisterVfsError, register_vfs};

use crate::{
    Host,
    file::lock,
    store::{Data, Vfs},
};

/// The VFSes of this process, by name. SQLite may hold on to them for as long as the process lives.
static REGISTERED: Mutex<Vec<(String, Arc<Data>)>> = Mutex::new(Vec::new());

/// SQLite refused to take the VFS.
#[derive(Debug, thiserror::Error)]
#[error("SQLite does not take the file system {name}: {reason}")]
pub struct RegisterError {
    name: String,
    reason: RegisterVfsError,
}

/// Makes `host` usable as the VFS `name`, for `Connection::open_with_flags_and_vfs(path, flags, name)`.
///
/// A name can be registered again: databases opened from then on use the newer host, those that are open keep
/// theirs.
///
/// # Errors
/// [`RegisterError`] when somebody else's VFS has the name, or the name is empty or contains NUL.
pub fn register(name: &str, host: impl Host + 'static, make_default: bool) -> Result<(), RegisterError> {
    let host: Arc<dyn Host> = Arc::new(host);
    let mut registered = lock(&REGISTERED);
    if let Some((_, data)) = registered.iter().find(|(known, _)| known == name) {
        data.replace_host(host);
        return Ok(());
    }
    let data = Arc::new(Data::new(host));
    // SAFETY: `Vfs` changes none of the callbacks, layouts or versions of `rsqlite_vfs`. `Data` is shared
    // between threads only through locks. The list's mutex serialises registrations by this crate.
    let registration = unsafe { register_vfs::<Vfs, Vfs>(name, data.clone(), make_default) }
        .map_err(|reason| RegisterError { name: name.to_owned(), reason })?;
    registration.into_raw();
    registered.push((name.to_owned(), data));
    Ok(())
}
