//! What a memory said before.

use rusqlite::{OptionalExtension, params};

use super::MemoryNode;
use crate::{Result, Unit, store::time};

/// An earlier text of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    /// The text.
    pub content: String,
    /// How far it was trusted when it was replaced.
    pub confidence: f64,
    /// Until when it stood.
    pub replaced_at: String,
}

/// The earlier texts of a memory, oldest first.
///
/// # Errors
/// Those of the database.
pub fn history(unit: &Unit<'_>, id: &str) -> Result<Vec<Earlier>> {
    let mut statement = unit.prepare_cached(
        "SELECT content, confidence, replaced_at FROM memory_history WHERE memory_id = ?1 ORDER BY seq",
    )?;
    let rows = statement.query_map([id], |row| {
        Ok(Earlier { content: row.get(0)?, confidence: row.get(1)?, replaced_at: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A memory in the words of a moment; those of now, when none is given.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for what is no moment.
pub fn in_words_of(unit: &Unit<'_>, memory: MemoryNode, as_of: Option<&str>) -> Result<MemoryNode> {
    let Some(moment) = time::read_optional(unit, "as_of", as_of)? else { return Ok(memory) };
    let earlier: Option<String> = unit
        .prepare_cached(
            "SELECT content FROM memory_history WHERE memory_id = ?1 AND replaced_at > ?2 ORDER BY seq LIMIT 1",
        )?
        .query_row([&memory.id, &moment], |row| row.get(0))
        .optional()?;
    Ok(match earlier {
        Some(content) => MemoryNode { content, ..memory },
        None => memory,
    })
}

/// Keeps the text that is about to be replaced.
pub fn keep(unit: &Unit<'_>, memory: &MemoryNode) -> Result<()> {
    unit.prepare_cached(
        "INSERT INTO memory_history (memory_id, content, confidence, replaced_at) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![memory.id, memory.content, memory.confidence, time::now(unit)?])?;
    Ok(())
}
