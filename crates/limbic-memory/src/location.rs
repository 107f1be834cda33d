//! Where a database is: in a file, or in a store.

#[cfg(feature = "postgres")]
use std::env;
#[cfg(feature = "postgres")]
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
#[cfg(feature = "postgres")]
use limbic_pages::Address;

use crate::paths;

/// The location of a database.
#[derive(Clone)]
pub enum Location {
    /// A file, by its absolute path.
    File(PathBuf),
    /// A memory in PostgreSQL.
    #[cfg(feature = "postgres")]
    Store(Box<Address>),
}

impl Location {
    /// Parses a path, or the address of a memory. `named` is the source of the text in errors.
    pub fn parse(given: &Path, named: &str) -> Result<Location> {
        match given.to_str().filter(|text| is_address(text)) {
            Some(text) => store(text, named),
            // The address may contain a password, so it is not repeated.
            None if given.to_str().is_none() && is_address(&given.to_string_lossy()) => Err(Error::invalid(
                format!("{named} is an address of PostgreSQL that is not UTF-8: write it in UTF-8"),
            )),
            None => Location::of_file(paths::expanded(given, named)?, named),
        }
    }

    /// A file. SQLite takes its path as UTF-8.
    pub fn of_file(path: PathBuf, named: &str) -> Result<Location> {
        match path.to_str() {
            Some(_) => Ok(Location::File(path)),
            None => Err(Error::invalid(format!(
                "{named} is not UTF-8, which the path of a database must be: rename the file or its folder ({})",
                path.display()
            ))),
        }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Location::File(path) => Some(path),
            #[cfg(feature = "postgres")]
            Location::Store(_) => None,
        }
    }

    /// Whether it is a file that does not exist.
    pub fn is_missing(&self) -> bool {
        self.file().is_some_and(|path| !path.exists())
    }

    /// Why the store cannot be reached, while it cannot; `None` for a file.
    pub fn outage(&self) -> Option<String> {
        match self {
            Location::File(_) => None,
            #[cfg(feature = "postgres")]
            Location::Store(address) => address.outage(),
        }
    }

    /// Why the store refuses what this process needs of it, such as its login, while it does; empty for a file.
    pub fn troubles(&self) -> Vec<String> {
        match self {
            Location::File(_) => Vec::new(),
            #[cfg(feature = "postgres")]
            Location::Store(address) => address.troubles(),
        }
    }

    /// Returns the store's message of the last failure on this thread; `None` for a file.
    pub fn failure(&self) -> Option<Error> {
        if self.file().is_some() {
            return None;
        }
        limbic_vfs::take_last_failure().map(|failure| match failure.error {
            limbic_vfs::HostError::OutcomeUnknown(text) => Error::OutcomeUnknown(text),
            limbic_vfs::HostError::Cancelled(text) => Error::ReadCancelled(text),
            limbic_vfs::HostError::Full => Error::ServerDiskFull,
            limbic_vfs::HostError::Moved => Error::StoreMoved,
            error => Error::Io(error.to_string()),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => write!(formatter, "{}", path.display()),
            #[cfg(feature = "postgres")]
            Location::Store(address) => write!(formatter, "{address}"),
        }
    }
}

/// Runs background work: where a call would wait until its store is back, it fails.
pub fn in_background<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(feature = "postgres")]
    return limbic_pages::in_background(work);
    #[cfg(not(feature = "postgres"))]
    work()
}

fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.trim_start().starts_with(scheme))
}

#[cfg(feature = "postgres")]
fn store(text: &str, named: &str) -> Result<Location> {
    match Address::parse(text, &variable) {
        Ok(address) => Ok(Location::Store(Box::new(address))),
        Err(error) => Err(Error::invalid(format!("{named}: {error}"))),
    }
}

/// A variable of the environment. Without `HOME`, as services of some systems are started, the home folder is that of
/// the system's user, as in libpq.
#[cfg(feature = "postgres")]
fn variable(name: &str) -> Option<OsString> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.or_else(|| env::home_dir().filter(|_| name == "HOME").map(PathBuf::into_os_string))
}

#[cfg(not(feature = "postgres"))]
fn store(_text: &str, named: &str) -> Result<Location> {
    Err(Error::invalid(format!(
        "{named} is an address of PostgreSQL, and this program was built without the feature postgres"
    )))
}
