//! The tool memory_diagram.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    memory_traverse::{default_depth, yes},
    mermaid::{Direction, Labels, flowchart},
    walk::{TraversalOptions, walk},
};
use crate::{context::Context, tool::tool};

/// Maximum number of memories per domain in a diagram, for legibility.
pub const MAX_NODES_PER_DOMAIN: usize = 100;

tool! {
    /// Draw the memories linked to a memory as a Mermaid flowchart: domains as frames, links as arrows with types,
    /// references to other domains dotted. For text use memory_traverse.
    name: "memory_diagram",
    title: "Draw memories",
    toolset: Memory,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"start_id": "0190d2a0-0000-7000-8000-000000000000", "direction": "TD"}"#,
    handler: memory_diagram,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the start memory.
    #[schemars(length(min = 1, max = 200))]
    pub start_id: String,
    /// Maximum number of links from the start.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    pub max_depth: usize,
    /// LR left to right, RL right to left, TD or TB down, BT up.
    #[serde(default)]
    pub direction: Direction,
    /// Only links of these types.
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relation_types: Option<Vec<String>>,
    /// Minimum strength of links.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Follow references into other domains.
    #[serde(default = "yes")]
    pub follow_domains: bool,
    /// Maximum length of a memory's text, in characters.
    #[serde(default = "default_label")]
    #[schemars(range(min = 1, max = 500))]
    pub max_label: usize,
    /// Only memories of this user; others are not traversed.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Include expired and invalidated memories.
    #[serde(default)]
    pub include_expired: bool,
}

pub fn default_label() -> usize {
    50
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Text of the diagram.
    pub mermaid: String,
    /// Count of reachable memories not drawn.
    pub omitted: usize,
}

fn memory_diagram(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let options = TraversalOptions {
        max_depth: input.max_depth,
        domain: None,
        follow_domains: input.follow_domains,
        max_nodes_per_domain: MAX_NODES_PER_DOMAIN,
        relation_types: input.relation_types.unwrap_or_default(),
        types_argument: None,
        min_strength: input.min_strength,
        user_id: input.user_id,
        include_expired: input.include_expired,
    };
    let found = walk(context, Some(input.start_id), options)?;
    let labels = Labels { most_characters: input.max_label, ..Labels::default() };
    let (mermaid, omitted) = flowchart(&found, input.direction, &labels);
    Ok(Output { mermaid, omitted })
}
