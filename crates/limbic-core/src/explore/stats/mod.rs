//! How large a memory is and how it is used, in numbers.

pub mod memory_stats;

use rusqlite::OptionalExtension;

use super::entity::Day;
use crate::{
    Result, Transaction,
    store::vectors::{embedding_queue, embeddings::TOKEN_BYTES},
};

/// The most words of each list of words.
const WORDS_MAX: usize = 200;

/// The most days of each list of days.
const DAYS_MAX: usize = 90;

/// The file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// How large a page is.
    pub page_bytes: u64,
    /// How many pages it has.
    pub pages: u64,
    /// How many of them are free.
    pub free_pages: u64,
}

/// The file, as it is with what has been committed.
///
/// # Errors
/// Those of the database.
pub fn file(tx: &Transaction<'_>) -> Result<File> {
    Ok(File {
        page_bytes: number(tx, "PRAGMA page_size")?,
        pages: number(tx, "PRAGMA page_count")?,
        free_pages: number(tx, "PRAGMA freelist_count")?,
    })
}

/// The version of the schema.
///
/// # Errors
/// Those of the database.
pub fn schema_version(tx: &Transaction<'_>) -> Result<u64> {
    number(tx, "PRAGMA user_version")
}

/// How many there are of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Entities, placeholders included.
    pub entities: u64,
    /// Placeholders.
    pub placeholders: u64,
    /// Current observations.
    pub observations: u64,
    /// Observations that others replaced.
    pub superseded: u64,
    /// Current observations that nearly repeat another.
    pub flagged: u64,
    /// Active relations.
    pub relations: u64,
    /// Relations that have ended.
    pub ended: u64,
    /// Reflections.
    pub reflections: u64,
    /// Searches that are logged.
    pub searches: u64,
    /// Pairs of entities that were found together.
    pub found_together: u64,
}

/// Counts everything.
///
/// # Errors
/// Those of the database.
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

/// Who made the vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoder {
    /// Name of the model.
    pub name: String,
    /// Its revision.
    pub revision: String,
    /// How many numbers a vector has.
    pub dimensions: u64,
}

/// Who made the vectors, if there are any.
///
/// # Errors
/// Those of the database.
pub fn encoder(tx: &Transaction<'_>) -> Result<Option<Encoder>> {
    Ok(tx
        .prepare_cached("SELECT name, revision, dimensions FROM encoder WHERE id = 1")?
        .query_row([], |row| {
            Ok(Encoder { name: row.get(0)?, revision: row.get(1)?, dimensions: row.get(2)? })
        })
        .optional()?)
}

/// What the encoder has made, and what waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vectors {
    /// Entities with a vector.
    pub entities: u64,
    /// Observations with a vector.
    pub observations: u64,
    /// Reflections with a vector.
    pub reflections: u64,
    /// Memories with a vector.
    pub memories: u64,
    /// Texts that wait.
    pub waiting: u64,
    /// Texts that were tried too often.
    pub failed: u64,
    /// Why the last of those failed.
    pub last_error: Option<String>,
    /// Texts with token vectors.
    pub token_texts: u64,
    /// Tokens of all of them.
    pub tokens: u64,
    /// How much room their vectors take.
    pub token_bytes: u64,
}

/// What the encoder has made, and what waits for it.
///
/// # Errors
/// Those of the database.
pub fn vectors(tx: &Transaction<'_>) -> Result<Vectors> {
    let tries = embedding_queue::MAX_TRIES;
    let token_bytes = number(tx, "SELECT coalesce(sum(length(tokens)), 0) FROM token_vectors")?;
    Ok(Vectors {
        entities: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 0")?,
        observations: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 1")?,
        reflections: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 2")?,
        memories: number(tx, "SELECT count(*) FROM vector_log WHERE kind = 3")?,
        waiting: number(tx, &format!("SELECT count(*) FROM embedding_queue WHERE tries < {tries}"))?,
        failed: number(tx, &format!("SELECT count(*) FROM embedding_queue WHERE tries >= {tries}"))?,
        last_error: tx
            .prepare_cached(
                "SELECT last_error FROM embedding_queue WHERE last_error IS NOT NULL ORDER BY rowid DESC LIMIT 1",
            )?
            .query_row([], |row| row.get(0))
            .optional()?,
        token_texts: number(tx, "SELECT count(*) FROM token_vectors")?,
        tokens: token_bytes / TOKEN_BYTES as u64,
        token_bytes,
    })
}

/// A word and how often it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// The words that a memory uses for its things, each list with the most frequent first.
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

/// The words that a memory uses for its things.
///
/// # Errors
/// Those of the database.
pub fn words(tx: &Transaction<'_>) -> Result<Words> {
    Ok(Words {
        entity_types: frequent(tx, "entity_type", "entities")?,
        statuses: frequent(tx, "status", "entities")?,
        relation_types: frequent(tx, "relation_type", "relations WHERE active")?,
        observation_kinds: frequent(tx, "kind", "observations WHERE superseded_at IS NULL")?,
        authors: frequent(tx, "author", "reflections")?,
    })
}

/// How many searches were made on each of the last days on which there was one, oldest first.
///
/// # Errors
/// Those of the database.
pub fn searches_per_day(tx: &Transaction<'_>) -> Result<Vec<Day>> {
    days(tx, "SELECT date(timestamp) AS day, count(*) AS n FROM search_events GROUP BY day")
}

/// How many entities searches found on each of the last days on which they found any, oldest first.
///
/// # Errors
/// Those of the database.
pub fn accesses_per_day(tx: &Transaction<'_>) -> Result<Vec<Day>> {
    days(tx, "SELECT access_date AS day, sum(access_count) AS n FROM entity_access_log GROUP BY day")
}

fn days(tx: &Transaction<'_>, per_day: &str) -> Result<Vec<Day>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT day, n FROM (SELECT day, n FROM ({per_day}) WHERE day IS NOT NULL ORDER BY day DESC LIMIT ?1)
         ORDER BY day"
    ))?;
    let rows = statement.query_map([DAYS_MAX], |row| Ok(Day { date: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn frequent(tx: &Transaction<'_>, column: &str, from: &str) -> Result<Vec<Word>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {column}, count(*) AS n FROM {from} GROUP BY {column} ORDER BY n DESC, {column} LIMIT ?1"
    ))?;
    let rows = statement.query_map([WORDS_MAX], |row| Ok(Word { name: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn number(tx: &Transaction<'_>, sql: &str) -> Result<u64> {
    Ok(tx.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}
