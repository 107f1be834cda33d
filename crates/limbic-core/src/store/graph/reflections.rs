//! Reflections: free prose on an entity, a relation, a session, or on nothing in particular.
//!
//! A reflection hangs on its target: it goes when the entity or the relation is deleted. One that is ended keeps its
//! reflections, and so does an entity whose observations change.

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use super::{entities, placeholders, relations};
use crate::{
    Error, Result, Transaction,
    store::vectors::{embedding_queue, embeddings},
};
use limbic_protocol::TextKind;

/// What a reflection is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The entity with this id.
    Entity(i64),
    /// The relation with this id.
    Relation(i64),
    /// A session, by a number of the caller's own where it has one.
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

/// Free prose on something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reflection {
    /// Row number, never used again after a deletion.
    pub id: i64,
    /// `entity`, `relation`, `session` or `global`.
    pub target_type: String,
    /// Row number of the entity or relation, or the caller's number of a session.
    pub target_id: Option<i64>,
    /// Who wrote it.
    pub author: String,
    /// The prose, as given.
    pub content: String,
    /// In which mood.
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

/// Stores a reflection and queues its embedding. What it is about must exist.
///
/// # Errors
/// [`Error::EntityIdNotFound`] and [`Error::RelationNotFound`].
pub fn add(
    tx: &Transaction<'_>,
    target: Target,
    author: &str,
    content: &str,
    mood: Option<&str>,
) -> Result<Reflection> {
    match target {
        Target::Entity(id) => {
            entities::get(tx, id)?.ok_or(Error::EntityIdNotFound(id))?;
            placeholders::make_real(tx, id)?;
        }
        Target::Relation(id) => {
            relations::get(tx, id)?;
        }
        Target::Session(_) | Target::Global => {}
    }
    let mut statement = tx.prepare_cached(&format!(
        "INSERT INTO reflections (target_type, target_id, author, content, mood, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, datetime(?6, 'unixepoch')) RETURNING {COLUMNS}"
    ))?;
    let added = statement
        .query_row(params![target.type_name(), target.id(), author, content, mood, tx.now_seconds()], load)?;
    tx.prepare_cached("INSERT INTO reflection_fts (rowid, content) VALUES (?1, ?2)")?
        .execute(params![added.id, content])?;
    embedding_queue::mark(tx, TextKind::Reflection, added.id)?;
    Ok(added)
}

/// The reflection with this id, if it still exists.
///
/// # Errors
/// Those of the database.
pub fn get(tx: &Transaction<'_>, id: i64) -> Result<Option<Reflection>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM reflections WHERE id = ?1"))?;
    Ok(statement.query_row([id], load).optional()?)
}

/// The reflections on one target, oldest first.
///
/// # Errors
/// Those of the database.
pub fn on(tx: &Transaction<'_>, target: Target) -> Result<Vec<Reflection>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM reflections WHERE target_type = ?1 AND target_id IS ?2 ORDER BY id"
    ))?;
    let rows = statement.query_map(params![target.type_name(), target.id()], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Deletes the reflections on a target that is being deleted, with their words and vectors. The only way to delete
/// one: the tables of vectors and words do not cascade.
///
/// # Errors
/// Those of the database.
pub fn delete_on(tx: &Transaction<'_>, target: Target) -> Result<()> {
    for reflection in on(tx, target)? {
        embeddings::forget(tx, TextKind::Reflection, reflection.id)?;
        tx.prepare_cached("DELETE FROM reflection_fts WHERE rowid = ?1")?.execute([reflection.id])?;
        tx.prepare_cached("DELETE FROM reflections WHERE id = ?1")?.execute([reflection.id])?;
    }
    Ok(())
}

/// Which reflections a search is for; what is `None` admits all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Only those of this author, without regard to case.
    pub author: Option<&'a str>,
    /// Only those in this mood, without regard to case.
    pub mood: Option<&'a str>,
    /// Only those on this type of target.
    pub target_type: Option<&'a str>,
}
