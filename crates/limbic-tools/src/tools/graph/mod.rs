//! The toolset graph: entities, observations, relations and reflections, in reading order.

pub mod create_entities;
pub mod create_relations;
pub mod add_observations;
pub mod delete_entities;
pub mod delete_observations;
pub mod delete_relations;
pub mod read_graph;
pub mod search_nodes;
pub mod open_nodes;
pub mod search_semantic;
pub mod migrate;
pub mod analyze_entity_split;
pub mod propose_entity_split;
pub mod execute_entity_split;
pub mod find_split_candidates;
pub mod find_duplicate_observations;
pub mod consolidation_report;
pub mod end_relation;
pub mod add_reflection;
pub mod search_reflections;
pub mod search_quality_report;
pub mod graph_neighbors;
pub mod graph_communities;
