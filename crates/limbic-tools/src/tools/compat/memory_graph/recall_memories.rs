//! The tool recall_memories.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    node::{GraphEdge, Node},
    recall::{Input, recall},
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
