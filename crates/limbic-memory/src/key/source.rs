//! Where the key of a database comes from: `LIMBIC_KEY`, the file `LIMBIC_KEY_FILE`, the keychain of the system, or a
//! passphrase.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use limbic_core::{Error, Result};
use limbic_encryption::{Key, Passphrase, Secret, has_passphrase, key_of, recovery_phrase};

use super::key_file::{self, KEY_FILE};
use super::keychain;
use super::passphrase::{self, GivenPassphrase};
use super::variables::{KEY, NEW_PASSPHRASE, NEW_PASSPHRASE_FILE, PASSPHRASE, PASSPHRASE_FILE};
use crate::environment::{path_variable, variable};
use crate::location::Location;
use crate::paths;

/// The start of a database that is not encrypted.
const PLAIN: &[u8] = b"SQLite format 3\0";

/// The start of the account of a next key in the keychain, before that of its database: no path starts like this.
const NEXT: &str = "next:";

/// The start of the account of a former key, before that of its database, from the second on with a number.
const FORMER: &str = "former:";

/// Where a former key is kept.
pub struct RetainedKey {
    /// The place, for a person.
    pub place: String,
    /// How a person removes it.
    pub removal: String,
}

/// The passphrase that a person typed when the server started.
static ASKED: OnceLock<Passphrase> = OnceLock::new();

/// Where keys are kept, or what they are derived from.
pub enum Source {
    /// The variable `LIMBIC_KEY`.
    Variable(String),
    /// A file.
    File(PathBuf),
    /// The keychain of the system.
    Keychain,
    /// A passphrase, from which keys are derived.
    Passphrase(GivenPassphrase),
}

impl Source {
    /// The source that the environment selects; the keychain if it selects none.
    pub fn of_environment() -> Result<Source> {
        if let [one, other, ..] = given()[..] {
            return Err(Error::invalid(format!("{one} and {other} cannot be combined: set one of them")));
        }
        match passphrase::of_variables(PASSPHRASE, PASSPHRASE_FILE)? {
            Some(given) => Ok(Source::Passphrase(given)),
            None => Source::of_keys(),
        }
    }

    /// As [`Source::of_environment`], without passphrases.
    pub fn of_keys() -> Result<Source> {
        match (variable(KEY)?, path_variable(KEY_FILE)) {
            (Some(text), _) => Ok(Source::Variable(text)),
            (None, Some(path)) => {
                let path = paths::expanded(&path, KEY_FILE)?;
                // The next and the former key lie beside the file itself, and a rotation leaves a link to it as it is.
                Ok(Source::File(fs::canonicalize(&path).unwrap_or(path)))
            }
            (None, None) => Ok(Source::Keychain),
        }
    }

