//! The relations of an answer, and which of them are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::code::{linked_memories::LinkedMemory, symbol::SymbolView};

/// The relations to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Action {
    Callers,
    Callees,
    References,
    Related,
    Definition,
}

/// Direction of relations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Direction {
    In,
    Out,
    #[default]
    Both,
}

/// The least certain tier of relations to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum MinTier {
    Resolved,
    #[default]
    Likely,
    Name,
}

/// A relation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Id of the symbol that refers to the other; project:path for the top of a file.
    pub from: String,
    /// Id of the symbol referred to.
    pub to: String,
    /// calls, imports, contains, implements, extends or references.
    #[serde(rename = "type")]
    pub relation: &'static str,
    /// resolved or likely.
    pub tier: &'static str,
    /// Path of the reference.
    pub file_path: String,
    /// Line of the reference.
    pub line: u32,
}

/// A reference that may mean one of several symbols.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CandidateView {
    /// Id of the symbol that contains the reference.
    pub from: String,
    /// Path of the reference.
    pub file_path: String,
    /// Line of the reference.
    pub line: u32,
    /// Ids of the symbols of that name.
    pub may_be: Vec<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Symbols, the one asked for first.
    pub nodes: Vec<SymbolView>,
    /// Relations.
    pub edges: Vec<EdgeView>,
    /// With min_tier name: references that may mean one of several symbols, up to 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateView>,
    /// Up to three memories linked to the first symbol, its file or callees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub memories: Vec<LinkedMemory>,
    /// Ids of symbols with further relations beyond depth.
    pub frontier: Vec<String>,
    /// Whether relations were omitted because of limit, or further candidates.
    pub truncated: bool,
    /// Count of new or changed files that wait to be read, or to have their references resolved.
    pub pending_files: u64,
    /// Seconds since the files outside of this answer were last compared with the index. Omitted if they were compared
    /// for this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked_seconds: Option<u64>,
}
