//! The arguments of memory_recall.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::MAX_ANSWER_TOKENS,
    tools::graph::open_nodes::Detail,
    views::memory::{Category, MemoryType},
};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Question or description; with strategy content, a substring.
    #[schemars(length(min = 1, max = 2000))]
    pub query: Option<String>,
    /// Up to 5 other phrasings: each memory counts by the one that it matches best.
    #[schemars(length(min = 1, max = 5), inner(length(min = 1, max = 2000)))]
    pub queries: Option<Vec<String>>,
    /// Only this subject.
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// Only this category.
    pub category: Option<Category>,
    /// Only this type.
    pub memory_type: Option<MemoryType>,
    /// Domain id, or "*" for all; default the current one.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only this path and those below.
    #[schemars(length(min = 1, max = 500))]
    pub path: Option<String>,
    /// Only with all of these tags.
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// Only memories of this user: a filter, not access control.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Only memories valid at this time (ISO 8601), with their content then, which filters compare.
    pub as_of: Option<String>,
    /// Only events before this time, ISO 8601.
    pub before: Option<String>,
    /// Only events at or after this time, ISO 8601.
    pub after: Option<String>,
    /// hybrid by meaning, words and links; content by substring; recent, path or tag by time; related along links
    /// from start_id.
    #[serde(default)]
    pub strategy: Strategy,
    /// With strategy related: id of the start memory.
    #[schemars(length(min = 1, max = 200))]
    pub start_id: Option<String>,
    /// Only links of these types.
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relation_types: Vec<String>,
    /// Minimum strength of links.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Minimum stored confidence.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: Option<f64>,
    /// Include expired and invalidated memories.
    #[serde(default)]
    pub include_expired: bool,
    /// Include memories hidden by a contradiction.
    #[serde(default)]
    pub include_contradicted: bool,
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// Answer budget in 4-character tokens.
    #[serde(default = "default_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
    /// full adds every field and the scores.
    #[serde(default)]
    pub detail: Detail,
    /// Add the components of each score, and every field.
    #[serde(default)]
    pub explain: bool,
    /// Record an access of each memory returned.
    #[serde(default = "default_touch")]
    pub touch: bool,
    /// Also search indexed code: memories and code are merged by rank. Needs query.
    #[serde(default)]
    pub include_code: bool,
    /// With include_code: id of the project. Default: all.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// With include_code: language, such as "python".
    #[schemars(length(min = 1, max = 40))]
    pub language: Option<String>,
}

/// How memories are selected and ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Strategy {
    #[default]
    Hybrid,
    Recent,
    Related,
    Path,
    Tag,
    Content,
}

impl Strategy {
    /// Returns the name in arguments and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Recent => "recent",
            Self::Related => "related",
            Self::Path => "path",
            Self::Tag => "tag",
            Self::Content => "content",
        }
    }
}

fn default_limit() -> usize {
    10
}

fn default_tokens() -> usize {
    MAX_ANSWER_TOKENS
}

fn default_touch() -> bool {
    true
}
