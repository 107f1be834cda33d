//! Replaces a database by an encrypted copy: the first time, or under another key.

use std::sync::Arc;

use limbic_core::db::{Database, duplicate, ownership};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_core::{Error, Result};
use limbic_vfs::{Access, Host, HostError, HostFile, Key, OpenMode, Reader, Secret};

use crate::failures::{explained, opening_error};

/// The suffix of the copy until it replaces the original.
const COPY: &str = "-encrypting";

/// The original is overwritten in pieces of this size.
const ERASED_AT_ONCE: u64 = 64 * 1024;

/// Maximum time to wait for other programs' locks.
const MAX_LOCK_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// The result of encrypting a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encrypted {
    /// There was no database: an empty one was created.
    New,
    /// The file was replaced by an encrypted copy.
    Replaced {
        /// The content of the copy.
        content: duplicate::Content,
        /// The step that failed afterwards.
        unfinished: Option<Unfinished>,
    },
}

/// The step that failed after the encrypted copy had replaced the original.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// The new name of the copy may not survive a power failure. The original is not overwritten then.
    #[error(
        "the folder of the database could not be synced ({0}): a power failure may bring the original back, which was not \
         overwritten"
    )]
    Sync(HostError),
    /// The original may still be on the disk.
    #[error("the original could not be overwritten ({0}): its content may remain in free blocks of the disk")]
    Erase(HostError),
    /// A file that is no longer the database is still beside it.
    #[error(
        "the file that an interrupted conversion has left could not be overwritten and removed ({0}): the next start tries \
         again"
    )]
    Remove(HostError),
}

/// Encrypts the database at `path`, or encrypts it with another key; `old` opens it if it is encrypted already. If
/// there is none, it is created.
///
/// `choose_key` returns the key that it gets, and stores that key where it will be found, or the passphrase from which
/// its key is derived. It is called at most once, while no other program can read or write the database: when a second
/// program encrypts the same database at the same time, it finds the key that the first one has stored.
///
/// The copy is written beside the database, read back with its key and checked. Then it takes the place of the
/// original, whose bytes are overwritten; before that, those of its journal are. Programs that have the database open
/// notice this at their next call, and open the file at the path again, with the key that they have. Needs about as
/// much room on the disk as the database, and four times as much memory.
///
/// # Errors
/// As opening the database, and those of `choose_key`; [`Error::Busy`] while another program uses it;
/// [`Error::DiskFull`]; [`Error::Conflict`] if this user cannot keep the owner of the file. The database is then
/// unchanged, unless the error says that this is unknown.
pub fn encrypt<H: Host + Clone + 'static>(
    host: &H,
    core_host: Box<dyn limbic_core::Host>,
    path: &str,
    old: Option<Secret>,
    choose_key: &mut dyn FnMut() -> Result<Secret>,
    accepts_shared_disks: bool,
) -> Result<Encrypted> {
    // Opening the file reports why its folder cannot be created.
    let _ = host.create_folder(limbic_vfs::folder_of(path));
    let path = host.real_path(path).map_err(|error| explained(error, path))?;
    let is_new = is_empty(host, &path)?;
    let is_absent = is_new && host.stat(&path).map_err(|error| explained(error, &path))?.is_none();
    if old.is_none() && !is_new {
        ownership::require_ours(&path, |path| Reader::open(host, path).ok())?;
    }
    limbic_vfs::register_vec0();
    let _ = limbic_vfs::take_last_failure();
    let connect = |secret: Option<&Secret>, flags: OpenFlags| -> Result<Connection> {
        let access = Access { accepts_shared_disks, secret: secret.cloned() };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | flags;
        Ok(limbic_vfs::connect(&path, flags, host.clone(), access)?)
    };
    let encrypted = if is_new {
        let create = OpenFlags::SQLITE_OPEN_CREATE;
        connect(None, create)
            .and_then(|empty| choose_alone(host, &path, &empty, is_absent, choose_key))
            .and_then(|key| {
                prepare(core_host, connect(Some(&key), create)?)?;
                Ok(Encrypted::New)
            })
    } else {
        open(core_host, || connect(old.as_ref(), OpenFlags::empty())).and_then(|mut original| {
            let replaced = replace(host, &path, &mut original, choose_key);
            // Nothing has been written in this transaction.
            let _ = original.execute_batch("ROLLBACK");
            replaced
        })
    };
    encrypted.map_err(opening_error)
}

