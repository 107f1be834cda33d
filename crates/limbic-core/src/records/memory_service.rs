//! Memories of mcp-memory-service's SQLite backend: two tables of its own, read as our records. The id of a memory is
//! its `content_hash`, by which its links and its JSON export refer to it, too.

use rusqlite::Connection;

use super::{Memory, MemoryEdge, Tables, Take, record_times};
use crate::{
    Result,
    store::memories::{RELATED, tags_in},
};

const TABLE: &str = "memories";

/// Its table of links.
const LINKS: &str = "memory_graph";

/// The type of a memory without one.
const USUAL_TYPE: &str = "note";

/// Whether a database has its table.
#[must_use]
pub(crate) fn is_there(tables: &Tables<'_>) -> bool {
    tables.has(TABLE, &["content_hash", "content", "tags", "created_at"])
}

/// Reads its memories, without those that it keeps as deleted. They belong to no domain.
///
/// # Errors
/// Errors of `take`.
pub(crate) fn each_memory(tables: &Tables<'_>, take: Take<'_, Memory>) -> Result<()> {
    if !is_there(tables) {
        return Ok(());
    }
    let moment = |seconds: &str, text: &str| {
        // Earlier versions wrote local times to the second column; other programs, texts or milliseconds to the first.
        let number = tables.real(TABLE, "m", seconds);
        format!(
            "coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN {number} >= 253402300800 THEN {number} / 1000.0
                 WHEN {number} > 9999 THEN {number} END, 'unixepoch'), {}, {})",
            record_times::memory_sql(&tables.text(TABLE, "m", text)),
            record_times::memory_sql(&tables.text(TABLE, "m", seconds)),
        )
    };
    let mut statement = tables.connection().prepare(&format!(
        "SELECT {}, {}, {}, {}, {}, {}, {}, {}, {} FROM {TABLE} AS m WHERE {} IS NULL ORDER BY m.rowid",
        tables.text(TABLE, "m", "content_hash"),
        tables.text(TABLE, "m", "content"),
        tables.text(TABLE, "m", "tags"),
        tables.text(TABLE, "m", "memory_type"),
        tables.text(TABLE, "m", "metadata"),
        moment("created_at", "created_at_iso"),
        moment("updated_at", "updated_at_iso"),
        tables.text(TABLE, "m", "superseded_by"),
        tables.real(TABLE, "m", "confidence"),
        tables.text(TABLE, "m", "deleted_at"),
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text = |column| row.get::<_, Option<String>>(column);
        let mut memory = Memory {
            id: text(0)?.unwrap_or_default(),
            content: text(1)?.unwrap_or_default(),
            metadata: text(4)?.filter(|text| !matches!(text.as_str(), "" | "{}" | "null")),
            created_at: text(5)?,
            updated_at: text(6)?,
            ..Memory::default()
        };
        if let Some(confidence) = row.get::<_, Option<f64>>(8)? {
            memory.confidence = confidence.clamp(0.0, 1.0);
        }
        if let Some(successor) = text(7)? {
            memory.end_as_superseded(successor);
        }
        if let Some(word) = text(3)?.filter(|word| !word.is_empty() && word != USUAL_TYPE) {
            memory.set_category_or_type(word);
        }
        let written = text(2)?.unwrap_or_default();
        let tags = match written.trim() {
            list if is_json_list(tables.connection(), list)? => tags_in(tables.connection(), list)?,
            words => words.split(',').map(str::to_owned).collect(),
        };
        memory.tags.extend(tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()));
        memory.tags.sort();
        memory.tags.dedup();
        take(memory)?;
    }
    Ok(())
}

/// Whether tags are a list in JSON, as some programs write them.
fn is_json_list(connection: &Connection, text: &str) -> Result<bool> {
    Ok(text.starts_with('[') && connection.query_row("SELECT json_valid(?1)", [text], |row| row.get(0))?)
}

/// Reads its links.
///
/// # Errors
/// Errors of `take`.
pub(crate) fn each_edge(tables: &Tables<'_>, take: Take<'_, MemoryEdge>) -> Result<()> {
    if !is_there(tables) || !tables.has(LINKS, &["source_hash", "target_hash"]) {
        return Ok(());
    }
    let mut statement = tables.connection().prepare(&format!(
        "SELECT {}, coalesce(nullif({}, ''), '{RELATED}'), {}, min(max(coalesce({}, 1.0), 0.0), 1.0),
             strftime('%Y-%m-%dT%H:%M:%fZ', {}, 'unixepoch')
         FROM {LINKS} AS g ORDER BY g.source_hash, g.target_hash",
        tables.text(LINKS, "g", "source_hash"),
        tables.text(LINKS, "g", "relationship_type"),
        tables.text(LINKS, "g", "target_hash"),
        tables.real(LINKS, "g", "similarity"),
        tables.real(LINKS, "g", "created_at"),
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(MemoryEdge {
            from: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            link_type: row.get(1)?,
            to: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            strength: row.get(3)?,
            at: row.get(4)?,
            id: None,
            domain: None,
        })?;
    }
    Ok(())
}
