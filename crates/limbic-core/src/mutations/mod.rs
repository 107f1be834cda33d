//! Changes that affect several tables: a row, its full-text index, the embedding queue, mentions and similarity flags.
//! The SQL is in `store`.

pub mod entities;
pub mod observations;
pub mod relations;
pub mod reflections;
pub(crate) mod origin_records;
pub mod placeholders;
pub mod memories;
pub mod code;
mod code_renames;
mod code_secrets;
pub(crate) mod similarity_flags;
pub(crate) mod embedding_tasks;
