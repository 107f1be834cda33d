//! The tool search_reflections.

use limbic_core::{
    Result,
    search::{self, ReflectionQuery},
    store::{graph::reflections::Filter, vectors::embedding_queue},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
    views::{ReflectionView, TargetType, mode_name},
};

tool! {
    /// Search reflections by meaning and words, filtered by author, mood and target_type.
    name: "search_reflections",
    title: "Search reflections",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    texts: |arguments| arguments.get("query").and_then(|query| query.as_str()).map(str::to_owned).into_iter().collect(),
    example: r#"{"query": "decisions that shaped the project", "author": "nolan", "limit": 5}"#,
    handler: search_reflections,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Question or description.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// Only this author, ignoring case.
    #[schemars(length(min = 1, max = 50))]
    pub author: Option<String>,
    /// Only this mood, ignoring case.
    #[schemars(length(min = 1, max = 50))]
    pub mood: Option<String>,
    /// Only this kind of subject.
    pub target_type: Option<TargetType>,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
}

fn default_limit() -> usize {
    10
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first.
    pub results: Vec<ResultView>,
    /// Count of results that did not fit into 8,000 tokens: narrow the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_omitted: Option<usize>,
    /// "hybrid", or "lexical" if only words were compared.
    pub mode: &'static str,
    /// Count of texts not yet embedded: keyword search alone finds them.
    pub pending_embeddings: usize,
}

/// One result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView {
    /// The reflection.
    #[serde(flatten)]
    pub reflection: ReflectionView,
    /// Relevance, 0 to 1.
    pub score: f64,
}

fn search_reflections(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let ranking = context.ranking;
    let encoding = context.query_encoding().map(|(vector, tokens)| (vector.to_vec(), tokens.clone()));
    let query = ReflectionQuery {
        text: &input.query,
        limit: input.limit,
        filter: Filter {
            author: input.author.as_deref(),
            mood: input.mood.as_deref(),
            target_type: input.target_type.map(TargetType::name),
        },
        encoding: encoding.as_ref().map(|(vector, tokens)| (vector.as_slice(), tokens)),
        ranking,
    };
    let (found, pending_embeddings) =
        context.memory.read(|tx| Ok((search::reflections(tx, query)?, embedding_queue::outstanding(tx)?)))?;
    let count = found.hits.len();
    let mut budget = Budget::new(MAX_ANSWER_TOKENS);
    let results: Vec<ResultView> = found
        .hits
        .into_iter()
        .map(|(reflection, score)| ResultView { reflection: reflection.into(), score })
        .take_while(|result| budget.take(result))
        .collect();
    Ok(Output {
        results_omitted: Some(count - results.len()).filter(|omitted| *omitted > 0),
        results,
        mode: mode_name(found.mode),
        pending_embeddings,
    })
}
