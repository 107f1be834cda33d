//! Where a database is: in a file, or in a store.

use std::path::{Path, PathBuf};
use std::{env, fmt};

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
            None => Ok(Location::File(paths::expanded(given, named)?)),
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

    /// Returns the store's message of the last failure on this thread; `None` for a file.
    pub fn failure(&self) -> Option<Error> {
        if self.file().is_some() {
            return None;
        }
        limbic_vfs::take_last_failure().map(|failure| match failure.error {
            limbic_vfs::HostError::OutcomeUnknown(text) => Error::OutcomeUnknown(text),
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

/// Returns a variable; an empty one counts as unset, because many clients pass empty fields.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
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

#[cfg(not(feature = "postgres"))]
fn store(_text: &str, named: &str) -> Result<Location> {
    Err(Error::invalid(format!(
        "{named} is an address of PostgreSQL, and this program was built without the feature postgres"
    )))
}
