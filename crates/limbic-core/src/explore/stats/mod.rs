//! Statistics: size, counts and usage of the database.

pub mod memory_stats;

use rusqlite::OptionalExtension;
use schemars::JsonSchema;
use serde::Serialize;

use super::entity::Day;
use crate::{
    Result, Transaction,
    store::vectors::{embedding_queue, embeddings},
};

/// Maximum length of each list of words.
const MAX_WORDS: usize = 200;

/// Maximum length of each list of days.
const MAX_DAYS: usize = 90;

/// The database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct File {
    /// Size in bytes.
    pub bytes: u64,
    /// Size of a page in bytes.
    pub page_bytes: u64,
    /// Pages.
    pub pages: u64,
    /// Free pages.
    pub free_pages: u64,
}

/// Returns the size of the file as of the last commit.
pub fn file(tx: &Transaction<'_>) -> Result<File> {
    let [page_bytes, pages] = [number(tx, "PRAGMA page_size")?, number(tx, "PRAGMA page_count")?];
    let free_pages = number(tx, "PRAGMA freelist_count")?;
    Ok(File { bytes: page_bytes * pages, page_bytes, pages, free_pages })
}

/// Returns the version of the schema.
pub fn schema_version(tx: &Transaction<'_>) -> Result<u64> {
    number(tx, "PRAGMA user_version")
}

/// Counts of the graph's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Entities, placeholders included.
    pub entities: u64,
    /// Placeholders: entities named only by relations.
    pub placeholders: u64,
    /// Current observations.
    pub observations: u64,
    /// Superseded observations.
    pub superseded: u64,
    /// Current observations that are near-duplicates.
    pub flagged: u64,
    /// Active relations.
    pub relations: u64,
    /// Ended relations.
    pub ended: u64,
    /// Reflections.
    pub reflections: u64,
    /// Logged searches.
    pub searches: u64,
    /// Pairs of co-occurring entities.
    pub found_together: u64,
}

/// Counts the graph's records.
pub fn counts(tx: &Transaction<'_>) -> Result<Counts> {
    Ok(Counts {
        entities: number(tx, "SELECT count(*) FROM entities")?,
        placeholders: number(tx, "SELECT count(*) FROM entities WHERE status = 'placeholder'")?,
        observations: number(tx, "SELECT count(*) FROM observations WHERE superseded_at IS NULL")?,
        superseded: number(tx, "SELECT count(*) FROM observations WHERE superseded_at IS NOT NULL")?,
        flagged: number(
            tx,
            "SELECT count(*) FROM observations WHERE superseded_at IS NULL AND similarity_flag <> 0",
        )?,
        relations: number(tx, "SELECT count(*) FROM relations WHERE active")?,
        ended: number(tx, "SELECT count(*) FROM relations WHERE NOT active")?,
        reflections: number(tx, "SELECT count(*) FROM reflections")?,
        searches: number(tx, "SELECT count(*) FROM search_events")?,
        found_together: number(tx, "SELECT count(*) FROM co_occurrences")?,
    })
}

/// The model of the vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Encoder {
    /// Name of the model.
    pub name: String,
    /// Revision.
    pub revision: String,
    /// Dimensions of a vector.
    pub dimensions: u64,
}

/// Returns the model of the vectors, if there are any.
pub fn encoder(tx: &Transaction<'_>) -> Result<Option<Encoder>> {
    Ok(tx
        .prepare_cached("SELECT name, revision, dimensions FROM encoder WHERE id = 1")?
        .query_row([], |row| {
            Ok(Encoder { name: row.get(0)?, revision: row.get(1)?, dimensions: row.get(2)? })
        })
        .optional()?)
}

/// Counts of records with a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Vectors {
    /// Entities.
    pub entities: u64,
    /// Observations.
    pub observations: u64,
    /// Reflections.
    pub reflections: u64,
    /// Memories.
    pub memories: u64,
}

/// Counts the records with a vector.
pub fn vectors(tx: &Transaction<'_>) -> Result<Vectors> {
    Ok(Vectors {
        entities: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 0")?,
        observations: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 1")?,
        reflections: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 2")?,
        memories: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 3")?,
    })
}

