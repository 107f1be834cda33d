//! The tool explore_stats.

use limbic_core::{
    Result, Transaction,
    explore::{
        entity::Day,
        lists::entity_list::{self, EntityRow},
        stats::{self, Encoder, Word, memory_stats},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

/// Number of largest entities shown.
const MAX_LARGEST: usize = 10;

tool! {
    /// Return statistics: records, file, encoder, embedding queue, frequencies of types and statuses, searches and
    /// accesses per day, largest entities.
    name: "explore_stats",
    title: "Explore statistics",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{}"#,
    handler: explore_stats,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Version of the schema.
    pub schema_version: u64,
    /// The database file.
    pub file: FileView,
    /// Counts.
    pub counts: CountsView,
    /// The model of the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Encoder>,
    /// Counts of records with a vector.
    pub vectors: VectorsView,
    /// Embedding queue.
    pub queue: QueueView,
    /// Tokens stored for late interaction.
    pub tokens: TokensView,
    /// Types of entities, most frequent first.
    pub entity_types: Vec<Word>,
    /// Statuses of entities, most frequent first.
    pub statuses: Vec<Word>,
    /// Types of active relations, most frequent first.
    pub relation_types: Vec<Word>,
    /// Kinds of current observations, most frequent first.
    pub observation_kinds: Vec<Word>,
    /// Authors of reflections, most frequent first.
    pub authors: Vec<Word>,
    /// Categories of memories, most frequent first.
    pub categories: Vec<Word>,
    /// Types of memories, most frequent first.
    pub memory_types: Vec<Word>,
    /// Tiers of memories, most frequent first.
    pub tiers: Vec<Word>,
    /// Domains with their counts of memories, largest first.
    pub domains: Vec<Word>,
    /// Owners of memories, most frequent first.
    pub users: Vec<Word>,
    /// Searches on the last 90 days with any, oldest first.
    pub searches_per_day: Vec<Day>,
    /// Accesses on the last 90 days with any, oldest first.
    pub accesses_per_day: Vec<Day>,
    /// The entities with the most observations.
    pub largest: Vec<EntityRow>,
}

/// The database file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileView {
    /// Size in bytes.
    pub bytes: u64,
    /// Size of a page in bytes.
    pub page_bytes: u64,
    /// Pages.
    pub pages: u64,
    /// Free pages.
    pub free_pages: u64,
}

/// Counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountsView {
    /// Records of the graph.
    #[serde(flatten)]
    pub graph: stats::Counts,
    /// Current memories.
    pub memories: u64,
    /// Memories that have ended, expired or are contradicted.
    pub memories_ended: u64,
    /// Links between memories, and references across domains.
    pub links: u64,
    /// Domains.
    pub domains: u64,
}

/// Counts of records with a vector.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VectorsView {
    /// Entities.
    pub entities: u64,
    /// Observations.
    pub observations: u64,
    /// Reflections.
    pub reflections: u64,
    /// Memories.
    pub memories: u64,
}

/// Embedding queue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueueView {
    /// Texts waiting.
    pub waiting: u64,
    /// Texts that failed too often and are paused.
    pub failed: u64,
    /// Error of a failed text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Tokens stored for late interaction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokensView {
    /// Texts with tokens.
    pub texts: u64,
    /// Tokens.
    pub tokens: u64,
    /// Size in bytes.
    pub bytes: u64,
}

fn explore_stats(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context.memory.read(stats)
}

/// Statistics of the database.
pub fn stats(tx: &Transaction<'_>) -> Result<Output> {
    let file = stats::file(tx)?;
    let vectors = stats::vectors(tx)?;
    let words = stats::words(tx)?;
    let memory_words = memory_stats::words(tx)?;
    Ok(Output {
        schema_version: stats::schema_version(tx)?,
        file: FileView {
            bytes: file.page_bytes * file.pages,
            page_bytes: file.page_bytes,
            pages: file.pages,
            free_pages: file.free_pages,
        },
        counts: counted(stats::counts(tx)?, memory_stats::counts(tx)?),
        encoder: stats::encoder(tx)?,
        vectors: VectorsView {
            entities: vectors.entities,
            observations: vectors.observations,
            reflections: vectors.reflections,
            memories: vectors.memories,
        },
        queue: QueueView { waiting: vectors.waiting, failed: vectors.failed, last_error: vectors.last_error },
        tokens: TokensView { texts: vectors.token_texts, tokens: vectors.tokens, bytes: vectors.token_bytes },
        entity_types: words.entity_types,
        statuses: words.statuses,
        relation_types: words.relation_types,
        observation_kinds: words.observation_kinds,
        authors: words.authors,
        categories: memory_words.categories,
        memory_types: memory_words.memory_types,
        tiers: memory_words.tiers,
        domains: memory_words.domains,
        users: memory_words.users,
        searches_per_day: stats::searches_per_day(tx)?,
        accesses_per_day: stats::accesses_per_day(tx)?,
        largest: entity_list::largest(tx, MAX_LARGEST)?,
    })
}

fn counted(graph: stats::Counts, of_memories: memory_stats::Counts) -> CountsView {
    CountsView {
        graph,
        memories: of_memories.memories,
        memories_ended: of_memories.ended,
        links: of_memories.links,
        domains: of_memories.domains,
    }
}
