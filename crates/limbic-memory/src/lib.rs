//! Long-term memory for AI agents, in a program's own process.
//!
//! [`open`] opens a database file with every tool and the sentence encoder, takes the same locks as the servers, and
//! may use the file at the same time as they do. Each tool is a method of [`Memory`] that takes anything that
//! serialises to its arguments, and returns anything that its answer can be parsed as.
//!
//! ```no_run
#![doc = include_str!("../example.rs")]
//! ```
//!
//! A program names the sentence model with [`Options::model`], or has it in the folder `model` beside its executable.
//! `README.md` beside this crate has the line for `Cargo.toml`, the features, and where the model comes from.
//!
//! The modules without documentation are what the native shells are built from, and change without notice: a shell has
//! a protocol, arguments and events, and leaves the steps of a call to `session::Session`.

#[doc(hidden)]
pub mod addresses;
#[doc(hidden)]
pub mod embedding_batches;
#[doc(hidden)]
pub mod encoder_thread;
#[doc(hidden)]
pub mod environment;
mod failure;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod in_use;
#[doc(hidden)]
pub mod key;
#[doc(hidden)]
pub mod location;
mod memory;
mod methods;
#[doc(hidden)]
pub mod client_access;
mod options;
#[doc(hidden)]
pub mod paths;
mod secret_text;
#[doc(hidden)]
pub mod session;
#[doc(hidden)]
pub mod settings;
#[doc(hidden)]
pub mod source;

use std::path::Path;

pub use failure::Failure;
pub use limbic_tools::{TOOLS, Tool};
pub use memory::Memory;
pub use methods::METHODS;
pub use options::Options;

/// Opens a database with the default [`Options`], and creates it if it does not exist.
///
/// # Errors
/// As [`Options::open`].
pub fn open(path: impl AsRef<Path>) -> Result<Memory, Failure> {
    Options::new().open(path)
}
