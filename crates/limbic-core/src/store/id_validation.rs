//! Ids that callers choose: what is handed out must be what they can give back.

use limbic_guard::escape;

use crate::{Error, Result};

/// That an id of the caller's own is handed out just as it is stored, and on one line.
///
/// # Errors
/// [`Error::InvalidArgument`] when it contains invisible characters, or characters that act on their neighbours.
pub(crate) fn require_plain(argument: &str, id: &str) -> Result<()> {
    if is_plain(id) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{argument} may hold no control, bidirectional or invisible characters: it could not be given back as it is \
         shown. It got {id:?}"
    )))
}

/// Whether an id holds no control, bidirectional or invisible characters.
#[must_use]
pub fn is_plain(id: &str) -> bool {
    escape(id) == id && !id.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_given_back_is_taken() {
        for id in ["a", "año 1", "東京", "עברית", "👩\u{200D}💻", "a/b:c <d>"] {
            assert!(require_plain("id", id).is_ok(), "{id:?}");
        }
        for id in ["a\u{202E}b", "a\nb", "a\tb", "\u{1B}[31m", "\u{200B}"] {
            assert!(require_plain("id", id).is_err(), "{id:?}");
        }
    }
}
