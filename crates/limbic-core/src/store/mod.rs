//! The tables, one module for each kind of row. All SQL stands here, next to the type it loads.

pub mod entities;
pub mod observations;
pub mod relations;
pub mod placeholders;
pub mod words;
pub mod embeddings;
pub mod queue;
pub mod access;
pub mod search_log;
pub mod foreign;
