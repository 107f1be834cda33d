//! The domain of Limbic: store, search, rank.
//!
//! Given a `rusqlite::Connection` and a [`Host`], and nothing else: this crate opens no file, reads no clock, knows
//! no JSON, no WebAssembly and no MCP. Embeddings come from outside, in steps: [`Memory::pending`] says what must be
//! read, [`Memory::store_encodings`] takes what came of it.

pub mod db;
mod error;
pub mod guard;
mod host;
pub mod maintain;
mod memory;
mod session;
pub mod search;
pub mod store;
pub mod text;

pub use db::{Database, Unit};
pub use error::{Error, Result};
pub use host::Host;
pub use memory::Memory;
pub use rusqlite;
pub use session::SessionId;
