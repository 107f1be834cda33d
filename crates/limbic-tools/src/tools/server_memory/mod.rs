//! The tools of Anthropic's reference server (`@modelcontextprotocol/server-memory`), for `--compat server-memory`.
//!
//! Names, descriptions, schemas and answers are its own, so that what was written for it runs unchanged; the texts
//! here are therefore not ours to improve. `tests/node/compat.test.ts` holds both servers against each other. Names
//! and observations are compared exactly, without regard to spellings that look the same. What differs, because names
//! and relations are unique here:
//!
//! - The items of one call are taken one after another: of two that are the same in one call, the second is not new.
//!   The reference server stores both.
//! - Texts that are stored keep this program's limits, and NUL and halves of character pairs are refused.

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
