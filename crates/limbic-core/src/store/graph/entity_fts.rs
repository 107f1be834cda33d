//! The full-text tables of entities. They are maintained by code, as in MCP Memory v2, not by triggers.

use rusqlite::params;

use super::{entities, observations};
use crate::{Error, Result, Transaction, model::tokenizer};

/// Brings both full-text tables up to date with an entity's name, type and current observations.
///
/// `entity_fts` has exactly the columns of MCP Memory v2. Keyword search reads `entity_words`: stemmed words, and the
/// parts of identifiers as words of their own.
pub(crate) fn index_entity(tx: &Transaction<'_>, id: i64) -> Result<()> {
    let entity =
        entities::get(tx, id)?.ok_or_else(|| Error::Internal(format!("entity {id} has no row to index")))?;
    let contents: Vec<String> =
        observations::current(tx, id)?.into_iter().map(|observation| observation.content).collect();
    let text = contents.join(" | ");
    let words = tokenizer::with_parts(&format!("{} {} {text}", entity.name, entity.entity_type));
    forget_entity(tx, id)?;
    tx.prepare_cached("INSERT INTO entity_fts (rowid, name, entity_type, obs_text) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![id, entity.name, entity.entity_type, text])?;
    tx.prepare_cached("INSERT INTO entity_words (rowid, words) VALUES (?1, ?2)")?
        .execute(params![id, words])?;
    Ok(())
}

/// Deletes an entity from both full-text tables.
pub(crate) fn forget_entity(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM entity_fts WHERE rowid = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM entity_words WHERE rowid = ?1")?.execute([id])?;
    Ok(())
}
