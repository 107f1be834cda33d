//! The tool search_memory_content.

use limbic_core::{
    Result,
    store::memories::{self, Filter, with_words},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{node::Node, recall_memories::RecallResult};
use crate::{context::Context, tool::tool, tools::memory::domain};

tool! {
    /// Search memory content using full-text search capabilities
    name: "search_memory_content",
    title: "Search Memory Content",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"query": "office OR garden", "maxResults": 15}"#,
    handler: search_memory_content,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// Search query text (supports advanced search syntax)
    #[schemars(length(min = 1, max = 2000))]
    query: String,
    /// Optional domain to restrict search to; "*" for all; default the current one
    #[schemars(length(min = 1, max = 200))]
    domain: Option<String>,
    /// Maximum number of results to return
    #[serde(default = "default_results")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: usize,
}

fn default_results() -> usize {
    20
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Results, best first.
    results: Vec<RecallResult>,
}

fn search_memory_content(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let domain = domain(context, input.domain)?;
    context.memory.read(|tx| {
        let filter = Filter { domain: domain.as_deref(), ..Filter::default() };
        let results = with_words(tx, &input.query, &filter, input.max_results)?
            .into_iter()
            .map(|(memory, score)| {
                let edges = memories::edges_touching(tx, &memory.id)?.into_iter().map(Into::into).collect();
                let score = limbic_core::model::numbers::round(score, 4);
                Ok(RecallResult { node: Node::new(tx, memory)?, edges, score })
            })
            .collect::<Result<_>>()?;
        Ok(Output { results })
    })
}