/// Whether a secret is that of the encrypted database at `path`; false if there is none.
///
/// # Errors
/// [`Error::NotEncrypted`]; [`Error::CannotOpen`].
pub fn opens<H: Host + Clone + 'static>(host: &H, path: &str, secret: &Secret) -> Result<bool> {
    opening_key(host, path, secret).map(|key| key.is_some())
}

/// Returns the key of the encrypted database at `path` if this secret opens it; `None` if it does not, or there is no
/// database.
///
/// # Errors
/// As [`opens`].
pub fn opening_key<H: Host + Clone + 'static>(host: &H, path: &str, secret: &Secret) -> Result<Option<Key>> {
    let files: Arc<dyn Host> = Arc::new(host.clone());
    limbic_vfs::opening_key(&files, path, secret).map_err(|error| explained(error, path))
}

fn is_empty<H: Host>(host: &H, path: &str) -> Result<bool> {
    let found = host.stat(path).map_err(|error| explained(error, path))?;
    Ok(found.is_none_or(|found| found.size == 0))
}

/// Chooses the key of a database that does not exist yet, in a transaction that excludes other programs. Without a key,
/// a file that was made for it is removed.
fn choose_alone<H: Host>(
    host: &H,
    path: &str,
    empty: &Connection,
    is_made_here: bool,
    choose_key: &mut dyn FnMut() -> Result<Secret>,
) -> Result<Secret> {
    // A transaction on an empty database writes a page. Without a file for its journal, none remains.
    let is_locked = begin_exclusive(empty, "MEMORY");
    if !is_empty(host, path)? {
        return Err(Error::Conflict("Another program has just created the database: try again".to_owned()));
    }
    is_locked.and_then(|()| {
        choose_key().inspect_err(|_| {
            if is_made_here {
                // An empty file would look like a database. Nobody else has written it, and none is a failure.
                let _ = host.delete(path);
            }
        })
    })
}

/// Creates the schema, or brings it up to date, and rolls back what a killed program has left.
fn prepare(core_host: Box<dyn limbic_core::Host>, connection: Connection) -> Result<()> {
    Database::open(connection, core_host, false)?.close()
}

/// Opens the original in a transaction that excludes every other program. Its schema is current, and no journal is
/// left.
fn open(
    core_host: Box<dyn limbic_core::Host>,
    connect: impl Fn() -> Result<Connection>,
) -> Result<Connection> {
    prepare(core_host, connect()?)?;
    let original = connect()?;
    exclude_others(&original)?;
    Ok(original)
}

pub(crate) fn exclude_others(connection: &Connection) -> Result<()> {
    begin_exclusive(connection, "PERSIST")
}

fn begin_exclusive(connection: &Connection, journal_mode: &str) -> Result<()> {
    connection.busy_timeout(MAX_LOCK_WAIT)?;
    Ok(connection.execute_batch(&format!("PRAGMA journal_mode = {journal_mode}; BEGIN EXCLUSIVE"))?)
}

