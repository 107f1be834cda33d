//! Encrypts and decrypts a database on a host that cannot rename files, such as the pool of files of a browser.
//!
//! The plain database is at a path, the encrypted one beside it, at the path with a suffix. [`recover`] finds by
//! the first sixteen bytes of the plain file which of them is the database: if they are those of a SQLite database,
//! it is the plain one. They are written on their own, after everything else was written, synced and read back. A
//! conversion that is interrupted at any point leaves the original or the whole copy.
//!
//! In the place of a plain file that was encrypted stays a note, which no version of Limbic takes for a database:
//! one that knows nothing of the encrypted file would otherwise create an empty database there.
//!
//! The files must belong to this process alone.

use std::sync::Arc;

use limbic_core::db::duplicate::{self, Content};
use limbic_core::rusqlite::Connection;
use limbic_core::{Error, Result};
use limbic_vfs::{Host, HostError, HostFile, OpenMode, Secret, folder_of};

use crate::failures::explained;
use crate::replace::{Unfinished, erase, exclude_others, write};

/// The suffix of the encrypted file.
const SUFFIX: &str = "-encrypted";

/// The start of a plain database.
const PLAIN: &[u8] = b"SQLite format 3\0";

/// The content of the plain file while the database is encrypted.
const NOTE: &[u8] = b"Limbic: the database is encrypted, in the file beside this one.\n";

/// A plain copy is written and compared in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// Which of the two files is the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The one at the path, or there is no database.
    Plain,
    /// The one that [`encrypted_path`] names.
    Encrypted,
}

/// Which file is the database, after what an interrupted conversion has left was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The form of the database.
    pub form: Form,
    /// Why the other file is still there; the next [`recover`] tries again.
    pub unfinished: Option<Unfinished>,
}

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The content of the database.
    pub content: Content,
    /// The step that failed afterwards; [`recover`] repeats it.
    pub unfinished: Option<Unfinished>,
}

/// Returns where the encrypted file of the database at `path` is.
#[must_use]
pub fn encrypted_path(path: &str) -> String {
    format!("{path}{SUFFIX}")
}

/// Returns which file is the database at `path`, and overwrites what an interrupted conversion has left in the other
/// one. To be called before the database is opened.
///
/// # Errors
/// [`Error::CannotOpen`] if the files cannot be read, or if it cannot be made sure that the encrypted one stays the
/// database. What is left over and cannot be removed is no error.
pub fn recover(files: &dyn Host, path: &str) -> Result<Recovered> {
    let encrypted = encrypted_path(path);
    let failed = |error| explained(error, path);
    let recovered = |form, rest: std::result::Result<(), HostError>| Recovered {
        form,
        unfinished: rest.err().map(Unfinished::Remove),
    };
    let Some(copy) = opened(files, &encrypted)? else { return Ok(recovered(Form::Plain, Ok(()))) };
    let is_empty = copy.size().map_err(failed)? == 0;
    drop(copy);
    if is_empty || starts_with(files, path, PLAIN)? {
        // What can be read is not on the disk if its sync failed: it is written again before the other file is removed.
        let is_safe = if is_empty { Ok(()) } else { decide(files, path, PLAIN) };
        return Ok(recovered(Form::Plain, is_safe.and_then(|()| remove(files, &encrypted))));
    }
    let is_left = !starts_with(files, path, NOTE)? || size_of(files, path)? != NOTE.len() as u64;
    let rest = if is_left {
        decide(files, path, NOTE).map_err(failed)?;
        leave_note(files, path)
    } else {
        Ok(())
    };
    Ok(recovered(Form::Encrypted, rest))
}

/// Encrypts the database at `path`, which `original` has open, and overwrites the plain file. The copy is read back
/// with its key and compared before it becomes the database. Needs about four times as much memory as the database is
/// large.
///
/// # Errors
/// [`Error::DiskFull`], [`Error::Damaged`], [`Error::CannotOpen`]. Either file may be the database then, as [`recover`]
/// finds; its content is the same.
pub fn encrypt(
    files: &Arc<dyn Host>,
    path: &str,
    mut original: Connection,
    secret: &Secret,
) -> Result<Converted> {
    let copy = encrypted_path(path);
    let failed = |error| explained(error, &copy);
    remove(&**files, &copy).map_err(failed)?;
    exclude_others(&original)?;
    let mut written = || -> Result<Content> {
        drop(files.open(&copy, OpenMode::CreateNew).map_err(failed)?);
        let content = write(files, &copy, &mut original, secret)?;
        files.sync_folder(folder_of(&copy)).map_err(failed)?;
        Ok(content)
    };
    let content = written().inspect_err(|_| _ = remove(&**files, &copy))?;
    close(original)?;
    decide(&**files, path, NOTE).map_err(|error| explained(error, path))?;
    let unfinished = leave_note(&**files, path).err().map(Unfinished::Erase);
    Ok(Converted { content, unfinished })
}

