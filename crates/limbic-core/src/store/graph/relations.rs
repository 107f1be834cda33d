//! Relations: typed, weighted edges between entities. They are usually ended rather than deleted.

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use crate::{Error, Result, Transaction, store::origins};

/// A relation from one entity to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Relation {
    /// Row number, never used again after a deletion.
    pub id: i64,
    /// Row number of its source.
    pub from_id: i64,
    /// Row number of its target.
    pub to_id: i64,
    /// Name of its source.
    pub from: String,
    /// Name of its target.
    pub to: String,
    /// Type, in active voice.
    pub relation_type: String,
    /// Reason or other context, as free text.
    pub context: Option<String>,
    /// Weight; 1.0 by default.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// When it ended: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub ended_at: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created_at: String,
}

/// The columns that [`load`] reads.
pub(crate) const COLUMNS: &str = "r.id, r.from_entity, r.to_entity, f.name, t.name, r.relation_type, r.context, \
     r.weight, r.active, r.ended_at, r.created_at";

/// The tables of [`COLUMNS`].
pub(crate) const FROM: &str =
    "relations AS r JOIN entities AS f ON f.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity";

/// Reads the columns [`COLUMNS`].
fn load(row: &Row<'_>) -> rusqlite::Result<Relation> {
    Ok(Relation {
        id: row.get(0)?,
        from_id: row.get(1)?,
        to_id: row.get(2)?,
        from: row.get(3)?,
        to: row.get(4)?,
        relation_type: row.get(5)?,
        context: row.get(6)?,
        weight: row.get(7)?,
        active: row.get(8)?,
        ended_at: row.get(9)?,
        created_at: row.get(10)?,
    })
}

/// The ends and the type, which together identify a relation.
#[derive(Debug, Clone, Copy)]
pub struct Triple<'a> {
    /// Row number of its source.
    pub from_id: i64,
    /// Row number of its target.
    pub to_id: i64,
    /// Type.
    pub relation_type: &'a str,
}

/// The relation with these ends and this type, active or ended.
pub fn find(tx: &Transaction<'_>, triple: Triple<'_>) -> Result<Option<Relation>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE r.from_entity = ?1 AND r.to_entity = ?2 AND r.relation_type = ?3"
    ))?;
    Ok(statement.query_row(params![triple.from_id, triple.to_id, triple.relation_type], load).optional()?)
}

/// The relation with this id.
///
/// # Errors
/// [`Error::RelationNotFound`].
pub fn get(tx: &Transaction<'_>, id: i64) -> Result<Relation> {
    tx.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE r.id = ?1"))?
        .query_row([id], load)
        .optional()?
        .ok_or_else(|| Error::RelationNotFound(format!("there is none with id {id}")))
}

/// Returns the active relations from and to an entity, by id, ended ones too if requested.
pub fn touching(tx: &Transaction<'_>, entity_id: i64, include_ended: bool) -> Result<Vec<Relation>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE (r.from_entity = ?1 OR r.to_entity = ?1) AND (?2 OR r.active) ORDER BY r.id"
    ))?;
    let rows = statement.query_map(params![entity_id, include_ended], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Passes all active relations to `take`, by id.
///
/// # Errors
/// Errors of `take`.
pub fn each_active(tx: &Transaction<'_>, mut take: impl FnMut(Relation) -> Result<()>) -> Result<()> {
    let mut statement =
        tx.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE r.active ORDER BY r.id"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(load(row)?)?;
    }
    Ok(())
}

/// The ends of a relation and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ends {
    /// Row number of its source.
    pub from_id: i64,
    /// Row number of its target.
    pub to_id: i64,
    /// Weight.
    pub weight: f64,
}

/// The ends of all active relations, in the order of the relations' ids.
pub(crate) fn active_ends(tx: &Transaction<'_>) -> Result<Vec<Ends>> {
    let mut statement =
        tx.prepare_cached("SELECT from_entity, to_entity, weight FROM relations WHERE active ORDER BY id")?;
    let rows = statement
        .query_map([], |row| Ok(Ends { from_id: row.get(0)?, to_id: row.get(1)?, weight: row.get(2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether any relation has this type, ended ones included.
pub fn has_type(tx: &Transaction<'_>, relation_type: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM relations WHERE relation_type = ?1")?.exists([relation_type])?)
}

/// Active relations that start from an entity, in the order of their ids.
pub fn starting_from(tx: &Transaction<'_>, entity_id: i64) -> Result<Vec<Relation>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE r.from_entity = ?1 AND r.active ORDER BY r.id"
    ))?;
    let rows = statement.query_map([entity_id], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Counts all active relations.
pub fn count(tx: &Transaction<'_>) -> Result<u64> {
    Ok(tx.prepare_cached("SELECT count(*) FROM relations WHERE active")?.query_row([], |row| row.get(0))?)
}

/// Counts the active relations of an entity, at both ends.
pub(crate) fn degree(tx: &Transaction<'_>, entity_id: i64) -> Result<u32> {
    Ok(tx
        .prepare_cached(
            "SELECT (SELECT count(*) FROM relations WHERE from_entity = ?1 AND active)
                  + (SELECT count(*) FROM relations WHERE to_entity = ?1 AND active)",
        )?
        .query_row([entity_id], |row| row.get(0))?)
}

/// Inserts a row and returns its number. Default weight: 1.0.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    triple: Triple<'_>,
    context: Option<&str>,
    weight: Option<f64>,
) -> Result<i64> {
    tx.prepare_cached(
        "INSERT INTO relations (from_entity, to_entity, relation_type, context, weight, created_at, valid_from,
             origin)
         VALUES (?1, ?2, ?3, ?4, coalesce(?5, 1.0), datetime(?6, 'unixepoch'), datetime(?6, 'unixepoch'), ?7)",
    )?
    .execute(params![
        triple.from_id,
        triple.to_id,
        triple.relation_type,
        context,
        weight,
        tx.now_seconds(),
        origins::of_writer(tx)?
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Makes an ended relation active again; `None` leaves context and weight unchanged.
pub(crate) fn reactivate(
    tx: &Transaction<'_>,
    id: i64,
    context: Option<&str>,
    weight: Option<f64>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE relations SET active = 1, ended_at = NULL, context = coalesce(?2, context),
             weight = coalesce(?3, weight), valid_from = datetime(?4, 'unixepoch')
         WHERE id = ?1",
    )?
    .execute(params![id, context, weight, tx.now_seconds()])?;
    Ok(())
}

/// Ends a relation.
pub(crate) fn set_ended(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE relations SET active = 0, ended_at = datetime(?2, 'unixepoch') WHERE id = ?1")?
        .execute(params![id, tx.now_seconds()])?;
    Ok(())
}

/// Replaces an entity by another as the end of all its relations.
pub(crate) fn move_ends(tx: &Transaction<'_>, entity_id: i64, to_entity_id: i64) -> Result<()> {
    for statement in [
        "UPDATE relations SET from_entity = ?2 WHERE from_entity = ?1",
        "UPDATE relations SET to_entity = ?2 WHERE to_entity = ?1",
    ] {
        tx.prepare_cached(statement)?.execute([entity_id, to_entity_id])?;
    }
    Ok(())
}

/// Deletes the row alone. `mutations::relations::delete` deletes a relation.
pub(crate) fn delete_row(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM relations WHERE id = ?1")?.execute([id])?;
    Ok(())
}
