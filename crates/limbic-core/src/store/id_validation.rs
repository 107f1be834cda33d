//! Validation of ids that callers choose: an id in an answer must be accepted as an argument.

use limbic_guard::escape;

use crate::{Error, Result};

/// Checks that an id that a caller chose is returned exactly as it is stored, on one line.
///
/// # Errors
/// [`Error::InvalidArgument`] if it contains invisible characters, or characters that affect their neighbours.
pub(crate) fn require_plain(argument: &str, id: &str) -> Result<()> {
    if is_plain(id) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{argument} must not contain control, bidirectional or invisible characters, because the id as displayed could \
         not be used as an argument, but got {id:?}"
    )))
}

/// Whether an id holds no control, bidirectional or invisible characters.
#[must_use]
pub(crate) fn is_plain(id: &str) -> bool {
    escape(id) == id && !id.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_are_returned_unchanged_are_accepted() {
        for id in ["a", "año 1", "東京", "עברית", "👩\u{200D}💻", "a/b:c <d>"] {
            assert!(require_plain("id", id).is_ok(), "{id:?}");
        }
        for id in ["a\u{202E}b", "a\nb", "a\tb", "\u{1B}[31m", "\u{200B}"] {
            assert!(require_plain("id", id).is_err(), "{id:?}");
        }
    }
}
