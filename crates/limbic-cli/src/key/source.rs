//! Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, or the keychain of the system.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
use limbic_encryption::{Key, key_of, recovery_phrase};

use super::key_file::{self, KEY_FILE};
use super::keychain;
use crate::location::variable;
use crate::paths;

pub const KEY: &str = "LIMBIC_KEY";

/// The start of a database that is not encrypted.
const PLAIN: &[u8] = b"SQLite format 3\0";

/// The start of the account of a next key in the keychain, before that of its database: no path starts like this.
const NEXT: &str = "next:";

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
            Source::File(path) => key_file::read(path),
            Source::Keychain => in_keychain(&account(database)),
        }
    }

    /// Reads the key that a rotation has stored for the database, and that is not the present one yet.
    pub fn next(&self, database: &Path) -> Result<Option<Key>> {
        match self {
            Source::Variable(_) => Ok(None),
            Source::File(path) => key_file::read(&key_file::next(path)),
            Source::Keychain => in_keychain(&next_account(database)),
        }
    }

    /// Where [`Source::next`] is, for a person.
    pub fn next_place(&self, database: &Path) -> String {
        match self {
            Source::Variable(_) => KEY.to_owned(),
            Source::File(path) => key_file::next(path).display().to_string(),
            Source::Keychain => format!("the keychain as {}", next_account(database)),
        }
    }

    /// Stores a key, so that [`Source::read`] finds it. A key file must not exist.
    pub fn store(&self, database: &Path, key: &Key) -> Result<()> {
        match self {
            Source::Variable(_) => Err(fixed()),
            Source::File(path) => key_file::create(path, key, path),
            Source::Keychain => keychain::store(&account(database), &recovery_phrase(key)),
        }
    }

    /// Stores the next key beside the present one. There must be none.
    pub fn store_next(&self, database: &Path, key: &Key) -> Result<()> {
        match self {
            Source::Variable(_) => Err(fixed()),
            Source::File(path) => key_file::create(&key_file::next(path), key, path),
            Source::Keychain => keychain::store(&next_account(database), &recovery_phrase(key)),
        }
    }

    /// Removes the next key, which must be the present one as well.
    pub fn discard_next(&self, database: &Path) -> Result<()> {
        match self {
            Source::Variable(_) => Ok(()),
            Source::File(path) => {
                let next = key_file::next(path);
                fs::remove_file(&next).map_err(|error| key_file::unusable(&next, &error))
            }
            Source::Keychain => {
                keychain::forget(&next_account(database));
                Ok(())
            }
        }
    }

    /// Makes the next key, which must be `key`, the present one. Returns the file with the former key, which copies of the
    /// database and other databases may need.
    pub fn promote(&self, database: &Path, key: &Key) -> Result<Option<PathBuf>> {
        match self {
            Source::Variable(_) => Err(fixed()),
            Source::File(path) => key_file::promote(path, key),
            Source::Keychain => {
                self.store(database, key)?;
                self.discard_next(database)?;
                Ok(None)
            }
        }
    }
}

fn in_keychain(account: &str) -> Result<Option<Key>> {
    let found = keychain::find(account)?;
    found.map(|text| key_of(&text).map_err(|error| wrong("the key in the keychain", error))).transpose()
}

fn fixed() -> Error {
    Error::invalid(format!(
        "{KEY} cannot be changed from here: keep the key in a file ({KEY_FILE}) or in the keychain"
    ))
}

/// The key file that the environment selects.
pub fn file_of_environment() -> Option<PathBuf> {
    match Source::of_environment() {
        Ok(Source::File(path)) => Some(path),
        _ => None,
    }
}

/// Returns the key with which a database is opened; `None` for one that is not encrypted. The keychain is asked only
/// about a file that is encrypted.
pub fn of_database(database: &Path) -> Result<Option<Key>> {
    match Source::of_environment()? {
        Source::Keychain if !is_not_plain(database) => Ok(None),
        Source::File(path) if !path.exists() => Err(Error::invalid(format!(
            "{KEY_FILE} names a file that does not exist: {}. `limbic key encrypt` creates it",
            path.display()
        ))),
        source => source.read(database),
    }
}

/// Whether a file is there that does not start as a plain database.
pub fn is_not_plain(database: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(database).and_then(|file| file.take(PLAIN.len() as u64).read_to_end(&mut head));
    read.is_ok() && !head.is_empty() && head != PLAIN
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

fn next_account(database: &Path) -> String {
    format!("{NEXT}{}", account(database))
}

fn wrong(named: &str, error: limbic_encryption::KeyTextError) -> Error {
    Error::invalid(format!("{named}: {error}"))
}
