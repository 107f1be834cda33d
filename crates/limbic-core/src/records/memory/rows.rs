//! Memories as they stand in tables, ours and others'.

use rusqlite::Row;

use super::{Memory, Tables, Take, cold, fact, l4, root, semantic};
use crate::{Result, records::record_times};

/// What a table of memories calls the columns; the rest has the names of `MEMORY_NODES`.
pub struct Names {
    pub table: &'static str,
    pub created: &'static str,
    pub tags: Option<&'static str>,
}

/// Those of our table, which is Memory Graph's.
pub(crate) const OURS: Names =
    Names { table: "MEMORY_NODES", created: "timestamp", tags: Some("MEMORY_TAGS") };

/// Reads memories from a table of these names; what it lacks has the usual value.
pub fn read(tables: &Tables<'_>, names: &Names, take: Take<'_, Memory>) -> Result<()> {
    let text = |column| tables.text(names.table, "m", column);
    let moment = |column| record_times::memory_sql(&tables.text(names.table, "m", column));
    let real = |column| tables.real(names.table, "m", column);
    let integer = |column| tables.integer(names.table, "m", column);
    // A user's export does not tell of what is others'.
    let successor = if tables.has(names.table, &["superseded_by"]) {
        format!(
            "CASE WHEN ?1 IS NULL OR EXISTS (SELECT 1 FROM {} AS s WHERE s.id = m.superseded_by AND s.user_id = ?1)
             THEN CAST(m.superseded_by AS TEXT) END",
            names.table
        )
    } else {
        "NULL".to_owned()
    };
    let stated = format!("nullif({}, {})", moment("stated_at"), moment(names.created));
    let columns = [
        text("id"),
        text("domain"),
        text("content"),
        text("category"),
        text("subject"),
        text("source"),
        text("path"),
        text("content_summary"),
        moment("summary_timestamp"),
        text("memory_type"),
        real("importance_score"),
        real("confidence"),
        integer("pinned"),
        text("tier"),
        text("heat"),
        integer("access_count"),
        moment("last_accessed"),
        integer("promotion_count"),
        moment("last_promoted_at"),
        moment(names.created),
        moment("updated_at"),
        moment("event_time"),
        moment("ingestion_time"),
        moment("valid_from"),
        moment("valid_until"),
        text("invalidation_reason"),
        successor,
        moment("expires_at"),
        text("user_id"),
        text("metadata"),
        moment("confidence_at"),
        stated,
    ];
    let mut statement = tables.connection().prepare(&format!(
        "SELECT {} FROM {} AS m WHERE ?1 IS NULL OR {} = ?1 ORDER BY m.rowid",
        columns.join(", "),
        names.table,
        text("user_id"),
    ))?;
    let tags = names.tags.filter(|table| tables.has(table, &["nodeId", "tag"]));
    let mut tags = tags
        .map(|table| {
            let sql =
                format!("SELECT CAST(tag AS TEXT) FROM {table} WHERE nodeId = ?1 AND tag <> '' ORDER BY 1");
            tables.connection().prepare(&sql)
        })
        .transpose()?;
    let mut rows = statement.query([tables.user()])?;
    while let Some(row) = rows.next()? {
        let mut memory = load(row)?;
        if let Some(tags) = &mut tags {
            memory.tags = tags.query_map([&memory.id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        }
        take(memory)?;
    }
    Ok(())
}

fn load(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let text = |place| row.get::<_, Option<String>>(place);
    Ok(Memory {
        id: text(0)?.unwrap_or_default(),
        domain: text(1)?,
        content: text(2)?.unwrap_or_default(),
        category: text(3)?.unwrap_or_else(fact),
        subject: text(4)?.unwrap_or_default(),
        source: text(5)?,
        path: text(6)?.unwrap_or_else(root),
        tags: Vec::new(),
        summary: text(7)?,
        summary_at: text(8)?,
        memory_type: text(9)?.unwrap_or_else(semantic),
        importance: row.get::<_, Option<f64>>(10)?.unwrap_or(1.0),
        confidence: row.get::<_, Option<f64>>(11)?.unwrap_or(1.0),
        pinned: row.get::<_, Option<i64>>(12)?.unwrap_or(0) != 0,
        tier: text(13)?.unwrap_or_else(l4),
        heat: text(14)?.unwrap_or_else(cold),
        access_count: row.get::<_, Option<i64>>(15)?.unwrap_or(0),
        last_accessed: text(16)?,
        promotion_count: row.get::<_, Option<i64>>(17)?.unwrap_or(0),
        last_promoted_at: text(18)?,
        created_at: text(19)?,
        updated_at: text(20)?,
        event_time: text(21)?,
        ingestion_time: text(22)?,
        valid_from: text(23)?,
        valid_until: text(24)?,
        invalidation_reason: text(25)?,
        superseded_by: text(26)?,
        expires_at: text(27)?,
        user_id: text(28)?,
        metadata: text(29)?,
        confidence_at: text(30)?,
        stated_at: text(31)?,
    })
}
