//! Reflections: free prose, optionally about an entity, a relation or a session.
//!
//! A reflection is deleted with its entity or relation. Ending a relation or changing an entity's observations keeps
//! the reflections.

use rusqlite::{OptionalExtension, Row, ToSql, named_params, params};
use serde::Serialize;

use crate::{
    Result, Transaction,
    model::{text, tokenizer},
    store::{origins, vectors::embeddings},
};

/// The target of a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The entity with this id.
    Entity(i64),
    /// The relation with this id.
    Relation(i64),
    /// A session, by the caller's number, if any.
    Session(Option<i64>),
    /// Nothing in particular.
    Global,
}

impl Target {
    /// `target_type` in the database: `entity`, `relation`, `session` or `global`.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Entity(_) => "entity",
            Self::Relation(_) => "relation",
            Self::Session(_) => "session",
            Self::Global => "global",
        }
    }

    /// `target_id` in the database.
    #[must_use]
    pub fn id(self) -> Option<i64> {
        match self {
            Self::Entity(id) | Self::Relation(id) => Some(id),
            Self::Session(id) => id,
            Self::Global => None,
        }
    }
}

/// A reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflection {
    /// Row number, never used again after a deletion.
    pub id: i64,
    /// `entity`, `relation`, `session` or `global`.
    pub target_type: String,
    /// Row number of the entity or relation, or the caller's number of a session.
    pub target_id: Option<i64>,
    /// Author.
    pub author: String,
    /// The prose, as given.
    pub content: String,
    /// Mood.
    pub mood: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created_at: String,
}

const COLUMNS: &str = "id, target_type, target_id, author, content, mood, created_at";

fn load(row: &Row<'_>) -> rusqlite::Result<Reflection> {
    Ok(Reflection {
        id: row.get(0)?,
        target_type: row.get(1)?,
        target_id: row.get(2)?,
        author: row.get(3)?,
        content: row.get(4)?,
        mood: row.get(5)?,
        created_at: row.get(6)?,
    })
}

/// The reflection with this id, if it still exists.
pub(crate) fn get(tx: &Transaction<'_>, id: i64) -> Result<Option<Reflection>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM reflections WHERE id = ?1"))?;
    Ok(statement.query_row([id], load).optional()?)
}

/// The reflections on one target, oldest first.
pub fn on(tx: &Transaction<'_>, target: Target) -> Result<Vec<Reflection>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM reflections WHERE target_type = ?1 AND target_id IS ?2 ORDER BY id"
    ))?;
    let rows = statement.query_map(params![target.type_name(), target.id()], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a row with its words. `created_at` is `YYYY-MM-DD HH:MM:SS`; `None` for now.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    target: Target,
    author: &str,
    content: &str,
    mood: Option<&str>,
    created_at: Option<&str>,
) -> Result<Reflection> {
    let mut statement = tx.prepare_cached(&format!(
        "INSERT INTO reflections (target_type, target_id, author, content, mood, created_at, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, datetime(?7, 'unixepoch')), ?8) RETURNING {COLUMNS}"
    ))?;
    let (kind, origin) = (target.type_name(), origins::of_writer(tx)?);
    let values = params![kind, target.id(), author, content, mood, created_at, tx.now_seconds(), origin];
    let added = statement.query_row(values, load)?;
    tx.prepare_cached("INSERT INTO reflection_fts (rowid, content) VALUES (?1, ?2)")?
        .execute(params![added.id, content])?;
    Ok(added)
}

/// Moves the reflections on one entity to another.
pub(crate) fn move_to_entity(tx: &Transaction<'_>, entity_id: i64, to_entity_id: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE reflections SET target_id = ?2 WHERE target_type = 'entity' AND target_id = ?1",
    )?
    .execute([entity_id, to_entity_id])?;
    Ok(())
}

/// Deletes a row and its words. `mutations::reflections::delete_on` deletes reflections.
pub(crate) fn delete_row(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM reflection_fts WHERE rowid = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM reflections WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// A filter of reflections; `None` admits all values.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// The author, ignoring case.
    pub author: Option<&'a str>,
    /// The mood, ignoring case.
    pub mood: Option<&'a str>,
    /// The type of target.
    pub target_type: Option<&'a str>,
}

/// The reflections that a filter admits, as a condition on `reflections`.
const ADMITTED: &str = "(:author IS NULL OR fold(author) = :author) AND (:mood IS NULL OR fold(mood) = :mood)
     AND (:target_type IS NULL OR target_type = :target_type)";

/// The `limit` admitted reflections that BM25 ranks first for any of these words, each with its score: best first, then
/// by row number.
pub(crate) fn matching(
    tx: &Transaction<'_>,
    filter: Filter<'_>,
    words: &[String],
    limit: usize,
) -> Result<Vec<(i64, f64)>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let (author, mood) = folded(filter);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT reflection_fts.rowid, -bm25(reflection_fts) AS score
         FROM reflection_fts JOIN reflections ON reflections.id = reflection_fts.rowid
         WHERE reflection_fts MATCH :words AND {ADMITTED} ORDER BY score DESC, reflections.id LIMIT :limit"
    ))?;
    let parameters = named_params! {
        ":words": tokenizer::any_in_texts(words), ":limit": limit,
        ":author": author, ":mood": mood, ":target_type": filter.target_type,
    };
    let hits = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(hits.collect::<rusqlite::Result<_>>()?)
}

/// The `limit` admitted reflections whose sentence vectors are nearest to this one, nearest first.
pub(crate) fn nearest(
    tx: &Transaction<'_>,
    filter: Filter<'_>,
    vector: &[f32],
    limit: usize,
) -> Result<Vec<i64>> {
    let (author, mood) = folded(filter);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT rowid FROM reflection_embeddings
         WHERE embedding MATCH :vector AND k = :limit AND rowid IN (SELECT id FROM reflections WHERE {ADMITTED})
         ORDER BY distance"
    ))?;
    let vector = embeddings::to_bytes(vector);
    let parameters: &[(&str, &dyn ToSql)] = named_params! {
        ":vector": vector, ":limit": limit,
        ":author": author, ":mood": mood, ":target_type": filter.target_type,
    };
    let ids = statement.query_map(parameters, |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// Author and mood of a filter in the form in which they are compared.
fn folded(filter: Filter<'_>) -> (Option<String>, Option<String>) {
    (filter.author.map(text::fold), filter.mood.map(text::fold))
}
