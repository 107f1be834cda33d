//! Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, or the keychain of the system.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
use limbic_encryption::{Key, key_of, recovery_phrase};

use super::keychain;
use crate::location::variable;
use crate::paths;

pub const KEY: &str = "LIMBIC_KEY";
pub const KEY_FILE: &str = "LIMBIC_KEY_FILE";

/// The start of a database that is not encrypted.
const PLAIN: &[u8] = b"SQLite format 3\0";

/// Maximum length of a key file, in bytes.
const FILE_BYTES_MAX: u64 = 4096;

/// Where keys are kept.
pub enum Source {
    /// In the variable `LIMBIC_KEY`.
    Variable(String),
    /// In a file.
    File(PathBuf),
    /// In the keychain of the system.
    Keychain,
}

impl Source {
    /// The source that the environment selects; the keychain if it selects none.
    pub fn of_environment() -> Result<Source> {
        match (variable(KEY), variable(KEY_FILE)) {
            (Some(_), Some(_)) => {
                Err(Error::invalid(format!("{KEY} and {KEY_FILE} cannot be combined: set one of them")))
            }
            (Some(text), None) => Ok(Source::Variable(text)),
            (None, Some(path)) => paths::expanded(Path::new(&path), KEY_FILE)
                .map(Source::File)
                .map_err(|error| Error::invalid(error.to_string())),
            (None, None) => Ok(Source::Keychain),
        }
    }

    /// Reads the key of a database; `None` if there is none yet.
    pub fn read(&self, database: &Path) -> Result<Option<Key>> {
        match self {
            Source::Variable(text) => key_of(text).map(Some).map_err(|error| wrong(KEY, error)),
            Source::File(path) => read_file(path),
            Source::Keychain => match keychain::find(&account(database))? {
                Some(text) => {
                    key_of(&text).map(Some).map_err(|error| wrong("the key in the keychain", error))
                }
                None => Ok(None),
            },
        }
    }

    /// Stores a key, so that [`Source::read`] finds it. `is_next` keeps the present one, until [`Source::promote`].
    pub fn store(&self, database: &Path, key: &Key, is_next: bool) -> Result<()> {
        match self {
            Source::Variable(_) => Err(Error::invalid(format!(
                "{KEY} cannot be changed from here: keep the key in a file ({KEY_FILE}) or in the keychain"
            ))),
            Source::File(path) => write_file(&if is_next { next(path) } else { path.clone() }, key),
            Source::Keychain => {
                let account = account(database);
                let account = if is_next { format!("{account}{NEXT}") } else { account };
                keychain::store(&account, &recovery_phrase(key))
            }
        }
    }

    /// Removes the next key, after the database could not get it.
    pub fn discard(&self, database: &Path) {
        match self {
            Source::Variable(_) => {}
            Source::File(path) => _ = fs::remove_file(next(path)),
            Source::Keychain => keychain::forget(&format!("{}{NEXT}", account(database))),
        }
    }

    /// Makes the next key the present one.
    pub fn promote(&self, database: &Path, key: &Key) -> Result<()> {
        match self {
            Source::File(path) => fs::rename(next(path), path).map_err(|error| unusable(path, &error)),
            other => {
                other.store(database, key, false)?;
                other.discard(database);
                Ok(())
            }
        }
    }
}

/// Returns the key with which a database is opened; `None` for one that is not encrypted. The keychain is asked only
/// about a file that is encrypted.
pub fn of_database(database: &Path) -> Result<Option<Key>> {
    match Source::of_environment()? {
        Source::Keychain if !seems_encrypted(database) => Ok(None),
        Source::File(path) if !path.exists() => Err(Error::invalid(format!(
            "{KEY_FILE} names a file that does not exist: {}. `limbic key encrypt` creates it",
            path.display()
        ))),
        source => source.read(database),
    }
}

/// Whether a file is there that does not start as a plain database.
pub fn seems_encrypted(database: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(database).and_then(|file| file.take(PLAIN.len() as u64).read_to_end(&mut head));
    read.is_ok() && !head.is_empty() && head != PLAIN
}

const NEXT: &str = ".new";

fn next(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(NEXT);
    name.into()
}

/// The name of a database in the keychain: its path without links.
fn account(database: &Path) -> String {
    let path = fs::canonicalize(database).or_else(|_| {
        let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
        fs::canonicalize(folder.unwrap_or(Path::new(".")))
            .map(|folder| folder.join(database.file_name().unwrap_or_default()))
    });
    path.unwrap_or_else(|_| database.to_owned()).to_string_lossy().into_owned()
}

fn read_file(path: &Path) -> Result<Option<Key>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|error| unusable(path, &error))?,
    };
    require_private(path, &file)?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file)
        .take(FILE_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| unusable(path, &error))?;
    if let Ok(bytes) = <[u8; Key::BYTES]>::try_from(bytes.as_slice()) {
        return Ok(Some(Key::new(bytes)));
    }
    let named = format!("{KEY_FILE} ({})", path.display());
    key_of(&String::from_utf8_lossy(&bytes)).map(Some).map_err(|error| wrong(&named, error))
}

/// Windows has no modes.
#[cfg(not(unix))]
fn require_private(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn require_private(path: &Path, file: &File) -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    let mode = file.metadata().map_err(|error| unusable(path, &error))?.mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{KEY_FILE} names a file that other users may read or change: run chmod 600 '{}'",
        path.display()
    )))
}

/// Writes a key as text, for its owner only. An existing file is not changed.
fn write_file(path: &Path, key: &Key) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        writeln!(file, "{}", recovery_phrase(key))?;
        file.sync_all()
    });
    written.map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    Error::invalid(format!("the key file {} cannot be used: {error}", path.display()))
}

fn wrong(named: &str, error: limbic_encryption::KeyTextError) -> Error {
    Error::invalid(format!("{named}: {error}"))
}
