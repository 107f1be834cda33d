//! The tool explore_stats.

use limbic_core::{
    Result, Transaction,
    explore::{
        lists::entity_list,
        stats::{self, memory_stats},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{DayView, EntityRow, WordView, views};
use crate::{context::Context, tool::tool};

/// How many of the largest entities are shown.
const LARGEST: usize = 10;

tool! {
    /// The memory in numbers: records, file, encoder, queue, words in use, searches and finds per day, largest entities.
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
    /// How many there are of everything.
    pub counts: CountsView,
    /// Who made the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderView>,
    /// How many have a vector.
    pub vectors: VectorsView,
    /// What waits for the encoder.
    pub queue: QueueView,
    /// Tokens kept for late interaction.
    pub tokens: TokensView,
    /// Types of entities, most frequent first.
    pub entity_types: Vec<WordView>,
    /// Statuses of entities, most frequent first.
    pub statuses: Vec<WordView>,
    /// Types of active relations, most frequent first.
    pub relation_types: Vec<WordView>,
    /// Kinds of current observations, most frequent first.
    pub observation_kinds: Vec<WordView>,
    /// Authors of reflections, most frequent first.
    pub authors: Vec<WordView>,
    /// Categories of memories, most frequent first.
    pub categories: Vec<WordView>,
    /// Types of memories, most frequent first.
    pub memory_types: Vec<WordView>,
    /// Tiers of memories, most frequent first.
    pub tiers: Vec<WordView>,
    /// Domains with how many memories each holds, the fullest first.
    pub domains: Vec<WordView>,
    /// Users whose memories are marked as theirs, most frequent first.
    pub users: Vec<WordView>,
    /// Searches on the last 90 days that had any, oldest first.
    pub searches_per_day: Vec<DayView>,
    /// Entities found on the last 90 days on which any were, oldest first.
    pub accesses_per_day: Vec<DayView>,
    /// The entities with the most observations.
    pub largest: Vec<EntityRow>,
}

/// The database file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileView {
    /// Its size.
    pub bytes: u64,
    /// The size of a page.
    pub page_bytes: u64,
    /// Pages.
    pub pages: u64,
    /// Pages that are free.
    pub free_pages: u64,
}

/// How many there are of everything.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountsView {
    /// Entities, placeholders included.
    pub entities: u64,
    /// Entities that only relations name.
    pub placeholders: u64,
    /// Current observations.
    pub observations: u64,
    /// Superseded observations.
    pub superseded: u64,
    /// Current observations that nearly repeat another.
    pub flagged: u64,
    /// Active relations.
    pub relations: u64,
    /// Ended relations.
    pub ended: u64,
    /// Reflections.
    pub reflections: u64,
    /// Searches that are logged.
    pub searches: u64,
    /// Pairs of entities found together.
    pub found_together: u64,
    /// Memories that are current.
    pub memories: u64,
    /// Memories that have ended or expired, or that another contradicts.
    pub memories_ended: u64,
    /// Links between memories, and references across domains.
    pub links: u64,
    /// Domains.
    pub domains: u64,
}

/// Who made the vectors.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EncoderView {
    /// Name of the model.
    pub name: String,
    /// Revision.
    pub revision: String,
    /// Numbers of a vector.
    pub dimensions: u64,
}

/// How many have a vector.
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

/// What waits for the encoder.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueueView {
    /// Texts that wait.
    pub waiting: u64,
    /// Texts that failed too often and rest.
    pub failed: u64,
    /// Why one failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Tokens kept for late interaction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokensView {
    /// Texts with tokens.
    pub texts: u64,
    /// Tokens.
    pub tokens: u64,
    /// How much room they take.
    pub bytes: u64,
}

fn explore_stats(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context.memory.read(stats)
}

/// The memory in numbers.
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
        encoder: stats::encoder(tx)?.map(|encoder| EncoderView {
            name: encoder.name,
            revision: encoder.revision,
            dimensions: encoder.dimensions,
        }),
        vectors: VectorsView {
            entities: vectors.entities,
            observations: vectors.observations,
            reflections: vectors.reflections,
            memories: vectors.memories,
        },
        queue: QueueView { waiting: vectors.waiting, failed: vectors.failed, last_error: vectors.last_error },
        tokens: TokensView { texts: vectors.token_texts, tokens: vectors.tokens, bytes: vectors.token_bytes },
        entity_types: views(words.entity_types),
        statuses: views(words.statuses),
        relation_types: views(words.relation_types),
        observation_kinds: views(words.observation_kinds),
        authors: views(words.authors),
        categories: views(memory_words.categories),
        memory_types: views(memory_words.memory_types),
        tiers: views(memory_words.tiers),
        domains: views(memory_words.domains),
        users: views(memory_words.users),
        searches_per_day: views(stats::searches_per_day(tx)?),
        accesses_per_day: views(stats::accesses_per_day(tx)?),
        largest: views(entity_list::largest(tx, LARGEST)?),
    })
}

fn counted(counts: stats::Counts, of_memories: memory_stats::Counts) -> CountsView {
    CountsView {
        entities: counts.entities,
        placeholders: counts.placeholders,
        observations: counts.observations,
        superseded: counts.superseded,
        flagged: counts.flagged,
        relations: counts.relations,
        ended: counts.ended,
        reflections: counts.reflections,
        searches: counts.searches,
        found_together: counts.found_together,
        memories: of_memories.memories,
        memories_ended: of_memories.ended,
        links: of_memories.links,
        domains: of_memories.domains,
    }
}