/// Embedding queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Queue {
    /// Texts waiting.
    pub waiting: u64,
    /// Texts that failed too often and are paused.
    pub failed: u64,
    /// Error of a failed text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Returns the state of the embedding queue.
pub fn queue(tx: &Transaction<'_>) -> Result<Queue> {
    let tries = embedding_queue::MAX_TRIES;
    Ok(Queue {
        waiting: number(tx, &format!("SELECT count(*) FROM embedding_queue WHERE tries < {tries}"))?,
        failed: number(tx, &format!("SELECT count(*) FROM embedding_queue WHERE tries >= {tries}"))?,
        last_error: tx
            .prepare_cached(
                "SELECT last_error FROM embedding_queue WHERE last_error IS NOT NULL ORDER BY rowid DESC LIMIT 1",
            )?
            .query_row([], |row| row.get(0))
            .optional()?,
    })
}

/// Tokens stored for late interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tokens {
    /// Texts with tokens.
    pub texts: u64,
    /// Tokens.
    pub tokens: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Counts the tokens stored for late interaction.
pub fn tokens(tx: &Transaction<'_>) -> Result<Tokens> {
    let bytes = number(tx, "SELECT coalesce(sum(length(tokens)), 0) FROM token_vectors")?;
    let bytes_per_token = embeddings::token_bytes(embeddings::dimensions(tx)?);
    Ok(Tokens {
        texts: number(tx, "SELECT count(*) FROM token_vectors")?,
        tokens: bytes / bytes_per_token as u64,
        bytes,
    })
}

/// A word and its frequency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Word {
    /// Word.
    pub name: String,
    /// Count.
    pub count: u64,
}

/// Types, statuses, kinds and authors with their counts, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Types of entities.
    pub entity_types: Vec<Word>,
    /// Statuses of entities.
    pub statuses: Vec<Word>,
    /// Types of active relations.
    pub relation_types: Vec<Word>,
    /// Kinds of current observations.
    pub observation_kinds: Vec<Word>,
    /// Authors of reflections.
    pub authors: Vec<Word>,
}

/// Counts types, statuses, kinds and authors.
pub fn words(tx: &Transaction<'_>) -> Result<Words> {
    Ok(Words {
        entity_types: frequent(tx, "entity_type", "entities")?,
        statuses: frequent(tx, "status", "entities")?,
        relation_types: frequent(tx, "relation_type", "relations WHERE active")?,
        observation_kinds: frequent(tx, "kind", "observations WHERE superseded_at IS NULL")?,
        authors: frequent(tx, "author", "reflections")?,
    })
}

/// Returns the count of searches on each of the last days with any, oldest first.
pub fn searches_per_day(tx: &Transaction<'_>) -> Result<Vec<Day>> {
    days(tx, "SELECT date(timestamp) AS day, count(*) AS n FROM search_events GROUP BY day")
}

/// Returns the count of accesses on each of the last days with any, oldest first.
pub fn accesses_per_day(tx: &Transaction<'_>) -> Result<Vec<Day>> {
    days(tx, "SELECT access_date AS day, sum(access_count) AS n FROM entity_access_log GROUP BY day")
}

fn days(tx: &Transaction<'_>, per_day: &str) -> Result<Vec<Day>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT day, n FROM (SELECT day, n FROM ({per_day}) WHERE day IS NOT NULL ORDER BY day DESC LIMIT ?1)
         ORDER BY day"
    ))?;
    let rows = statement.query_map([MAX_DAYS], |row| Ok(Day { date: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn frequent(tx: &Transaction<'_>, column: &str, from: &str) -> Result<Vec<Word>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {column}, count(*) AS n FROM {from} GROUP BY {column} ORDER BY n DESC, {column} LIMIT ?1"
    ))?;
    let rows = statement.query_map([MAX_WORDS], |row| Ok(Word { name: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn number(tx: &Transaction<'_>, sql: &str) -> Result<u64> {
    Ok(tx.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}
