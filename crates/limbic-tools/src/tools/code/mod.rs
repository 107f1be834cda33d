//! The toolset code: an index of source code.

pub mod linked_memories;
pub mod index_project;
pub mod get_index_status;
pub mod list_projects;
pub mod delete_project;
pub mod search_code;
pub mod search_symbols;
pub mod symbol_graph;
pub(crate) mod current;
pub(crate) mod filter_words;
mod symbol;
mod symbol_ids;
