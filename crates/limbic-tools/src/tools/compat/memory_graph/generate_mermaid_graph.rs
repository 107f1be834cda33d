//! The tool generate_mermaid_graph.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    tool::tool,
    tools::memory::{
        memory_diagram::{MAX_NODES_PER_DOMAIN, default_label},
        memory_traverse::{default_depth, yes},
        mermaid::{Direction, Labels, flowchart},
        walk::{TraversalOptions, walk},
    },
};

tool! {
    /// Generate a Mermaid graph visualization of memory relationships. Domains are frames; links to other domains are
    /// dotted.
    name: "generate_mermaid_graph",
    title: "Generate Mermaid Graph",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"startNodeId": "0190d2a0-0000-7000-8000-000000000000", "direction": "TB"}"#,
    handler: generate_mermaid_graph,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// ID of the memory node to start the graph from
    #[schemars(length(min = 1, max = 200))]
    start_node_id: String,
    /// Maximum depth of relationships to traverse (1-5)
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    max_depth: usize,
    /// Graph direction (top-bottom, bottom-top, left-right, right-left)
    #[serde(default)]
    direction: Direction,
    /// Optional filter for specific relationship types
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    relationship_types: Vec<String>,
    /// Minimum relationship strength to include (0-1)
    #[schemars(range(min = 0.0, max = 1.0))]
    min_strength: Option<f64>,
    /// Whether to follow connections across domains
    #[serde(default = "yes")]
    follow_domain_pointers: bool,
    /// Optional content formatting options
    #[serde(default)]
    content_format: Format,
}

/// The content of a node.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Format {
    /// Maximum length for node content (default: 50)
    #[schemars(range(min = 1, max = 500))]
    max_length: Option<usize>,
    /// String to append when content is truncated
    #[schemars(length(max = 50))]
    truncation_suffix: Option<String>,
    /// Include node timestamps in display
    include_timestamp: bool,
    /// Include node IDs in display
    include_id: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Text of the diagram.
    mermaid: String,
}

fn generate_mermaid_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let options = TraversalOptions {
        max_depth: input.max_depth,
        follow_domains: input.follow_domain_pointers,
        max_nodes_per_domain: MAX_NODES_PER_DOMAIN,
        relation_types: input.relationship_types,
        types_argument: Some("relationshipTypes"),
        min_strength: input.min_strength,
        ..TraversalOptions::default()
    };
    let found = walk(context, Some(input.start_node_id), options)?;
    let labels = Labels {
        most_characters: input.content_format.max_length.unwrap_or_else(default_label),
        cut_mark: input.content_format.truncation_suffix,
        shows_time: input.content_format.include_timestamp,
        shows_id: input.content_format.include_id,
    };
    Ok(Output { mermaid: flowchart(&found, input.direction, &labels).0 })
}
