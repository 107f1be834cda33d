//! The tables, one module for each kind of row. All SQL stands here, next to the type it loads.

pub mod access;
pub mod audit;
pub mod census;
pub mod conditions;
pub mod domains;
pub mod embeddings;
pub mod entities;
pub mod exchange;
pub mod explore;
pub mod feedback;
pub mod foreign;
pub mod keys;
pub mod memories;
pub mod mirror;
pub mod neighbours;
pub mod observations;
pub mod placeholders;
pub mod queue;
pub mod reflections;
pub mod relations;
pub mod search_log;
pub mod similarity;
pub mod suggestions;
pub mod time;
pub mod weights;
pub mod words;
