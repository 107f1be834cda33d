//! Changes that affect several tables: the row itself, its words, its place in the embedding queue, what mentions it and
//! the similarity flags. The rows are those of `store`, which holds the SQL.

pub mod entities;
pub mod observations;
pub mod relations;
pub mod reflections;
pub mod placeholders;
pub mod memories;
pub mod code;
pub(crate) mod similarity_flags;
pub(crate) mod embedding_tasks;
