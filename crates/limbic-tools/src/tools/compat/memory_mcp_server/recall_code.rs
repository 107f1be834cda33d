//! The tool recall_code.

use limbic_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    budget::MAX_ANSWER_TOKENS,
    context::Context,
    tool::tool,
    tools::code::search_code::{self, ChunkView, SearchMode},
};

tool! {
    /// Hybrid code search by meaning, words and names. Same as search_code.
    name: "recall_code",
    title: "Recall code",
    toolset: Code,
    access: Read,
    idempotent: true,
    texts: texts,
    example: r#"{"query": "where are passwords checked", "mode": "hybrid"}"#,
    handler: recall_code,
}

/// Signals of the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RecallMode {
    Vector,
    #[default]
    Hybrid,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Question, words or a name.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// Id of a project. Default: all.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// The same as projectId.
    #[serde(rename = "project_id")]
    #[schemars(length(min = 1, max = 200))]
    pub project: Option<String>,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: usize,
    /// vector: meaning; hybrid: meaning and words.
    #[serde(default)]
    pub mode: RecallMode,
    /// Weight of meaning; 0 leaves it out.
    #[schemars(range(min = 0, max = 1))]
    pub vector_weight: Option<f64>,
    /// Weight of words; 0 for it and for pprWeight leaves words out.
    #[schemars(range(min = 0, max = 1))]
    pub bm25_weight: Option<f64>,
    /// Weight of the graph.
    #[schemars(range(min = 0, max = 1))]
    pub ppr_weight: Option<f64>,
    /// Start of the files' paths, such as "src/".
    #[schemars(length(min = 1, max = 1000))]
    pub path_prefix: Option<String>,
    /// Language, such as "python".
    #[schemars(length(min = 1, max = 40))]
    pub language: Option<String>,
    /// function, class, struct, module, impl or other.
    #[schemars(length(min = 1, max = 40))]
    pub chunk_type: Option<String>,
}

fn default_limit() -> usize {
    10
}

fn texts(arguments: &Value) -> Vec<String> {
    if arguments.get("vectorWeight").and_then(Value::as_f64) == Some(0.0) {
        return Vec::new();
    }
    arguments.get("query").and_then(Value::as_str).map(str::to_owned).into_iter().collect()
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first.
    pub results: Vec<ChunkView>,
    /// Count of results.
    pub count: usize,
    /// Count of further results, which did not fit into the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<usize>,
    /// The query.
    pub query: String,
}

fn recall_code(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let is_zero = |weight: Option<f64>| weight == Some(0.0);
    let mode = match input.mode {
        RecallMode::Vector => SearchMode::Vector,
        RecallMode::Hybrid if is_zero(input.vector_weight) => SearchMode::Words,
        RecallMode::Hybrid if is_zero(input.bm25_weight) && is_zero(input.ppr_weight) => SearchMode::Vector,
        RecallMode::Hybrid => SearchMode::Hybrid,
    };
    let found = search_code::search_code(
        context,
        search_code::Input {
            query: input.query,
            project_id: input.project_id.or(input.project),
            limit: input.limit,
            mode,
            path_prefix: input.path_prefix,
            language: input.language,
            chunk_type: input.chunk_type,
            explain: false,
            max_tokens: MAX_ANSWER_TOKENS,
        },
    )?;
    Ok(Output { results: found.results, count: found.count, omitted: found.omitted, query: found.query })
}