fn replace<H: Host + Clone + 'static>(
    host: &H,
    path: &str,
    original: &mut Connection,
    choose_key: &mut dyn FnMut() -> Result<Secret>,
) -> Result<Encrypted> {
    let files: Arc<dyn Host> = Arc::new(host.clone());
    let copy = format!("{path}{COPY}");
    let failed = |error| explained(error, &copy);
    let old = files.open(path, OpenMode::Write).map_err(|error| explained(error, path))?;
    // One that was left by a program that was killed: the lock excludes another one at work.
    match files.delete(&copy) {
        Ok(()) | Err(HostError::NotFound) => {}
        Err(error) => return Err(failed(error)),
    }
    let mut written = || -> Result<duplicate::Content> {
        drop(files.open(&copy, OpenMode::CreateNew).map_err(failed)?);
        keep_owner(&*files, path, &copy)?;
        let key = choose_key()?;
        let content = write(&files, &copy, original, &key)?;
        // Its pages are of transactions that are over. A program that opens the copy writes a journal of its own.
        erase_journal(&*files, &format!("{path}-journal"))?;
        put_in_place(&*files, &copy, path, &*old)?;
        Ok(content)
    };
    // The name is the copy's as long as it is not in place.
    let content = written().inspect_err(|_| _ = files.delete(&copy))?;
    // The database is encrypted from here on: what fails now does not undo that. The original is overwritten only when
    // its name cannot come back with a power failure.
    let unfinished = match files.sync_folder(limbic_vfs::folder_of(path)) {
        Ok(()) => erase(&*old).err().map(Unfinished::Erase),
        Err(error) => Some(Unfinished::Sync(error)),
    };
    Ok(Encrypted::Replaced { content, unfinished })
}

/// Gives the copy the owner and the mode of the original.
fn keep_owner(files: &dyn Host, path: &str, copy: &str) -> Result<()> {
    files.copy_owner(path, copy).map_err(|error| match error {
        HostError::Denied => Error::Conflict(
            "The encrypted copy cannot get the owner and the group of the database: run this as the owner of the file. \
             Nothing was changed"
                .to_owned(),
        ),
        error => explained(error, copy),
    })
}

/// Renames the copy to the original's path. A rename that fails may have taken effect: then the file there is the copy.
fn put_in_place(files: &dyn Host, copy: &str, path: &str, old: &dyn HostFile) -> Result<()> {
    let failed = |error| explained(error, copy);
    let copied = files.stat(copy).map_err(failed)?.ok_or_else(|| failed(HostError::NotFound))?.inode;
    let original = old.inode().map_err(|error| explained(error, path))?;
    let Err(error) = files.rename(copy, path) else { return Ok(()) };
    match files.stat(path) {
        Ok(Some(found)) if found.inode == copied => Ok(()),
        Ok(Some(found)) if found.inode == original => Err(failed(error)),
        _ => Err(Error::Io(format!(
            "it is unknown whether the encrypted copy took the place of the database ({error}), and its key is kept: run \
             the command again: {path}"
        ))),
    }
}

/// Writes the copy, and checks what can be read of it with the key.
pub(crate) fn write(
    files: &Arc<dyn Host>,
    copy: &str,
    original: &mut Connection,
    secret: &Secret,
) -> Result<duplicate::Content> {
    let failed = |error| explained(error, copy);
    let pages = duplicate::bytes_with_room(original, limbic_vfs::ENCRYPTION_BYTES)?;
    limbic_vfs::write_encrypted(files, copy, secret, &pages).map_err(failed)?;
    drop(pages);
    let read = limbic_vfs::read_encrypted(files, copy, secret).map_err(failed)?;
    duplicate::require_same(original, &read)
}

/// Overwrites and empties the journal that a program has left, if there is one.
fn erase_journal(files: &dyn Host, path: &str) -> Result<()> {
    let erased = match files.open(path, OpenMode::Write) {
        Err(HostError::NotFound) => return Ok(()),
        other => other.and_then(|journal| {
            erase(&*journal)?;
            journal.truncate(0)?;
            journal.sync()
        }),
    };
    erased.map_err(|error| explained(error, path))
}

/// Overwrites a file.
pub(crate) fn erase(file: &dyn HostFile) -> std::result::Result<(), HostError> {
    let size = file.size()?;
    let zeros = vec![0; usize::try_from(ERASED_AT_ONCE).unwrap_or_default()];
    for offset in (0..size).step_by(zeros.len()) {
        let length = usize::try_from((size - offset).min(ERASED_AT_ONCE)).unwrap_or_default();
        file.write_at(&zeros[..length], offset)?;
    }
    file.sync()
}
