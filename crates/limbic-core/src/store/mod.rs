//! Tables as rows and types, one module for each kind of row, with the SQL that reads and writes them.

pub mod interval;
pub(crate) mod conditions;
pub mod timestamps;
pub(crate) mod id_validation;
pub mod code;
pub mod graph;
pub mod memories;
pub mod origins;
pub mod project_folders;
pub mod domains;
pub(crate) mod full_text;
pub mod vectors;
pub mod logs;
pub(crate) mod ranking_weights;
pub mod counts;
pub mod suggestions;
pub mod unused;