    /// The passphrase of a database, whatever is set for keys; `None` if there is none.
    pub fn of_passphrase(database: &Path) -> Result<Option<Source>> {
        match passphrase::of_variables(PASSPHRASE, PASSPHRASE_FILE)? {
            Some(given) => Ok(Some(Source::Passphrase(given))),
            None if is_derived(database) && variable(KEY)?.is_none() => {
                passphrase::ask(database).map(Source::Passphrase).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The source of a database that is encrypted. A person is asked for its passphrase if it has one and no variable
    /// is set.
    pub fn of_encrypted(database: &Path) -> Result<Source> {
        match Source::of_environment()? {
            Source::Keychain if is_derived(database) => passphrase::ask(database).map(Source::Passphrase),
            other => Ok(other),
        }
    }

    /// The source of a database that is about to be encrypted. A person is asked for a passphrase if one is wanted, or
    /// there is no keychain, and no variable is set.
    pub fn of_new(database: &Path, wants_passphrase: bool) -> Result<Source> {
        match Source::of_environment()? {
            Source::Passphrase(given) => given.into_new().map(Source::Passphrase),
            Source::Keychain if wants_passphrase || passphrase::can_ask() && !keychain::exists() => {
                passphrase::ask_new(database, PASSPHRASE_FILE, PASSPHRASE).map(Source::Passphrase)
            }
            _ if wants_passphrase => Err(Error::invalid(format!(
                "--passphrase cannot be combined with {KEY} or {KEY_FILE}: unset it"
            ))),
            other => Ok(other),
        }
    }

    /// Makes [`of_database`] know a passphrase that was typed.
    pub fn remember(&self) {
        if let Source::Passphrase(given) = self {
            // There is one database in a process.
            let _ = ASKED.set(given.passphrase());
        }
    }

    /// Reads what opens a database; `None` if there is no key yet.
    pub fn read(&self, database: &Path) -> Result<Option<Secret>> {
        match self {
            Source::Passphrase(given) => Ok(Some(Secret::Passphrase(given.passphrase()))),
            stored => Ok(stored.key(database)?.map(Secret::Key)),
        }
    }

    /// Reads the key that is kept; `None` if there is none.
    fn key(&self, database: &Path) -> Result<Option<Key>> {
        match self {
            Source::Variable(text) => key_of(text).map(Some).map_err(|error| wrong(KEY, error)),
            Source::File(path) => key_file::read(path),
            Source::Keychain => in_keychain(&account(database)),
            Source::Passphrase(_) => Ok(None),
        }
    }

    /// Reads the key that other databases may use as well: that in a file. `None` if there is none.
    pub fn shared(&self, database: &Path) -> Result<Option<Key>> {
        if matches!(self, Source::File(_)) { self.key(database) } else { Ok(None) }
    }

    /// Where the key is kept, for a person.
    pub fn place(&self, database: &Path) -> String {
        match self {
            Source::Variable(_) => KEY.to_owned(),
            Source::File(path) => path.display().to_string(),
            Source::Keychain => format!("the keychain as {}", account(database)),
            Source::Passphrase(_) => "no place".to_owned(),
        }
    }

    /// Reads the key that a rotation has stored for the database, and that is not the present one yet.
    pub fn next(&self, database: &Path) -> Result<Option<Key>> {
        match self {
            Source::Variable(_) | Source::Passphrase(_) => Ok(None),
            Source::File(path) => key_file::read(&key_file::next(path)),
            Source::Keychain => in_keychain(&next_account(database)),
        }
    }

    /// Where [`Source::next`] is, for a person.
    pub fn next_place(&self, database: &Path) -> String {
        match self {
            Source::File(path) => key_file::next(path).display().to_string(),
            Source::Keychain => format!("the keychain as {}", next_account(database)),
            other => other.place(database),
        }
    }

    /// Stores a key, so that [`Source::read`] finds it. A key file must not exist.
    pub fn store(&self, database: &Path, key: &Key) -> Result<()> {
        match self {
            Source::Variable(_) | Source::Passphrase(_) => Err(fixed()),
            Source::File(path) => key_file::create(path, key, path),
            Source::Keychain => keychain::store(&account(database), &recovery_phrase(key)),
        }
    }

    /// Stores the next key beside the present one. There must be none.
    pub fn store_next(&self, database: &Path, key: &Key) -> Result<()> {
        match self {
            Source::Variable(_) | Source::Passphrase(_) => Err(fixed()),
            Source::File(path) => key_file::create(&key_file::next(path), key, path),
            Source::Keychain => keychain::store(&next_account(database), &recovery_phrase(key)),
        }
    }

    /// Removes the next key, which must be the present one as well.
    pub fn discard_next(&self, database: &Path) -> Result<()> {
        match self {
            Source::Variable(_) | Source::Passphrase(_) => Ok(()),
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

    /// Makes the next key, which must be `key`, the present one. Returns where the former key is kept, which copies of
    /// the database and other databases may need.
    pub fn promote(&self, database: &Path, key: &Key) -> Result<Option<RetainedKey>> {
        match self {
            Source::Variable(_) | Source::Passphrase(_) => Err(fixed()),
            Source::File(path) => Ok(key_file::promote(path, key)?.map(|path| RetainedKey {
                place: path.display().to_string(),
                removal: "delete it".to_owned(),
            })),
            Source::Keychain => {
                let is_key = |found: &Key| found.bytes() == key.bytes();
                let (former, is_next) =
                    (self.key(database)?, self.next(database)?.as_ref().is_some_and(is_key));
                if former.as_ref().is_some_and(is_key) {
                    if is_next {
                        self.discard_next(database)?;
                    }
                    return Ok(None);
                }
                if !is_next {
                    let place = self.next_place(database);
                    return Err(Error::invalid(format!("{place} holds another key")));
                }
                let kept = former.map(|former| keep_in_keychain(&account(database), &former)).transpose()?;
                self.store(database, key)?;
                self.discard_next(database)?;
                Ok(kept)
            }
        }
    }
}

/// Stores a former key beside the present one, under the first name that is free or holds this key.
fn keep_in_keychain(account: &str, key: &Key) -> Result<RetainedKey> {
    for number in 1_u32.. {
        let start = if number == 1 { FORMER.to_owned() } else { format!("{FORMER}{number}:") };
        let former = format!("{start}{account}");
        let found = keychain::find(&former)?;
        let is_key = |text: &String| key_of(text).is_ok_and(|found| found.bytes() == key.bytes());
        if found.as_ref().is_some_and(|text| !is_key(text)) {
            continue;
        }
        if found.is_none() {
            keychain::store(&former, &recovery_phrase(key))?;
        }
        let removal = format!("remove it ({})", keychain::removal(&former));
        return Ok(RetainedKey { place: format!("the keychain as {former}"), removal });
    }
    unreachable!("a keychain has fewer items")
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

/// The new passphrase of a rotation: that of the environment, or what a person types.
pub fn new_passphrase(database: &Path) -> Result<GivenPassphrase> {
    match passphrase::of_variables(NEW_PASSPHRASE, NEW_PASSPHRASE_FILE)? {
        Some(given) => given.into_new(),
        None => passphrase::ask_new(database, NEW_PASSPHRASE_FILE, NEW_PASSPHRASE),
    }
}

/// Fails if the environment has a key or a passphrase for a memory in a store, whose pages are not encrypted.
pub fn require_none(location: &Location) -> Result<()> {
    if location.file().is_some() {
        return Ok(());
    }
    match given().first() {
        Some(name) => Err(Error::invalid(format!(
            "{name} is set, but Limbic does not encrypt a memory in PostgreSQL: unset it, and protect {location} with \
             PostgreSQL's roles, sslmode=verify-full and an encrypted disk"
        ))),
        None => Ok(()),
    }
}

/// The variables that are set, in any encoding.
fn given() -> Vec<&'static str> {
    let names = [KEY, KEY_FILE, PASSPHRASE, PASSPHRASE_FILE];
    names.into_iter().filter(|name| path_variable(name).is_some()).collect()
}

/// The key file that the environment selects.
pub fn file_of_environment() -> Option<PathBuf> {
    match Source::of_keys() {
        Ok(Source::File(path)) => Some(path),
        _ => None,
    }
}

/// Returns what opens a database; `None` for one that is not encrypted. The keychain is asked only about a file that is
/// encrypted, and whose key is not derived from a passphrase.
pub fn of_database(database: &Path) -> Result<Option<Secret>> {
    match Source::of_environment()? {
        Source::Keychain if is_derived(database) || is_missing(database) => {
            Ok(ASKED.get().cloned().map(Secret::Passphrase))
        }
        Source::Keychain if !is_not_plain(database) => Ok(None),
        Source::Passphrase(given) if is_missing(database) => {
            Ok(Some(Secret::Passphrase(given.into_new()?.passphrase())))
        }
        Source::File(path) if !path.exists() => {
            let next = key_file::next(&path);
            let advice = match next.exists() {
                true => format!(
                    "A rotation was interrupted: `limbic key rotate` finishes it with {}",
                    next.display()
                ),
                false => "`limbic key encrypt` creates it".to_owned(),
            };
            let path = path.display();
            Err(Error::invalid(format!("{KEY_FILE} names a file that does not exist: {path}. {advice}")))
        }
        source => source.read(database),
    }
}

/// Whether a file is there that does not start as a plain database.
pub fn is_not_plain(database: &Path) -> bool {
    start_of(database).is_some_and(|start| !start.is_empty() && start != PLAIN)
}

/// Whether a file is there whose key is derived from a passphrase.
pub fn is_derived(database: &Path) -> bool {
    start_of(database).is_some_and(|start| has_passphrase(&start))
}

/// Whether there is no file, or an empty one.
pub fn is_missing(database: &Path) -> bool {
    fs::metadata(database).is_ok_and(|found| found.len() == 0) || !database.exists()
}

fn start_of(database: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    let read = File::open(database).and_then(|file| file.take(PLAIN.len() as u64).read_to_end(&mut start));
    read.is_ok().then_some(start)
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
