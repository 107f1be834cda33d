//! Deleted memories.

use rusqlite::params;

use super::supersession;
use crate::{Result, Transaction};

/// Deletes the row of a memory with its tags and references; what it took the place of stays ended. Vectors do not cascade:
/// `mutations::memories::forget` deletes a memory.
///
/// # Errors
/// Those of the database.
pub fn delete_row(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM DOMAIN_REFS WHERE nodeId = ?1 OR targetNodeId = ?1")?.execute([id])?;
    supersession::hand_on(tx, id)?;
    tx.prepare_cached("UPDATE PERSISTENCE SET lastMemoryId = NULL WHERE lastMemoryId = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM MEMORY_NODES WHERE id = ?1")?.execute(params![id])?;
    Ok(())
}
