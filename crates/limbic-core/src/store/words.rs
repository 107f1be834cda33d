//! The full-text tables of entities. They are kept in step by code, as MCP Memory v2 does it, not by triggers.

use rusqlite::params;

use super::{entities, observations};
use crate::{Error, Result, Unit, search};

/// Brings both full-text tables up to date with an entity's name, type and current observations.
///
/// `entity_fts` has exactly the seed's columns; `entity_words` is what the lexical signal searches: stemmed, and
/// with the parts of identifiers as words of their own.
///
/// # Errors
/// Those of the database.
pub fn index_entity(unit: &Unit<'_>, id: i64) -> Result<()> {
    let entity = entities::get(unit, id)?
        .ok_or_else(|| Error::Internal(format!("entity {id} has no row to index")))?;
    let contents: Vec<String> =
        observations::current(unit, id)?.into_iter().map(|observation| observation.content).collect();
    let text = contents.join(" | ");
    let words = search::words::with_parts(&format!("{} {} {text}", entity.name, entity.entity_type));
    forget_entity(unit, id)?;
    unit.prepare_cached(
        "INSERT INTO entity_fts (rowid, name, entity_type, obs_text) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![id, entity.name, entity.entity_type, text])?;
    unit.prepare_cached("INSERT INTO entity_words (rowid, words) VALUES (?1, ?2)")?
        .execute(params![id, words])?;
    Ok(())
}

/// Takes an entity out of both full-text tables.
///
/// # Errors
/// Those of the database.
pub fn forget_entity(unit: &Unit<'_>, id: i64) -> Result<()> {
    unit.prepare_cached("DELETE FROM entity_fts WHERE rowid = ?1")?.execute([id])?;
    unit.prepare_cached("DELETE FROM entity_words WHERE rowid = ?1")?.execute([id])?;
    Ok(())
}
