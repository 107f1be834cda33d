//! Rows of the knowledge graph: entities, observations, relations and reflections, and their full-text index.

pub mod entities;
pub mod observations;
pub mod relations;
pub mod reflections;
pub mod origin_records;
pub mod named_graph;
pub mod neighbours;
pub(crate) mod entity_fts;
pub mod text_cache;
