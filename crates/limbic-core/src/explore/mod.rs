//! Read models of the explorer: rows of lists and graph views, read-only.
//!
//! Each kind of record has one file in `lists`, with its columns, its filters and its row. The rows are answered as
//! they are loaded: their doc comments are the descriptions in the tools' schemas.

pub(crate) mod status;
pub mod lists;
pub mod graph;
pub mod entity;
pub mod memory;
pub mod confidence;
pub mod timeline;
pub mod events;
pub mod stats;
pub mod schema;
pub mod project_files;
pub(crate) mod output;
