//! Placeholders: entities that stand for a name in a relation until somebody creates an entity of that name.
//!
//! The reference server lets relations name entities that do not exist; ours always have two rows as their ends.

use rusqlite::params;

use super::entities::{self, Entity, PLACEHOLDER};
use crate::{Error, Result, Transaction, store::memories::mentions};

/// The entity of exactly this name; a placeholder is made where there is none.
///
/// # Errors
/// Those of the database.
pub fn find_or_make(tx: &Transaction<'_>, name: &str) -> Result<Entity> {
    match entities::find_exact(tx, name)? {
        Some(entity) => Ok(entity),
        None => insert(tx, name, None, PLACEHOLDER),
    }
}

/// Creates an entity of exactly this name unless there is one. It takes over the relations of a placeholder, which
/// gives way to a row of its own: entities are listed in the order of their row numbers.
///
/// # Errors
/// Those of the database.
pub fn create(tx: &Transaction<'_>, name: &str, entity_type: &str) -> Result<Option<Entity>> {
    let placeholder = match entities::find_exact(tx, name)? {
        Some(entity) if entity.status != PLACEHOLDER => return Ok(None),
        Some(placeholder) => placeholder,
        None => return insert(tx, name, Some(entity_type), "activo").map(Some),
    };
    // Names are unique, so the old row gives its name away first. No caller can send a NUL.
    tx.prepare_cached("UPDATE entities SET name = char(0) || id WHERE id = ?1")?.execute([placeholder.id])?;
    let entity = insert(tx, name, Some(entity_type), "activo")?;
    mentions::new_entity(tx, entity.id, name)?;
    for statement in [
        "UPDATE relations SET from_entity = ?2 WHERE from_entity = ?1",
        "UPDATE relations SET to_entity = ?2 WHERE to_entity = ?1",
        "UPDATE reflections SET target_id = ?2 WHERE target_type = 'entity' AND target_id = ?1",
    ] {
        tx.prepare_cached(statement)?.execute([placeholder.id, entity.id])?;
    }
    entities::delete(tx, placeholder.id)?;
    Ok(Some(entity))
}

/// Somebody has said something of this entity: if it was a placeholder, it is one no longer.
///
/// # Errors
/// Those of the database.
pub fn make_real(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE entities SET status = 'activo' WHERE id = ?1 AND status = ?2")?
        .execute(params![id, PLACEHOLDER])?;
    Ok(())
}

/// Deletes an entity if it is a placeholder that no relation names any more.
///
/// # Errors
/// Those of the database.
pub fn forget_unused(tx: &Transaction<'_>, id: i64) -> Result<()> {
    let is_unused = tx
        .prepare_cached(
            "SELECT 1 FROM entities AS e WHERE id = ?1 AND status = ?2
             AND NOT EXISTS (SELECT 1 FROM relations WHERE from_entity = e.id)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE to_entity = e.id)",
        )?
        .exists(params![id, PLACEHOLDER])?;
    if is_unused { entities::delete(tx, id) } else { Ok(()) }
}

fn insert(tx: &Transaction<'_>, name: &str, entity_type: Option<&str>, status: &str) -> Result<Entity> {
    tx.prepare_cached(
        "INSERT INTO entities (name, entity_type, status, created_at, updated_at)
         VALUES (?1, coalesce(?2, 'Generic'), ?3, datetime(?4, 'unixepoch'), datetime(?4, 'unixepoch'))",
    )?
    .execute(params![name, entity_type, status, tx.now_seconds()])?;
    let id = tx.last_insert_rowid();
    entities::text_changed(tx, id)?;
    entities::get(tx, id)?.ok_or_else(|| Error::Internal(format!("entity {id} vanished while stored")))
}