/// Decrypts the database at `path`, which `original` has open, and removes the encrypted file. The copy is read back
/// and compared before it becomes the database. Needs about three times as much memory as the database is large.
///
/// # Errors
/// As [`encrypt`].
pub fn decrypt(files: &Arc<dyn Host>, path: &str, mut original: Connection) -> Result<Converted> {
    let failed = |error| explained(error, path);
    remove(&**files, path).map_err(failed)?;
    exclude_others(&original)?;
    let mut written = || -> Result<Content> {
        let bytes = original.serialize("main")?.to_vec();
        let content = duplicate::require_same(&original, &bytes)?;
        let plain = files.open(path, OpenMode::CreateNew).map_err(failed)?;
        write_but_start(&*plain, &bytes)?;
        files.sync_folder(folder_of(path)).map_err(failed)?;
        Ok(content)
    };
    let content = written().inspect_err(|_| _ = leave_note(&**files, path))?;
    close(original)?;
    // After a sync that failed, the encrypted file stays the database, also when this process reads the plain one.
    decide(&**files, path, PLAIN).inspect_err(|_| _ = leave_note(&**files, path)).map_err(failed)?;
    let unfinished = remove(&**files, &encrypted_path(path)).err().map(Unfinished::Erase);
    Ok(Converted { content, unfinished })
}

/// Writes a plain database with zeros at its start, syncs it, and compares it.
fn write_but_start(file: &dyn HostFile, bytes: &[u8]) -> Result<()> {
    let failed = |error| explained(error, "the plain copy");
    let mut wanted = bytes[..PIECE_BYTES.min(bytes.len())].to_vec();
    wanted[..PLAIN.len()].fill(0);
    let pieces = || {
        let others = bytes.chunks(PIECE_BYTES).skip(1);
        std::iter::once(&wanted[..]).chain(others).zip((0..).step_by(PIECE_BYTES))
    };
    for (piece, offset) in pieces() {
        file.write_at(piece, offset).map_err(failed)?;
    }
    file.sync().map_err(failed)?;
    let mut read = vec![0; PIECE_BYTES];
    for (piece, offset) in pieces() {
        let count = file.read_at(&mut read[..piece.len()], offset).map_err(failed)?;
        if read[..count] != *piece {
            return Err(Error::Damaged("the plain copy is not as it was written".to_owned()));
        }
    }
    Ok(())
}

/// Ends the transaction that excluded others, in which nothing was written, and closes the file.
fn close(original: Connection) -> Result<()> {
    original.execute_batch("ROLLBACK")?;
    original.close().map_err(|(_, error)| error.into())
}

fn opened(files: &dyn Host, path: &str) -> Result<Option<Box<dyn HostFile>>> {
    match files.open(path, OpenMode::Read) {
        Err(HostError::NotFound) => Ok(None),
        other => other.map(Some).map_err(|error| explained(error, path)),
    }
}

fn starts_with(files: &dyn Host, path: &str, wanted: &[u8]) -> Result<bool> {
    let Some(file) = opened(files, path)? else { return Ok(false) };
    let mut start = vec![0; wanted.len()];
    let count = file.read_at(&mut start, 0).map_err(|error| explained(error, path))?;
    Ok(start[..count] == *wanted)
}

fn size_of(files: &dyn Host, path: &str) -> Result<u64> {
    let size = opened(files, path)?.map_or(Ok(0), |file| file.size());
    size.map_err(|error| explained(error, path))
}

/// Writes the start of the plain file, which decides which file is the database.
fn decide(files: &dyn Host, path: &str, start: &[u8]) -> std::result::Result<(), HostError> {
    let file = files.open(path, OpenMode::Create)?;
    file.write_at(start, 0)?;
    file.sync()
}

/// Overwrites and removes a database and its journal, if they exist. The journal goes first: it must not be rolled back
/// into another database that gets this path.
fn remove(files: &dyn Host, path: &str) -> std::result::Result<(), HostError> {
    remove_file(files, &format!("{path}-journal"))?;
    remove_file(files, path)
}

fn remove_file(files: &dyn Host, path: &str) -> std::result::Result<(), HostError> {
    match files.open(path, OpenMode::Write) {
        Err(HostError::NotFound) => return Ok(()),
        other => erase(&*other?)?,
    }
    files.delete(path)
}

/// Overwrites the plain database and its journal, and leaves the note.
fn leave_note(files: &dyn Host, path: &str) -> std::result::Result<(), HostError> {
    remove_file(files, &format!("{path}-journal"))?;
    let file = files.open(path, OpenMode::Create)?;
    erase(&*file)?;
    file.truncate(0)?;
    file.write_at(NOTE, 0)?;
    file.sync()
}
