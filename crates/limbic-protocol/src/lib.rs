//! What passes between the core and the encoder.
//!
//! The core and the encoder are separate modules, each in its own thread, and shells carry bytes from one to
//! the other without looking inside. A [`Task`] says what must be read; an [`Encoding`] says what came of it.
//! Both travel as lists, in [postcard](https://docs.rs/postcard)'s format, so that the order of the answers is
//! the order of the questions.
//!
//! This crate holds the types, the byte format and the stop words that both sides leave out. It knows no database, no model and no host.

mod bits;
mod encoding;
pub mod stop_words;
mod task;

pub use bits::{BYTES_PER_TOKEN, SignBits};
pub use encoding::{Encoding, EncodingResult, QueryTokens, TokenVectors};
pub use task::{DIMENSIONS, SNAPSHOT_TOKENS, Task, TaskKey, TextKind};

use serde::{Serialize, de::DeserializeOwned};

/// The bytes do not hold what was expected: the two modules are of different builds.
#[derive(Debug, thiserror::Error)]
#[error(
    "the message between core and encoder cannot be read ({0}); both modules must come from the same build"
)]
pub struct ProtocolError(#[from] postcard::Error);

/// Turns a list of tasks or encodings into bytes.
///
/// # Errors
/// None in practice: every type of this crate can be written.
pub fn to_bytes<T: Serialize>(items: &[T]) -> Result<Vec<u8>, ProtocolError> {
    Ok(postcard::to_stdvec(items)?)
}

/// Reads what [`to_bytes`] wrote. No bytes at all are an empty list.
///
/// # Errors
/// [`ProtocolError`] when the bytes are of another build or damaged.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, ProtocolError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(postcard::from_bytes(bytes)?)
}
