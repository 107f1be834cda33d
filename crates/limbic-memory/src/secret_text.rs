//! A key or a passphrase that a program gives.

use std::fmt;

use limbic_core::{Error, Result};
use limbic_encryption::{Secret, key_of, new_passphrase_of, passphrase_of};
use zeroize::Zeroizing;

use crate::key::source::is_missing;
use crate::location::Location;

/// The text of a key or a passphrase, which is overwritten when it is dropped.
#[derive(Clone)]
pub enum SecretText {
    /// A key.
    Key(Zeroizing<String>),
    /// A passphrase.
    Passphrase(Zeroizing<String>),
}

impl SecretText {
    /// Reads the text. A passphrase of a database that does not exist yet must be long enough for a new one.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it is no key, or no passphrase.
    pub fn read(&self, location: &Location) -> Result<Secret> {
        match self {
            SecretText::Key(text) => {
                key_of(text).map(Secret::Key).map_err(|error| Error::invalid(format!("key: {error}")))
            }
            SecretText::Passphrase(text) => {
                let is_new = location.file().is_some_and(is_missing);
                let read = if is_new { new_passphrase_of(text) } else { passphrase_of(text) };
                read.map(Secret::Passphrase).map_err(|error| Error::invalid(format!("passphrase: {error}")))
            }
        }
    }
}

/// Without the text, which must not appear in logs.
impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            SecretText::Key(_) => "Key(…)",
            SecretText::Passphrase(_) => "Passphrase(…)",
        })
    }
}
