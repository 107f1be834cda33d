//! Limits of stored texts. The reference server has none, and its schemas name none.

use limbic_core::{Error, Result};

/// Maximum length of a name or type, in characters.
const MAX_NAME_CHARS: usize = 500;

/// Maximum length of an observation, in characters.
const MAX_OBSERVATION_CHARS: usize = 10_000;

/// # Errors
/// [`Error::InvalidArgument`] if a name or type is too long.
pub fn check_name(name: &str) -> Result<()> {
    check("A name or type", name, MAX_NAME_CHARS)
}

/// # Errors
/// [`Error::InvalidArgument`] if an observation is too long.
pub fn check_observations(observations: &[String]) -> Result<()> {
    observations
        .iter()
        .try_for_each(|observation| check("An observation", observation, MAX_OBSERVATION_CHARS))
}

fn check(what: &str, text: &str, max_chars: usize) -> Result<()> {
    let count = text.chars().count();
    if count <= max_chars {
        return Ok(());
    }
    let start: String = text.chars().take(60).collect();
    Err(Error::invalid(format!(
        "{what} must have at most {max_chars} characters, but got {count}: {start:?}..."
    )))
}
