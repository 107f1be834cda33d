//! Where the tokens of a database are stored.

use std::time::Duration;

use anyhow::Result;

/// A token in a storage.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The JSON of [`StoredToken`](super::StoredToken).
    pub text: String,
    /// See [`NamedToken::used`](super::NamedToken::used).
    pub used: Option<Duration>,
}

/// Why a database cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It does not answer, or is not there.
    Unreachable,
    /// It refuses this server: a password, a certificate, missing rights.
    Refused,
}

impl Unusable {
    /// A name that reveals nothing else.
    pub fn name(self) -> &'static str {
        match self {
            Unusable::Unreachable => "unreachable",
            Unusable::Refused => "refused",
        }
    }
}

/// A storage of tokens.
pub trait Storage: Send + Sync {
    /// Adds a token. Returns `false` if the name is taken.
    fn add(&self, name: &str, sha256: &str, text: &str) -> Result<bool>;

    /// Every token, by name.
    fn list(&self) -> Result<Vec<Entry>>;

    /// Fails if the memory of these tokens does not exist. A file may be created later.
    fn require_database(&self) -> Result<()> {
        Ok(())
    }

    /// Checks whether the database of these tokens can be reached. One that the next call creates can.
    fn check(&self) -> Result<(), Unusable>;

    /// Tokens that may have this digest.
    fn candidates(&self, sha256: &str) -> Result<Vec<Entry>>;

    /// Deletes a token. Returns whether there was one.
    fn remove(&self, name: &str) -> Result<bool>;

    /// Stores when a token was last used.
    fn note_use(&self, name: &str, since_1970: Duration) -> Result<()>;
}
