//! How large a memory is and how it is used, in numbers.

pub mod memories;

use rusqlite::OptionalExtension;

use super::entity::Day;
use crate::{Result, Unit, store::embeddings::TOKEN_BYTES, store::queue};

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
pub fn file(unit: &Unit<'_>) -> Result<File> {
    Ok(File {
        page_bytes: number(unit, "PRAGMA page_size")?,
        pages: number(unit, "PRAGMA page_count")?,
        free_pages: number(unit, "PRAGMA freelist_count")?,
    })
}

/// The version of the schema.
///
/// # Errors
/// Those of the database.
pub fn schema_version(unit: &Unit<'_>) -> Result<u64> {
    number(unit, "PRAGMA user_version")
}

/// How many there are of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Entities, placeholders included.
    pub entities: u64,
    /// Entities that nobody has created.
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
pub fn counts(unit: &Unit<'_>) -> Result<Counts> {
    Ok(Counts {
        entities: number(unit, "SELECT count(*) FROM entities")?,
        placeholders: number(unit, "SELECT count(*) FROM entities WHERE status = 'placeholder'")?,
        observations: number(unit, "SELECT count(*) FROM observations WHERE superseded_at IS NULL")?,
        superseded: number(unit, "SELECT count(*) FROM observations WHERE superseded_at IS NOT NULL")?,
        flagged: number(
            unit,
            "SELECT count(*) FROM observations WHERE superseded_at IS NULL AND similarity_flag <> 0",
        )?,
        relations: number(unit, "SELECT count(*) FROM relations WHERE active")?,
        ended: number(unit, "SELECT count(*) FROM relations WHERE NOT active")?,
        reflections: number(unit, "SELECT count(*) FROM reflections")?,
        searches: number(unit, "SELECT count(*) FROM search_events")?,
        found_together: number(unit, "SELECT count(*) FROM co_occurrences")?,
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
pub fn encoder(unit: &Unit<'_>) -> Result<Option<Encoder>> {
    Ok(unit
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
pub fn vectors(unit: &Unit<'_>) -> Result<Vectors> {
    let tries = queue::MAX_TRIES;
    let token_bytes = number(unit, "SELECT coalesce(sum(length(tokens)), 0) FROM token_vectors")?;
    Ok(Vectors {
        entities: number(unit, "SELECT count(*) FROM vector_log WHERE kind = 0")?,
        observations: number(unit, "SELECT count(*) FROM vector_log WHERE kind = 1")?,
        reflections: number(unit, "SELECT count(*) FROM vector_log WHERE kind = 2")?,
        memories: number(unit, "SELECT count(*) FROM vector_log WHERE kind = 3")?,
        waiting: number(unit, &format!("SELECT count(*) FROM embedding_queue WHERE tries < {tries}"))?,
        failed: number(unit, &format!("SELECT count(*) FROM embedding_queue WHERE tries >= {tries}"))?,
        last_error: unit
            .prepare_cached(
                "SELECT last_error FROM embedding_queue WHERE last_error IS NOT NULL ORDER BY rowid DESC LIMIT 1",
            )?
            .query_row([], |row| row.get(0))
            .optional()?,
        token_texts: number(unit, "SELECT count(*) FROM token_vectors")?,
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
pub fn words(unit: &Unit<'_>) -> Result<Words> {
    Ok(Words {
        entity_types: frequent(unit, "entity_type", "entities")?,
        statuses: frequent(unit, "status", "entities")?,
        relation_types: frequent(unit, "relation_type", "relations WHERE active")?,
        observation_kinds: frequent(unit, "kind", "observations WHERE superseded_at IS NULL")?,
        authors: frequent(unit, "author", "reflections")?,
    })
}

/// How many searches were made on each of the last days on which there was one, oldest first.
///
/// # Errors
/// Those of the database.
pub fn searches_per_day(unit: &Unit<'_>) -> Result<Vec<Day>> {
    days(unit, "SELECT date(timestamp) AS day, count(*) AS n FROM search_events GROUP BY day")
}

/// How many entities searches found on each of the last days on which they found any, oldest first.
///
/// # Errors
/// Those of the database.
pub fn accesses_per_day(unit: &Unit<'_>) -> Result<Vec<Day>> {
    days(unit, "SELECT access_date AS day, sum(access_count) AS n FROM entity_access_log GROUP BY day")
}

fn days(unit: &Unit<'_>, per_day: &str) -> Result<Vec<Day>> {
    let mut statement = unit.prepare_cached(&format!(
        "SELECT day, n FROM (SELECT day, n FROM ({per_day}) WHERE day IS NOT NULL ORDER BY day DESC LIMIT ?1)
         ORDER BY day"
    ))?;
    let rows = statement.query_map([DAYS_MAX], |row| Ok(Day { date: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn frequent(unit: &Unit<'_>, column: &str, from: &str) -> Result<Vec<Word>> {
    let mut statement = unit.prepare_cached(&format!(
        "SELECT {column}, count(*) AS n FROM {from} GROUP BY {column} ORDER BY n DESC, {column} LIMIT ?1"
    ))?;
    let rows = statement.query_map([WORDS_MAX], |row| Ok(Word { name: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn number(unit: &Unit<'_>, sql: &str) -> Result<u64> {
    Ok(unit.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}
