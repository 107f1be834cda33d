//! The domain of Limbic: store, search, rank.
//!
//! Given a `rusqlite::Connection` and a [`Host`], and nothing else: this crate opens no file, reads no clock, knows
//! no JSON, no WebAssembly and no MCP. Embeddings come from outside, in steps: [`Engine::pending`] says what must be
//! read, [`Engine::store_encodings`] takes what came of it.

// Lowest first: a folder imports those above it alone.
pub mod model;
pub mod db;
pub mod store;
pub mod search;
pub mod mutations;
pub mod maintenance;
pub mod explore;
pub mod records;
mod engine;
mod session;
mod host;
mod error;

pub use db::{Database, Transaction};
pub use engine::Engine;
pub use error::{Error, Foreign, Result};
pub use host::Host;
pub use rusqlite;
pub use session::{Session, SessionId};
