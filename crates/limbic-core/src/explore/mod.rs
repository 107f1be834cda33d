//! What the explorer shows: rows for lists and pictures, not answers for agents.
//!
//! Everything here reads. Each kind of record has one file below `records`, with its columns, its filters and its
//! row; a new kind is one more file.

pub mod status;
pub mod lists;
pub mod graph;
pub mod entity;
pub mod memory;
pub mod confidence;
pub mod timeline;
pub mod events;
pub mod stats;
pub mod schema;

pub use crate::store::interval;
