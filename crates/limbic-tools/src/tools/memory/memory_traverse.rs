//! The tool memory_traverse.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    memory_get::{EdgeView, ReferenceView},
    outline::outline,
    walk::{TraversalOptions, walk},
    walk_view::{Detail, NodeView, Omitted, View},
};
use crate::{context::Context, tool::tool};

tool! {
    /// Traverse links from a memory breadth-first, also into other domains. Returns the linked memories as lists and
    /// as an outline. For one memory's own links use memory_get.
    name: "memory_traverse",
    title: "Traverse memories",
    toolset: Memory,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"start_id": "0190d2a0-0000-7000-8000-000000000000", "max_depth": 3}"#,
    handler: memory_traverse,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the start memory; default the newest of the domain.
    #[schemars(length(min = 1, max = 200))]
    pub start_id: Option<String>,
    /// Maximum number of links from the start.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    pub max_depth: usize,
    /// Only memories of this domain, besides the start.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Follow references into other domains.
    #[serde(default = "yes")]
    pub follow_domains: bool,
    /// Maximum number of memories per domain.
    #[serde(default = "default_nodes")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_nodes_per_domain: usize,
    /// Only links of these types.
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relation_types: Option<Vec<String>>,
    /// Minimum strength of links.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Only memories of this user; others are not traversed.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Include expired and invalidated memories.
    #[serde(default)]
    pub include_expired: bool,
    /// Detail of each memory.
    #[serde(default)]
    pub detail: Detail,
    /// Answer budget in 4-character tokens; the farthest are omitted first.
    #[serde(default = "default_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

pub fn default_depth() -> usize {
    2
}

pub fn default_nodes() -> usize {
    20
}

pub fn default_tokens() -> usize {
    4000
}

pub fn yes() -> bool {
    true
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// By depth, then strongest link, then age.
    pub nodes: Vec<NodeView>,
    /// Links between them.
    pub edges: Vec<EdgeView>,
    /// References across domains from or to them, followed or not.
    pub cross_domain: Vec<ReferenceView>,
    /// The same as an outline.
    pub text: String,
    /// Reachable memories not shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub omitted: Vec<Omitted>,
}

fn memory_traverse(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let options = TraversalOptions {
        max_depth: input.max_depth,
        domain: input.domain,
        follow_domains: input.follow_domains,
        max_nodes_per_domain: input.max_nodes_per_domain,
        relation_types: input.relation_types.unwrap_or_default(),
        types_argument: None,
        min_strength: input.min_strength,
        user_id: input.user_id,
        include_expired: input.include_expired,
    };
    let found = walk(context, input.start_id, options)?;
    let now_millis = context.memory.database().host().now_millis();
    let view = View::new(found, input.detail, now_millis, input.max_tokens);
    let text = outline(&view);
    Ok(Output {
        nodes: view.nodes,
        edges: view.edges,
        cross_domain: view.references,
        text,
        omitted: view.omitted,
    })
}
