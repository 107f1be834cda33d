//! Files that hold a key, for their owner only. No step overwrites the only copy of a key.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
use limbic_encryption::{Key, key_of, recovery_phrase};
use limbic_vfs::{Host, StdHost};

/// The variable that names the file.
pub const KEY_FILE: &str = "LIMBIC_KEY_FILE";

/// Suffix of the file with the key that the database gets next.
pub const NEXT: &str = ".new";
/// Suffix of the files with keys that it had, before a number from the second on.
pub const OLD: &str = ".old";

/// Maximum length of a file with a key or a passphrase, in bytes.
const MAX_FILE_BYTES: u64 = 4096;

/// The file of the next key.
pub fn next(path: &Path) -> PathBuf {
    with_suffix(path, NEXT)
}

/// Reads the key in a file; `None` if there is no file.
pub fn read(path: &Path) -> Result<Option<Key>> {
    let Some(bytes) = read_private(path, KEY_FILE)? else { return Ok(None) };
    if bytes.is_empty() {
        return Err(Error::invalid(format!(
            "the key file {0} is empty, as a command that was interrupted may leave it: delete {0}",
            path.display()
        )));
    }
    if let Ok(bytes) = <[u8; Key::BYTES]>::try_from(bytes.as_slice()) {
        return Ok(Some(Key::new(bytes)));
    }
    let named = format!("{KEY_FILE} ({})", path.display());
    let key = key_of(&String::from_utf8_lossy(&bytes));
    key.map(Some).map_err(|error| Error::invalid(format!("{named}: {error}")))
}

/// Reads a file that its owner alone may read and change; `None` if there is no file. `variable` names it.
pub fn read_private(path: &Path, variable: &str) -> Result<Option<Vec<u8>>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| unusable(path, &error))?,
    };
    require_private(path, &file, variable)?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unusable(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::invalid(format!(
            "{variable} ({}): the file is longer than 4,096 bytes: name one with the key or passphrase alone",
            path.display()
        )));
    }
    Ok(Some(bytes))
}

/// Writes a key as text to a file that must not exist. The file gets its name when its content is on the disk and was
/// read back. It belongs to the owner of `like`, if there is one.
pub fn create(path: &Path, key: &Key, like: &Path) -> Result<()> {
    let text = format!("{}\n", recovery_phrase(key));
    let written = || -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".limbic-key-").tempfile_in(folder_of(path))?;
        file.write_all(text.as_bytes())?;
        keep_owner(like, file.path())?;
        file.as_file().sync_all()?;
        if fs::read(file.path())? != text.as_bytes() {
            return Err(io::Error::other("what was stored was read back with another content"));
        }
        file.persist_noclobber(path).map_err(|error| error.error)?;
        sync_folder(path)
    };
    written().map_err(|error| unusable(path, &error))
}

/// Puts the next key, which must be `key`, in place of the present one, which is kept. Returns where; `None` if the
/// present key is `key` already.
pub fn promote(path: &Path, key: &Key) -> Result<Option<PathBuf>> {
    let is = |found: &Option<Key>| found.as_ref().is_some_and(|found| found.bytes() == key.bytes());
    let (present, waiting) = (read(path)?, read(&next(path))?);
    if is(&present) {
        if is(&waiting) {
            fs::remove_file(next(path)).map_err(|error| unusable(&next(path), &error))?;
        }
        return Ok(None);
    }
    if !is(&waiting) {
        return Err(Error::invalid(format!("the key file {} holds another key", next(path).display())));
    }
    let kept = present.map(|present| keep(path, &present)).transpose()?;
    fs::rename(next(path), path).map_err(|error| unusable(path, &error))?;
    // If the name does not survive a power failure, the two files are as before, and the next rotation finishes.
    let _ = sync_folder(path);
    Ok(kept)
}

/// Stores a former key beside its file, under the first name that is free or holds this key. Returns its path.
fn keep(path: &Path, key: &Key) -> Result<PathBuf> {
    for number in 1_u32.. {
        let suffix = if number == 1 { OLD.to_owned() } else { format!("{OLD}.{number}") };
        let kept = with_suffix(path, &suffix);
        match read(&kept) {
            Ok(None) => return create(&kept, key, path).map(|()| kept),
            Ok(Some(found)) if found.bytes() == key.bytes() => return Ok(kept),
            // It is another key, or something else.
            Ok(Some(_)) | Err(_) => {}
        }
    }
    unreachable!("a folder has fewer files")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn sync_folder(path: &Path) -> io::Result<()> {
    StdHost.sync_folder(&folder_of(path).to_string_lossy()).map_err(io::Error::other)
}

/// Windows has no modes.
#[cfg(not(unix))]
fn require_private(_: &Path, _: &File, _: &str) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn require_private(path: &Path, file: &File, variable: &str) -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    let mode = file.metadata().map_err(|error| unusable(path, &error))?.mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{variable} names a file that other users may read or change: run chmod 600 '{}'",
        path.display()
    )))
}

/// Gives a file the owner of another one, if that is there: root may write the key of a user.
#[cfg(unix)]
fn keep_owner(like: &Path, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};

    let Ok(wanted) = fs::metadata(like) else { return Ok(()) };
    let found = fs::metadata(path)?;
    let is_same = (wanted.uid(), wanted.gid()) == (found.uid(), found.gid());
    if is_same { Ok(()) } else { chown(path, Some(wanted.uid()), Some(wanted.gid())) }
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// The error for a key file that cannot be read or written.
pub fn unusable(path: &Path, error: &io::Error) -> Error {
    Error::invalid(format!("the key file {} cannot be used: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a file that its owner alone may read.
    fn written(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
        let mut file = tempfile::Builder::new().tempfile_in(folder.path()).expect("the folder is writable");
        file.write_all(bytes).expect("the disk has room");
        file.keep().expect("the file is there").1
    }

    #[test]
    fn a_file_that_is_too_long_is_refused_rather_than_cut() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let read = |length| read_private(&written(&folder, &vec![b'a'; length]), "LIMBIC_PASSPHRASE_FILE");
        let longest = read(4096).expect("the length is allowed");
        assert_eq!(longest.map(|text| text.len()), Some(4096));
        let refused = read(4097).expect_err("one byte too many").to_string();
        assert!(refused.contains("LIMBIC_PASSPHRASE_FILE") && refused.contains("4,096 bytes"), "{refused}");
    }

    #[test]
    fn an_empty_key_file_is_named() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let path = written(&folder, b"");
        let refused = read(&path).map(drop).expect_err("there is no key in it").to_string();
        assert!(refused.contains(&format!("delete {}", path.display())), "{refused}");
    }
}
