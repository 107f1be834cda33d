//! Variables of the environment. An empty one counts as unset, because many clients pass empty fields. One that is not
//! UTF-8 does not: another database, user or secret would be used.

use std::env::{self, VarError};
use std::path::PathBuf;

use limbic_core::{Error, Result};

/// The value of a variable; `None` if it is unset or empty.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is not UTF-8.
pub fn variable(name: &str) -> Result<Option<String>> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(Error::invalid(format!("{name} is not UTF-8: set it again in UTF-8, or unset it")))
        }
    }
}

/// The path in a variable, in any encoding; `None` if it is unset or empty.
pub fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
