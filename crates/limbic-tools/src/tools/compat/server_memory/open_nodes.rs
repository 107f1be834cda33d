//! The tool open_nodes of the reference server.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::Graph;
use crate::{context::Context, tool::tool};

tool! {
    /// Open specific nodes in the knowledge graph by their names
    name: "open_nodes",
    title: "Open Nodes",
    toolset: Graph,
    access: Read,
    idempotent: true,
    large: true,
    example: r#"{"names": ["Atlas"]}"#,
    handler: open_nodes,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    /// An array of entity names to retrieve
    names: Vec<String>,
}

fn open_nodes(context: &mut Context<'_>, input: Input) -> Result<Graph> {
    context.memory.read(|tx| Graph::of(tx, &input.names))
}
