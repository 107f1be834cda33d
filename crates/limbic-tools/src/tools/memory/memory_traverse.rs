//! The tool memory_traverse.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    memory_get::{EdgeView, ReferenceView},
    outline::{Detail, outline},
    walk::{TraversalOptions, walk},
    walk_view::{NodeView, Omitted, View},
};
use crate::{context::Context, tool::tool};

tool! {
    /// Follow links from a memory, level by level, also into other domains, and return the linked memories as lists and
    /// as an outline to read.
    name: "memory_traverse",
    title: "Traverse memories",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"start_id": "0190d2a0-0000-7000-8000-000000000000", "max_depth": 3}"#,
    handler: memory_traverse,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the memory to start from; the newest of the domain when not given.
    #[schemars(length(min = 1, max = 200))]
    pub start_id: Option<String>,
    /// How many links to go.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    pub max_depth: usize,
    /// Only memories of this domain, beside the start.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Whether to follow references into other domains.
    #[serde(default = "yes")]
    pub follow_domains: bool,
    /// The most memories of each domain.
    #[serde(default = "default_nodes")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_nodes_per_domain: usize,
    /// Only links of these types.
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relation_types: Option<Vec<String>>,
    /// Only links of at least this strength.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Only memories of this user: others are not walked through either.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Also what has expired or no longer holds.
    #[serde(default)]
    pub include_expired: bool,
    /// How much of each memory to show.
    #[serde(default)]
    pub detail: Detail,
    /// The most tokens of the answer; what is far away is left out first.
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
    /// By depth, then the strongest link, then age.
    pub nodes: Vec<NodeView>,
    /// Links between them.
    pub edges: Vec<EdgeView>,
    /// References across domains that touch them, followed or not.
    pub cross_domain: Vec<ReferenceView>,
    /// The same as an outline.
    pub text: String,
    /// What was within reach and is not shown.
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
    let now_millis = context.memory.now_millis();
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
