//! The key of an encrypted database: where it comes from, and where it is kept.

pub mod key_file;
pub mod keychain;
pub mod passphrase;
pub mod source;
pub mod variables;

pub use source::{of_database, require_none};
