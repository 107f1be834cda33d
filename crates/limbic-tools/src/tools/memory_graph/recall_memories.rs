//! The tool recall_memories.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    node::{GraphEdge, Node},
    recall::recall,
};
use crate::{context::Context, tool::tool};

tool! {
    /// Recall memories using various strategies including content search.
    name: "recall_memories",
    title: "Recall Memories",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"maxNodes": 10, "strategy": "recent"}"#,
    handler: recall_memories,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// Maximum number of memories to return
    #[schemars(range(min = 1, max = 1000))]
    pub max_nodes: usize,
    /// How to traverse and select memories
    pub strategy: Strategy,
    /// Starting memory ID (required for "related" strategy)
    #[schemars(length(min = 1, max = 200))]
    pub start_node_id: Option<String>,
    /// Filter by path (required for "path" strategy)
    #[schemars(length(max = 500))]
    pub path: Option<String>,
    /// Filter by tags (required for "tag" strategy)
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// Optional filter by relationship types
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relationship_types: Vec<String>,
    /// Minimum relationship strength (0-1)
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Optional timestamp upper bound
    pub before: Option<String>,
    /// Optional timestamp lower bound
    pub after: Option<String>,
    /// Content search options (required for "content" strategy)
    pub search: Option<Search>,
    /// Whether to combine results from multiple search criteria
    #[serde(default)]
    pub combined_strategy: bool,
    /// How to sort the results
    pub sort_by: Option<SortBy>,
}

/// How memories are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Strategy {
    Recent,
    Related,
    Path,
    Tag,
    Content,
}

impl Strategy {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recent => "recent",
            Self::Related => "related",
            Self::Path => "path",
            Self::Tag => "tag",
            Self::Content => "content",
        }
    }
}

/// How the results are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SortBy {
    Relevance,
    Date,
    Strength,
}

/// What to search for in the texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// Keywords to search for in memory content
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 200)))]
    pub keywords: Vec<String>,
    /// Enable fuzzy matching for keywords
    #[serde(default)]
    pub fuzzy_match: bool,
    /// Not supported
    pub regex: Option<String>,
    /// Whether to perform case-sensitive matching
    #[serde(default)]
    pub case_sensitive: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Results.
    results: Vec<RecallResult>,
}

/// A memory found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecallResult {
    /// The memory.
    pub node: Node,
    /// Its links.
    pub edges: Vec<GraphEdge>,
    /// Relevance, 0 to 1.
    pub score: f64,
}

fn recall_memories(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let domain = context.memory.domain()?;
    context.memory.read(|tx| {
        let results = recall(tx, &domain, &input)?
            .into_iter()
            .map(|found| {
                Ok(RecallResult {
                    node: Node::new(tx, found.memory)?,
                    edges: found.edges.into_iter().map(Into::into).collect(),
                    score: found.score,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Output { results })
    })
}
