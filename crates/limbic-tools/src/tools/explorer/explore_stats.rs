//! The tool explore_stats.

use limbic_core::{
    Result, Transaction,
    explore::{
        entity::Day,
        lists::entity_list::{self, EntityRow},
        stats::{self, Encoder, File, Queue, Tokens, Vectors, Word, memory_stats},
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
    pub file: File,
    /// Counts.
    pub counts: CountsView,
    /// The model of the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Encoder>,
    /// Counts of records with a vector.
    pub vectors: Vectors,
    /// Embedding queue.
    pub queue: Queue,
    /// Tokens stored for late interaction.
    pub tokens: Tokens,
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

/// Counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountsView {
    /// Records of the graph.
    #[serde(flatten)]
    pub graph: stats::Counts,
    /// Memories, links and domains.
    #[serde(flatten)]
    pub memories: memory_stats::Counts,
}

fn explore_stats(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context.memory.read(stats)
}

/// Statistics of the database.
pub fn stats(tx: &Transaction<'_>) -> Result<Output> {
    let words = stats::words(tx)?;
    let memory_words = memory_stats::words(tx)?;
    Ok(Output {
        schema_version: stats::schema_version(tx)?,
        file: stats::file(tx)?,
        counts: CountsView { graph: stats::counts(tx)?, memories: memory_stats::counts(tx)? },
        encoder: stats::encoder(tx)?,
        vectors: stats::vectors(tx)?,
        queue: stats::queue(tx)?,
        tokens: stats::tokens(tx)?,
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
