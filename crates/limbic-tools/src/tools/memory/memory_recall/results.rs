//! The results of memory_recall: memories, briefly or with every field, and code.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::{
    schema::{self, with_fields_of},
    tools::code::search_code::ChunkView,
    views::memory::{BriefMemory, MemoryView},
};

/// A recalled memory.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RecalledView {
    Brief(Box<BriefMemory>),
    Full(Box<FullView>),
}

impl RecalledView {
    /// Returns its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Brief(memory) => &memory.id,
            Self::Full(full) => &full.memory.id,
        }
    }
}

/// A result: a memory, or with include_code a memory or code with its source.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ResultView {
    Memory(RecalledView),
    Sourced(Box<Sourced<Content>>),
}

impl JsonSchema for ResultView {
    fn schema_name() -> Cow<'static, str> {
        "ResultView".into()
    }

    /// The fields of every kind of result; `detail`, `explain` and `include_code` decide which it has.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let memory = with_fields_of(schema::of_answer::<BriefMemory>(), &schema::of_answer::<FullView>());
        with_fields_of(memory, &schema::of_answer::<Sourced<ChunkView>>())
    }
}

impl ResultView {
    /// Returns the memory that it is, if it is one.
    pub fn memory(&self) -> Option<&RecalledView> {
        match self {
            Self::Memory(memory) => Some(memory),
            Self::Sourced(sourced) => sourced.memory(),
        }
    }
}

/// A recalled memory with every field and its scores. Calls that are limited to a user get no scores: they depend on
/// how many memories of others contain a word.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FullView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// The scores.
    #[serde(flatten)]
    pub scores: Option<ScoresView>,
    /// Components of the score, with explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The score of a memory and its signals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScoresView {
    /// Score that orders the memories.
    pub score: f64,
    /// Cosine of the sentence vectors.
    pub vector_score: f64,
    /// BM25.
    pub bm25_score: f64,
    /// Personalised PageRank.
    pub ppr_score: f64,
}

/// The components of a score: (relevance + words_share + graph_share) x (confidence x importance x freshness)^0.1 x
/// backing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// The phrasing that matched best, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Relevance without links, about 0 to 1.
    pub relevance: f64,
    /// Relevance of the memory alone, by which confident is decided; absent if it is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
    /// MaxSim over the query's content tokens; absent without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<f64>,
    /// Contribution of words.
    pub words_share: f64,
    /// Contribution of links.
    pub graph_share: f64,
    /// Effective confidence.
    pub confidence: f64,
    /// Square root of the importance.
    pub importance: f64,
    /// Recency.
    pub freshness: f64,
    /// Factor for supporting, refined and superseded memories, 1 or more.
    pub backing: f64,
}

/// A result with its source.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sourced<T> {
    /// With include_code: memory or code.
    source: &'static str,
    /// The result.
    #[serde(flatten)]
    result: T,
}

/// A result of either source.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Content {
    Memory(RecalledView),
    Code(Box<ChunkView>),
}

impl Sourced<Content> {
    /// Returns a memory as a result.
    pub fn of_memory(memory: RecalledView) -> Self {
        Self { source: "memory", result: Content::Memory(memory) }
    }

    /// Returns code as a result.
    pub fn of_code(chunk: ChunkView) -> Self {
        Self { source: "code", result: Content::Code(Box::new(chunk)) }
    }

    /// Returns the memory that it is, if it is one.
    pub fn memory(&self) -> Option<&RecalledView> {
        match &self.result {
            Content::Memory(memory) => Some(memory),
            Content::Code(_) => None,
        }
    }
}
