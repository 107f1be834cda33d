//! The tool traverse_memories.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    tool::tool,
    tools::memory::{
        memory_traverse::{default_depth, default_nodes, default_tokens, yes},
        outline::outline,
        walk::{TraversalOptions, walk},
        walk_view::{Detail, View},
    },
};

tool! {
    /// Traverse the memory graph following relationships and domain pointers
    name: "traverse_memories",
    title: "Traverse Memories",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"startNodeId": "0190d2a0-0000-7000-8000-000000000000", "maxDepth": 3}"#,
    handler: traverse_memories,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// Optional starting memory ID (uses recent memory if not specified)
    #[schemars(length(min = 1, max = 200))]
    start_node_id: Option<String>,
    /// Maximum depth of relationships to traverse
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    max_depth: usize,
    /// Whether to follow connections across domains
    #[serde(default = "yes")]
    follow_domain_pointers: bool,
    /// Optional specific domain to traverse
    #[schemars(length(min = 1, max = 200))]
    target_domain: Option<String>,
    /// Maximum number of nodes to return per domain
    #[serde(default = "default_nodes")]
    #[schemars(range(min = 1, max = 1000))]
    max_nodes_per_domain: usize,
    /// Level of semantic detail to include in the output
    #[serde(default)]
    resolution_depth: Resolution,
}

/// Detail of each memory.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Resolution {
    Minimal,
    #[default]
    Standard,
    Detailed,
    Comprehensive,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The linked memories, as an outline.
    text: String,
}

fn traverse_memories(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let options = TraversalOptions {
        max_depth: input.max_depth,
        domain: input.target_domain,
        follow_domains: input.follow_domain_pointers,
        max_nodes_per_domain: input.max_nodes_per_domain,
        ..TraversalOptions::default()
    };
    let detail = match input.resolution_depth {
        Resolution::Minimal => Detail::Minimal,
        Resolution::Standard => Detail::Standard,
        Resolution::Detailed | Resolution::Comprehensive => Detail::Comprehensive,
    };
    let found = walk(context, input.start_node_id, options)?;
    let now_millis = context.memory.database().host().now_millis();
    Ok(Output { text: outline(&View::new(found, detail, now_millis, default_tokens())) })
}
