//! Reads the arguments of a call.

use limbic_core::{Error, Result};
use serde_json::Value;

/// What some programs write before UTF-8, which JSON allows to ignore.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses arguments; an empty text means none, and a byte order mark before it is ignored.
///
/// # Errors
/// [`Error::InvalidArgument`] for a text that is not JSON, or is nested too deeply.
pub fn read(arguments: &str) -> Result<Value> {
    let arguments = arguments.strip_prefix(BYTE_ORDER_MARK).unwrap_or(arguments);
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(arguments).map_err(|error| Error::invalid(unreadable(&error)))
}

/// Returns why arguments cannot be parsed.
fn unreadable(error: &serde_json::Error) -> String {
    // serde_json offers no other way to recognise this error.
    if error.to_string().starts_with("recursion limit") {
        "The arguments are nested too deeply: at most 127 levels are allowed".to_owned()
    } else {
        format!("The arguments are not valid JSON, or contain a lone surrogate ({error})")
    }
}
