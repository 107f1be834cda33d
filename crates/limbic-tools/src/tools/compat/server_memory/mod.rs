//! The tools of Anthropic's reference server (`@modelcontextprotocol/server-memory`), for `--compat server-memory`.
//!
//! Names, descriptions, schemas and answers are those of that server, so that its clients run unchanged; do not
//! reword them. `tests/node/compat.test.ts` compares both servers. Names and observations are compared byte by byte,
//! without Unicode normalisation. Differences, because names and relations are unique here:
//!
//! - The items of one call are processed in order: of two equal items in one call, the second is not new. The
//!   reference server stores both.
//! - Limbic's limits apply to stored texts, and NUL and lone surrogates are rejected.

mod add_observations;
mod create_entities;
mod create_relations;
mod delete_entities;
mod delete_observations;
mod delete_relations;
mod graph;
mod limits;
mod open_nodes;
mod read_graph;
mod search_nodes;

pub use graph::{Graph, Omitted};

use crate::Tool;

/// The nine tools, in the order in which the reference server lists them.
pub const TOOLS: &[Tool] = &[
    create_entities::TOOL,
    create_relations::TOOL,
    add_observations::TOOL,
    delete_entities::TOOL,
    delete_observations::TOOL,
    delete_relations::TOOL,
    read_graph::TOOL,
    search_nodes::TOOL,
    open_nodes::TOOL,
];
