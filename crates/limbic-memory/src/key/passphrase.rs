//! Passphrases: in variables, in files, and typed at a terminal.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
use limbic_encryption::{Passphrase, new_passphrase_of, passphrase_of};

use super::key_file;
use super::variables::{NEW_PASSPHRASE_FILE, PASSPHRASE, PASSPHRASE_FILE};
use crate::environment::{path_variable, variable};
use crate::paths;

/// Where a passphrase can come from without a terminal, for messages.
const ELSEWHERE: &str = "run this at a terminal, or set";

/// A passphrase that was given.
pub struct GivenPassphrase {
    passphrase: Passphrase,
    /// Why it cannot be that of a database that is about to be encrypted.
    weakness: Option<Error>,
}

impl GivenPassphrase {
    /// Reads a passphrase; `named` says where it comes from.
    fn read(text: &str, named: &str) -> Result<GivenPassphrase> {
        let wrong = |error| Error::invalid(format!("{named}: {error}"));
        let passphrase = passphrase_of(text).map_err(wrong)?;
        Ok(GivenPassphrase { passphrase, weakness: new_passphrase_of(text).err().map(wrong) })
    }

    /// The passphrase of a database that exists.
    pub fn passphrase(&self) -> Passphrase {
        self.passphrase.clone()
    }

    /// As [`GivenPassphrase::passphrase`], for a database that is about to be encrypted.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it is too short.
    pub fn into_new(self) -> Result<GivenPassphrase> {
        match self.weakness {
            Some(weakness) => Err(weakness),
            None => Ok(self),
        }
    }
}

/// The passphrase in a variable, or in the file that another variable names; `None` if neither is set.
///
/// # Errors
/// If both are set, or the file cannot be used.
pub fn of_variables(text_name: &str, file_name: &str) -> Result<Option<GivenPassphrase>> {
    match (variable(text_name)?, path_variable(file_name)) {
        (Some(_), Some(_)) => {
            Err(Error::invalid(format!("{text_name} and {file_name} cannot be combined: set one of them")))
        }
        (Some(text), None) => GivenPassphrase::read(&text, text_name).map(Some),
        (None, Some(path)) => {
            let path = paths::expanded(&path, file_name)?;
            let bytes = key_file::read_private(&path, file_name)?.ok_or_else(|| {
                Error::invalid(format!("{file_name} names a file that does not exist: {}", path.display()))
            })?;
            let named = format!("{file_name} ({})", path.display());
            let text =
                String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{named}: it is not UTF-8")))?;
            GivenPassphrase::read(&text, &named).map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// The files with passphrases that the environment names.
pub fn files_of_environment() -> Vec<PathBuf> {
    let file = |name: &&str| paths::expanded(&path_variable(name)?, name).ok();
    [PASSPHRASE_FILE, NEW_PASSPHRASE_FILE].iter().filter_map(file).collect()
}

/// Whether a person can be asked.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for the passphrase of a database.
///
/// # Errors
/// If there is no terminal, or nothing was typed.
pub fn ask(database: &Path) -> Result<GivenPassphrase> {
    if !can_ask() {
        return Err(Error::invalid(format!(
            "the key of {} is derived from a passphrase: {ELSEWHERE} {PASSPHRASE_FILE} or {PASSPHRASE}",
            database.display()
        )));
    }
    typed(&format!("Passphrase of {}: ", database.display()))
}

/// Asks twice for the new passphrase of a database; the variables are what a program sets instead.
///
/// # Errors
/// If there is no terminal, the two differ, or it is too short.
pub fn ask_new(database: &Path, file_name: &str, text_name: &str) -> Result<GivenPassphrase> {
    if !can_ask() {
        return Err(Error::invalid(format!(
            "there is no new passphrase: {ELSEWHERE} {file_name} or {text_name}"
        )));
    }
    let new = typed(&format!("New passphrase of {}: ", database.display()))?.into_new()?;
    let again = typed("Repeat the passphrase: ")?;
    if new.passphrase != again.passphrase {
        return Err(Error::invalid("the two passphrases differ, and nothing was changed: try again"));
    }
    Ok(new)
}

fn typed(prompt: &str) -> Result<GivenPassphrase> {
    let text = rpassword::prompt_password(prompt).map_err(|error| {
        Error::invalid(format!("the passphrase cannot be read from the terminal: {error}"))
    })?;
    GivenPassphrase::read(&text, "the terminal")
}
