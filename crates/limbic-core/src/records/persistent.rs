//! Memories of the SQLite Persistent Memory specification: two tables, read as records.

use super::{
    Memory, MemoryEdge, Tables, Take,
    memory::{self, Names},
};
use crate::{Result, store::memories::RELATED};

const TABLE: Names = Names { table: "memories", created: "created_at", tags: None };

/// Whether a database has its table.
#[must_use]
pub(crate) fn is_there(tables: &Tables<'_>) -> bool {
    tables.has(TABLE.table, &["id", "category", "subject", "content"])
}

/// Reads its memories. They have no domain.
///
/// # Errors
/// Errors of `take`.
pub(crate) fn each_memory(tables: &Tables<'_>, take: Take<'_, Memory>) -> Result<()> {
    if is_there(tables) { memory::read(tables, &TABLE, take) } else { Ok(()) }
}

/// Reads its links.
///
/// # Errors
/// Errors of `take`.
pub(crate) fn each_edge(tables: &Tables<'_>, take: Take<'_, MemoryEdge>) -> Result<()> {
    if !tables.has("memory_relations", &["from_id", "to_id"]) {
        return Ok(());
    }
    let mut statement = tables.connection().prepare(&format!(
        "SELECT CAST(from_id AS TEXT), coalesce(nullif({}, ''), '{RELATED}'), CAST(to_id AS TEXT)
         FROM memory_relations AS r ORDER BY r.rowid",
        tables.text("memory_relations", "r", "relation_type"),
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(MemoryEdge {
            from: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            link_type: row.get(1)?,
            to: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            strength: 1.0,
            at: None,
            id: None,
            domain: None,
        })?;
    }
    Ok(())
}
