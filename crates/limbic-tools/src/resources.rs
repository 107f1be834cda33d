//! What a client can read and subscribe to without calling a tool.

use limbic_core::{Error, Memory, Result};
use serde_json::{Value, json};

use crate::tools::server_memory::Graph;

/// The whole graph, under the name that the reference server gives it.
const KNOWLEDGE_GRAPH: &str = "memory://knowledge-graph";

/// The resources, as a JSON array in the form of MCP's resources/list.
#[must_use]
pub fn resources_json() -> String {
    json!([{
        "name": "knowledge-graph",
        "title": "Knowledge Graph",
        "uri": KNOWLEDGE_GRAPH,
        "description": "The full knowledge graph with all entities and relations",
        "mimeType": "application/json",
    }])
    .to_string()
}

/// What a resource holds now.
pub fn read(memory: &mut Memory, uri: &str) -> Result<Value> {
    if uri != KNOWLEDGE_GRAPH {
        return Err(Error::ResourceNotFound(uri.to_owned()));
    }
    let graph = memory.read(Graph::whole)?;
    serde_json::to_value(graph).map_err(|error| Error::Internal(error.to_string()))
}
