//! The domain of Limbic: store, search, rank.
//!
//! It uses a `rusqlite::Connection` and a [`Host`], and nothing else: this crate opens no file, reads no clock, writes
//! no JSON, and is independent of WebAssembly and MCP. Embeddings are computed outside: [`Engine::pending`] returns the
//! texts to embed, [`Engine::store_encodings`] stores the results.
//!
//! The rows of [`explore`] derive their JSON schema and their serialisation where they are loaded.
//!
//! What other crates use is `pub`, everything else `pub(crate)` or private; `xtask/src/checks/exports.rs` finds what
//! no other crate names any more.

#![warn(unreachable_pub)]

// Files that all folders use, then folders, lowest first, and what uses them: each imports only those above it.
mod error;
mod host;
pub mod model;
pub mod db;
#[cfg(test)]
mod test_database;
pub mod store;
pub mod search;
pub mod mutations;
pub mod maintenance;
pub mod explore;
pub mod records;
mod session;
mod engine;

pub use db::{Database, Transaction};
pub use engine::{CurrentDomain, Engine};
pub use error::{Error, Foreign, Result};
pub use host::Host;
pub use rusqlite;
pub use session::{Caller, Session, SessionDomain, SessionId, Writer};
