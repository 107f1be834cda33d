//! Replaces a database by an encrypted copy: the first time, or under another key.

use std::sync::Arc;

use limbic_core::db::{Database, duplicate, ownership};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_core::{Error, Result};
use limbic_vfs::{Access, Host, HostError, HostFile, Key, OpenMode, Reader};

/// The name of the VFS of the original.
const VFS: &str = "limbic-encryption";

/// The suffix of the copy until it replaces the original.
const COPY: &str = "-encrypting";

/// The original is overwritten in pieces of this size.
const ERASED_AT_ONCE: u64 = 64 * 1024;

/// How long other programs may use the database before they are waited for in vain.
const BUSY_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encrypted {
    /// There was no database: an empty one was created.
    New,
    /// The file was replaced by an encrypted copy with this content.
    Replaced(duplicate::Content),
}

/// The keys of a database, before and after.
pub struct Keys<'a> {
    /// Its key, if it is encrypted already.
    pub old: Option<Key>,
    /// The key that it gets.
    pub new: &'a Key,
}

/// Encrypts the database at `path`, or encrypts it with another key. If there is none, it is created.
///
/// The copy is written beside the database, read back with its key and checked, while no other program can read or
/// write the database. Then it takes the place of the original, whose bytes are overwritten. Programs that have the
/// database open notice this at their next call, and open the file at the path again, with the key that they have. Needs
/// about as much room on the disk as the database, and four times as much memory. One call at a time in a process.
///
/// # Errors
/// As opening the database; [`Error::Busy`] while another program uses it; [`Error::DiskFull`]. The database is then
/// unchanged.
pub fn encrypt<H: Host + Clone + 'static>(
    host: &H,
    core_host: Box<dyn limbic_core::Host>,
    path: &str,
    Keys { old, new }: Keys<'_>,
    accepts_shared_disks: bool,
) -> Result<Encrypted> {
    // Opening the file reports why its folder cannot be created.
    let _ = host.create_folder(limbic_vfs::folder_of(path));
    let path = host.real_path(path).map_err(|error| explained(error, path))?;
    let found = host.stat(&path).map_err(|error| explained(error, &path))?;
    let is_new = found.is_none_or(|found| found.size == 0);
    if old.is_none() && !is_new {
        ownership::require_ours(&path, |path| Reader::open(host, path).ok())?;
    }
    limbic_vfs::register_vec0();
    let _ = limbic_vfs::take_last_failure();
    let key = if is_new { Some(new.clone()) } else { old };
    limbic_vfs::register_with(VFS, host.clone(), Access { accepts_shared_disks, key })
        .map_err(|error| Error::CannotOpen(error.to_string()))?;
    let encrypted = if is_new {
        prepare(core_host, &path, OpenFlags::SQLITE_OPEN_CREATE).map(|()| Encrypted::New)
    } else {
        open(core_host, &path).and_then(|mut original| {
            let replaced = replace(host, &path, &mut original, new);
            // Nothing has been written in this transaction.
            let _ = original.execute_batch("ROLLBACK");
            replaced.map(Encrypted::Replaced)
        })
    };
    encrypted.map_err(|error| match (error, limbic_vfs::take_last_failure()) {
        (Error::CannotOpen(_), Some(failure)) => explained(failure.error, &failure.path),
        (error, _) => error,
    })
}

fn connect(path: &str, flags: OpenFlags) -> Result<Connection> {
    Ok(Connection::open_with_flags_and_vfs(path, OpenFlags::SQLITE_OPEN_READ_WRITE | flags, VFS)?)
}

/// Creates the schema, or brings it up to date, and rolls back what a killed program has left.
fn prepare(core_host: Box<dyn limbic_core::Host>, path: &str, flags: OpenFlags) -> Result<()> {
    Database::open(connect(path, flags)?, core_host, false)?.close()
}

/// Opens the original in a transaction that excludes every other program. Its schema is current, and no journal is left.
fn open(core_host: Box<dyn limbic_core::Host>, path: &str) -> Result<Connection> {
    prepare(core_host, path, OpenFlags::empty())?;
    let original = connect(path, OpenFlags::empty())?;
    original.busy_timeout(BUSY_TIMEOUT)?;
    original.execute_batch("PRAGMA journal_mode = PERSIST; BEGIN EXCLUSIVE")?;
    Ok(original)
}

fn replace<H: Host + Clone + 'static>(
    host: &H,
    path: &str,
    original: &mut Connection,
    key: &Key,
) -> Result<duplicate::Content> {
    let files: Arc<dyn Host> = Arc::new(host.clone());
    let copy = format!("{path}{COPY}");
    let failed = |error| explained(error, &copy);
    // One that was left by a program that was killed: the lock excludes another one at work.
    match files.delete(&copy) {
        Ok(()) | Err(HostError::NotFound) => {}
        Err(error) => return Err(failed(error)),
    }
    let written = write(&files, &copy, original, key).and_then(|content| {
        let old = files.open(path, OpenMode::Write).map_err(failed)?;
        files.rename(&copy, path).map_err(failed)?;
        Ok((content, old))
    });
    let (content, old) = written.inspect_err(|_| _ = files.delete(&copy))?;
    // The database is encrypted from here on: what fails now does not undo that. The original is overwritten only when
    // its name cannot come back with a power failure.
    let synced = files.open(path, OpenMode::Write).and_then(|file| {
        file.sync(false)?;
        files.sync_folder(limbic_vfs::folder_of(path))
    });
    let _ = synced.and_then(|()| erase(&*old));
    Ok(content)
}

/// Writes the copy, and checks what can be read of it with the key.
fn write(
    files: &Arc<dyn Host>,
    copy: &str,
    original: &mut Connection,
    key: &Key,
) -> Result<duplicate::Content> {
    let failed = |error| explained(error, copy);
    let pages = duplicate::bytes_with_room(original, limbic_vfs::ENCRYPTION_BYTES)?;
    limbic_vfs::write_encrypted(files, copy, key, &pages).map_err(failed)?;
    drop(pages);
    let read = limbic_vfs::read_encrypted(files, copy, key).map_err(failed)?;
    duplicate::require_same(original, &read)
}

/// Overwrites a file that no longer has a name.
fn erase(file: &dyn HostFile) -> std::result::Result<(), HostError> {
    let size = file.size()?;
    let zeros = vec![0; usize::try_from(ERASED_AT_ONCE).unwrap_or_default()];
    for offset in (0..size).step_by(zeros.len()) {
        let length = usize::try_from((size - offset).min(ERASED_AT_ONCE)).unwrap_or_default();
        file.write_at(&zeros[..length], offset)?;
    }
    file.sync(false)
}

fn explained(error: HostError, path: &str) -> Error {
    match error {
        HostError::Full => Error::DiskFull,
        HostError::WrongKey => Error::WrongKey,
        HostError::NotEncrypted => Error::NotEncrypted,
        HostError::HeldElsewhere(holder) => Error::LockedElsewhere(holder),
        error @ HostError::SharedDisk { .. } => Error::SharedDisk(error.to_string()),
        error => Error::CannotOpen(format!("{error}: {path}")),
    }
}
