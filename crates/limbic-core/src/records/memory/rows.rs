//! Memories in tables of this program and of others: reading them, and storing new and changed ones.

use rusqlite::{Row, params};

use super::{
    origin,
    record::{Memory, root},
};
use crate::{
    Result, Transaction,
    model::text::content_hash,
    records::{Tables, Take, record_times},
    store::{
        memories::{self, mentions},
        origins::{Kind, Origin},
        timestamps,
    },
};

/// Names of columns in a table of memories; other columns have the names of `MEMORY_NODES`.
pub(crate) struct Names {
    pub table: &'static str,
    pub created: &'static str,
    pub tags: Option<&'static str>,
}

/// The names in our table, which is Memory Graph's.
pub(crate) const OURS: Names =
    Names { table: "MEMORY_NODES", created: "timestamp", tags: Some("MEMORY_TAGS") };

/// Reads memories from a table with these names; missing columns have default values.
pub(crate) fn read(tables: &Tables<'_>, names: &Names, take: Take<'_, Memory>) -> Result<()> {
    let text = |column| tables.text(names.table, "m", column);
    let moment = |column| record_times::memory_sql(&tables.text(names.table, "m", column));
    let real = |column| tables.real(names.table, "m", column);
    let integer = |column| tables.integer(names.table, "m", column);
    // An export for one user contains no references to memories of others.
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
    let mut columns = vec![
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
    columns.extend(origin::columns(tables, names.table));
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
    let text = |index| row.get::<_, Option<String>>(index);
    Ok(Memory {
        id: text(0)?.unwrap_or_default(),
        domain: text(1)?,
        content: text(2)?.unwrap_or_default(),
        category: row.get::<_, Option<_>>(3)?.unwrap_or_default(),
        subject: text(4)?.unwrap_or_default(),
        source: text(5)?,
        path: text(6)?.unwrap_or_else(root),
        tags: Vec::new(),
        summary: text(7)?,
        summary_at: text(8)?,
        memory_type: row.get::<_, Option<_>>(9)?.unwrap_or_default(),
        importance: row.get::<_, Option<f64>>(10)?.unwrap_or(1.0),
        confidence: row.get::<_, Option<f64>>(11)?.unwrap_or(1.0),
        pinned: row.get::<_, Option<i64>>(12)?.unwrap_or(0) != 0,
        tier: row.get::<_, Option<_>>(13)?.unwrap_or_default(),
        heat: row.get::<_, Option<_>>(14)?.unwrap_or_default(),
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
        written_by: origin::load(row, 32)?,
    })
}

/// Which times of a record were ahead of the clock, and count as now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// That at which its state began.
    pub changed: bool,
    /// That at which it was last used.
    pub used: bool,
    /// That at which it was last stated.
    pub stated: bool,
}

impl Memory {
    /// Stores the origin of a new memory: that of the record, and the import.
    pub(super) fn write_origin(&self, tx: &Transaction<'_>, import: Option<&Origin>) -> Result<()> {
        let stated = self.written_by.as_ref().and_then(|it| Some((Kind::of_name(&it.kind)?, it)));
        let origin = match (stated, import) {
            (None, None) => return Ok(()),
            (None, Some(import)) => import.clone(),
            (Some((kind, it)), import) => Origin {
                kind,
                client: it.client.clone(),
                session: it.session.clone(),
                project: it.project.clone(),
                folder: String::new(),
                file: import.map_or(&it.file, |import| &import.file).clone(),
                import_id: import.map_or(&it.import_id, |import| &import.import_id).clone(),
            },
        };
        memories::set_origin(tx, &self.id, &origin)?;
        match import {
            Some(import) => memories::mark_unconfirmed(tx, &self.id, import),
            None => Ok(()),
        }
    }

