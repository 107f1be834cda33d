//! The tool search_nodes of the reference server.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::Graph;
use crate::{context::Context, tool::tool};

tool! {
    /// Search for nodes in the knowledge graph based on a query
    name: "search_nodes",
    title: "Search Nodes",
    toolset: Graph,
    access: Read,
    idempotent: true,
    large: true,
    example: r#"{"query": "sqlite"}"#,
    handler: search_nodes,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    /// The search query to match against entity names, types, and observation content
    query: String,
}

fn search_nodes(context: &mut Context<'_>, input: Input) -> Result<Graph> {
    context.memory.read_with_texts(|tx, texts| Graph::containing(tx, texts, &input.query))
}
