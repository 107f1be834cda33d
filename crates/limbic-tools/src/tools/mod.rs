//! The tools, one file each, in reading order.

pub mod add_observations;
pub mod create_entities;
pub mod create_relations;
pub mod delete_entities;
pub mod delete_observations;
pub mod delete_relations;
pub mod end_relation;
pub mod migrate;
pub mod open_nodes;
pub mod read_graph;
pub mod search_nodes;
pub mod search_semantic;
pub mod server_memory;