    /// Returns it with times in the format of memories, and which of them were ahead of the clock.
    pub(super) fn with_timestamps(&self, tx: &Transaction<'_>) -> Result<(Self, Ahead)> {
        let read = |text: &Option<String>| record_times::of_memory(tx, text.as_deref());
        let recorded = |text: &Option<String>| record_times::recorded(tx, text.as_deref());
        let (created_at, created_ahead) = recorded(&self.created_at)?;
        let (updated_at, updated_ahead) = recorded(&self.updated_at)?;
        let (last_accessed, used) = recorded(&self.last_accessed)?;
        let (stated_at, stated) = recorded(&self.stated_at)?;
        let changed = if updated_at.is_some() { updated_ahead } else { created_ahead };
        let ahead = Ahead { changed, used, stated };
        let record = Self {
            summary_at: recorded(&self.summary_at)?.0,
            last_accessed,
            confidence_at: recorded(&self.confidence_at)?.0,
            last_promoted_at: recorded(&self.last_promoted_at)?.0,
            created_at,
            updated_at,
            stated_at,
            event_time: read(&self.event_time)?,
            ingestion_time: recorded(&self.ingestion_time)?.0,
            valid_from: read(&self.valid_from)?,
            valid_until: read(&self.valid_until)?,
            expires_at: read(&self.expires_at)?,
            ..self.clone()
        };
        Ok((record, ahead))
    }

    pub(super) fn insert(&self, tx: &Transaction<'_>, domain: &str) -> Result<()> {
        tx.prepare_cached(
            "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, path, content_summary, ingestion_time)
             VALUES (?1, ?2, ?3, coalesce(?4, ?8), ?5, ?6, ?7)",
        )?
        .execute(params![
            self.id,
            domain,
            self.content,
            self.created_at,
            self.path,
            self.summary,
            self.ingestion_time,
            timestamps::now(tx)?
        ])?;
        self.write_state(tx)?;
        self.write_use(tx)?;
        mentions::find_in_text(tx, &self.id, &self.content)
    }

    /// Stores the fields that a caller sets, apart from those of the search index.
    pub(super) fn write_state(&self, tx: &Transaction<'_>) -> Result<()> {
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET summary_timestamp = ?2, category = ?3, subject = ?4, source = ?5, pinned = ?6,
                memory_type = ?7, importance_score = ?8, user_id = ?9, metadata = ?10, event_time = ?11,
                valid_from = ?12, valid_until = ?13, invalidation_reason = ?14, superseded_by = ?15, expires_at = ?16,
                updated_at = ?17, content_hash = ?18, confidence = ?19, confidence_at = ?20, stated_at = ?21
             WHERE id = ?1",
        )?
        .execute(params![
            self.id,
            self.summary_at,
            self.category,
            self.subject,
            self.source,
            self.pinned,
            self.memory_type,
            self.importance,
            self.user_id,
            self.metadata,
            self.event_time,
            self.valid_from,
            self.valid_until,
            self.invalidation_reason,
            self.superseded_by,
            self.expires_at,
            self.updated_at,
            content_hash(&self.content),
            self.confidence,
            self.confidence_at,
            self.stated_at,
        ])?;
        tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([&self.id])?;
        for tag in &self.tags {
            tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
                .execute([&self.id, tag])?;
        }
        memories::index_forms(tx, &self.id)
    }

    /// Stores the fields that usage changes. Counts never decrease.
    pub(super) fn write_use(&self, tx: &Transaction<'_>) -> Result<()> {
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET confidence = ?2, tier = ?3, heat = ?4, last_accessed = ?5, last_promoted_at = ?6,
                access_count = max(coalesce(access_count, 0), ?7),
                promotion_count = max(coalesce(promotion_count, 0), ?8), confidence_at = ?9
             WHERE id = ?1",
        )?
        .execute(params![
            self.id,
            self.confidence,
            self.tier,
            self.heat,
            self.last_accessed,
            self.last_promoted_at,
            self.access_count,
            self.promotion_count,
            self.confidence_at,
        ])?;
        Ok(())
    }
}
