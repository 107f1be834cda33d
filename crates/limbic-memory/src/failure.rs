//! Failures of calls.

use limbic_core::Error;
use limbic_tools::{Options, Shell};
use serde::Deserialize;

/// Why a call failed, or a database could not be opened. `Display` is one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Deserialize)]
#[error("{message}")]
pub struct Failure {
    /// The message: what was wrong, what was expected, and what to do.
    #[serde(rename = "error")]
    pub message: String,
    /// The stable code, such as `invalid_argument`, `not_found` or `read_only`.
    pub code: String,
    /// A tool, an option or a value that helps.
    #[serde(default)]
    pub hint: Option<String>,
}

impl Failure {
    /// Parses the answer of a failed call.
    pub(crate) fn of_answer(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_else(|_| Self::new("internal", json))
    }

    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { message: message.into(), code: code.to_owned(), hint: None }
    }

    /// The failure of a thread that is gone.
    pub(crate) fn ended() -> Self {
        Self::new(
            "internal",
            "The thread of this memory has ended because of an internal error: open the memory again",
        )
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let options = Options { shell: Shell::Library, ..Options::default() };
        Self::of_answer(&limbic_tools::error_json_for(&error, &options))
    }
}
