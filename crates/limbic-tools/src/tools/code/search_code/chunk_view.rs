//! A result of a search of source code.

use schemars::JsonSchema;
use serde::Serialize;

use crate::tools::code::linked_memories::LinkedMemory;

/// How a result was ranked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// Match of words relative to the best result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// Cosine of the sentence vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<f64>,
    /// Until there is a sentence vector: cosine of static vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_vector: Option<f64>,
    /// Factor for tests, documents, examples and older versions.
    pub factor: f64,
}

/// A result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChunkView {
    /// project:path:first-last line.
    pub id: String,
    /// Path in the project.
    pub file_path: String,
    /// Text.
    pub content: String,
    /// Language.
    pub language: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Kind.
    pub chunk_type: String,
    /// Name of the function, class or heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id for symbol_graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_id: Option<String>,
    /// Score, for the order only.
    pub score: f64,
    /// Memories linked to the symbol, its file or its callees, each listed once per answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub memories: Vec<LinkedMemory>,
    /// With explain: how it was ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}
