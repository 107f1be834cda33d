//! Messages between the core and the encoder.
//!
//! The core and the encoder are separate modules, each on its own thread. Shells pass the messages as bytes. A [`Task`]
//! describes a text to encode, an [`Encoding`] is its result. Both are sent as lists in the
//! [postcard](https://docs.rs/postcard) format; results are in the order of the tasks.
//!
//! The crate contains the message types, the byte format, and the stop words that both sides exclude, with the language
//! of a text, on which they depend; also hashes and pseudorandom numbers that are the same on every machine. It depends
//! on no database, model or host.
//!
//! ```
//! use limbic_protocol::{Task, from_bytes, to_bytes};
//!
//! let tasks = [Task::Query { text: "where is the key?".to_owned() }];
//! let bytes = to_bytes(&tasks)?;
//! assert_eq!(from_bytes::<Task>(&bytes)?, tasks);
//! # Ok::<(), limbic_protocol::ProtocolError>(())
//! ```

mod bits;
mod encoding;
mod fnv;
mod language;
mod split_mix;
pub mod stop_words;
mod task;

pub use bits::SignBits;
pub use encoding::{Encoding, EncodingResult, QueryTokens, Scale, TokenVectors};
pub use fnv::{fnv1a, fnv1a_128};
pub use language::is_latin;
pub use split_mix::SplitMix64;
pub use stop_words::Language;
pub use task::{DIMENSIONS, MAX_SNAPSHOT_TOKENS, Task, TaskKey, TextKind};

use serde::{Serialize, de::DeserializeOwned};

/// A message cannot be serialised or parsed, usually because the two modules are of different builds.
#[derive(Debug, thiserror::Error)]
#[error("cannot parse a message between core and encoder ({0}); use modules of the same build")]
pub struct ProtocolError(#[from] postcard::Error);

/// Serialises a list of tasks or encodings.
///
/// # Errors
/// [`ProtocolError`]; does not occur for the types of this crate.
pub fn to_bytes<T: Serialize>(items: &[T]) -> Result<Vec<u8>, ProtocolError> {
    Ok(postcard::to_stdvec(items)?)
}

/// Parses the output of [`to_bytes`]. Empty input is an empty list.
///
/// # Errors
/// [`ProtocolError`] when the bytes are truncated, damaged, or of another build.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, ProtocolError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(postcard::from_bytes(bytes)?)
}
