//! The tool read_graph of the reference server.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::Graph;
use crate::{context::Context, tool::tool};

tool! {
    /// Read the entire knowledge graph
    name: "read_graph",
    title: "Read Graph",
    toolset: Graph,
    access: Read,
    idempotent: true,
    large: true,
    example: "{}",
    handler: read_graph,
}

/// Arguments: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "", extend("properties" = {}))]
struct Input {}

fn read_graph(context: &mut Context<'_>, _: Input) -> Result<Graph> {
    context.memory.read(Graph::whole)
}
