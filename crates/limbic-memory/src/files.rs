//! Opening databases: files, with the locks that the Node server uses, and memories in a store.

use std::fs;
use std::path::Path;

use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_core::{Error, Result, db::ownership};
use limbic_tools::{Limbic, Options};
use limbic_vfs::{Access, Host, Reader, StdHost};

use crate::host::SystemHost;
use crate::location::Location;
use crate::{in_use, key};

/// A connection is not shared by threads, so SQLite need not lock a mutex for each value that is read.
const NOT_SHARED: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// Opens a database; creates it unless it is read-only.
pub fn open(location: &Location, options: &Options, accepts_shared_disk: bool) -> Result<Limbic> {
    open_with(location, options, Access { accepts_shared_disks: accepts_shared_disk, secret: None })
}

/// As [`open`]. Without a secret, an encrypted database is opened with that of the environment or the keychain.
pub fn open_with(location: &Location, options: &Options, access: Access) -> Result<Limbic> {
    connect_with(location, options.read_only, access)
        .and_then(|connection| Limbic::open(connection, Box::new(SystemHost), options.clone()))
        .map_err(|error| explained(error, location))
}

/// Connects to a database; creates it unless it is read-only. A file of another program is not changed. A disk that
/// other machines may write must be accepted.
pub fn connect(location: &Location, read_only: bool, accepts_shared_disk: bool) -> Result<Connection> {
    connect_with(location, read_only, Access { accepts_shared_disks: accepts_shared_disk, secret: None })
}

fn connect_with(location: &Location, read_only: bool, access: Access) -> Result<Connection> {
    limbic_vfs::register_vec0();
    // Earlier failures on this thread do not concern this database.
    let _ = limbic_vfs::take_last_failure();
    match location {
        Location::File(path) => connect_file(path, read_only, access),
        #[cfg(feature = "postgres")]
        Location::Store(_) if access.secret.is_some() => Err(Error::invalid(format!(
            "Limbic does not encrypt a memory in PostgreSQL: open it without a key, and protect {location} with PostgreSQL's \
             roles, sslmode=verify-full and an encrypted disk"
        ))),
        #[cfg(feature = "postgres")]
        Location::Store(address) => {
            key::require_none(location)?;
            connect_store(address, read_only)
        }
    }
}

fn connect_file(path: &Path, read_only: bool, access: Access) -> Result<Connection> {
    let secret = match access.secret {
        Some(secret) => Some(secret),
        None => key::of_database(path)?,
    };
    // Without its key, an encrypted database cannot be inspected; only somebody with its key can use it.
    if secret.is_none()
        && let Some(path) = path.to_str().and_then(|path| StdHost.real_path(path).ok())
    {
        ownership::require_ours(&path, |path| Reader::open(&StdHost, path).ok())?;
    }
    in_use::require_free(path)?;
    let access = Access { secret, ..access };
    if !read_only {
        make_folder(path);
    }
    // A reader opens the file for writing, so that the journal of a killed program is rolled back.
    let created = if read_only { OpenFlags::empty() } else { OpenFlags::SQLITE_OPEN_CREATE };
    let flags = NOT_SHARED | OpenFlags::SQLITE_OPEN_READ_WRITE | created;
    Ok(limbic_vfs::connect(path, flags, StdHost, access)?)
}

#[cfg(feature = "postgres")]
fn connect_store(address: &limbic_pages::Address, read_only: bool) -> Result<Connection> {
    use limbic_pages::{PageStore, PagesHost, postgres::PostgresStore};

    let (path, cache_size, address) = (address.to_string(), address.cache_size(), address.clone());
    let host = PagesHost::new(&path, move || {
        PostgresStore::open(&address, read_only).map(|store| Box::new(store) as Box<dyn PageStore>)
    })
    .with_cache(cache_size);
    let flags = match read_only {
        true => OpenFlags::SQLITE_OPEN_READ_ONLY,
        false => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    Ok(limbic_vfs::connect(path, NOT_SHARED | flags, host, Access::default())?)
}

/// Returns the reason of the file system or the store, because SQLite reports only that a file cannot be opened.
fn explained(error: Error, location: &Location) -> Error {
    if matches!(error, Error::CannotOpen(_) | Error::Io(_) | Error::DiskFull)
        && let Some(failure) = location.failure()
    {
        return failure;
    }
    limbic_encryption::opening_error(error)
}

/// Names, for a failure of an open database, the owner of the lock or the message of the store.
pub fn explained_in_call(error: Error, location: &Location) -> Error {
    match error {
        Error::Busy => limbic_encryption::busy_error(),
        Error::DatabaseMoved if location.file().is_none() => Error::StoreMoved,
        Error::Io(_) | Error::DiskFull => location.failure().unwrap_or(error),
        error => error,
    }
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
