//! Storing a memory that was not there, and bringing one up to date that was.

use rusqlite::{OptionalExtension, params};

use super::{Memory, Outcome};
use crate::{
    Result, Transaction,
    records::record_times,
    store::{
        memories::{self, mentions},
        timestamps,
    },
};

/// The row that is there.
pub struct Known {
    content: String,
    domain: String,
    created_at: String,
    changed_at: String,
    last_accessed: Option<String>,
}

impl Known {
    /// The row of this id, if there is one.
    pub fn find(tx: &Transaction<'_>, id: &str) -> Result<Option<Self>> {
        let mut statement = tx.prepare_cached(
            "SELECT content, domain, timestamp, coalesce(updated_at, timestamp), last_accessed FROM MEMORY_NODES
             WHERE id = ?1",
        )?;
        let found = statement.query_row([id], |row| {
            Ok(Self {
                content: row.get(0)?,
                domain: row.get(1)?,
                created_at: row.get(2)?,
                changed_at: row.get(3)?,
                last_accessed: row.get(4)?,
            })
        });
        Ok(found.optional()?)
    }
}

impl Memory {
    /// The same with times as memories keep them.
    pub(super) fn with_moments(&self, tx: &Transaction<'_>) -> Result<Self> {
        let read = |text: &Option<String>| record_times::of_memory(tx, text.as_deref());
        Ok(Self {
            summary_at: read(&self.summary_at)?,
            last_accessed: read(&self.last_accessed)?,
            confidence_at: read(&self.confidence_at)?,
            last_promoted_at: read(&self.last_promoted_at)?,
            created_at: read(&self.created_at)?,
            updated_at: read(&self.updated_at)?,
            stated_at: read(&self.stated_at)?,
            event_time: read(&self.event_time)?,
            ingestion_time: read(&self.ingestion_time)?,
            valid_from: read(&self.valid_from)?,
            valid_until: read(&self.valid_until)?,
            expires_at: read(&self.expires_at)?,
            ..self.clone()
        })
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

    pub(super) fn update(&self, tx: &Transaction<'_>, known: &Known, domain: &str) -> Result<Outcome> {
        let changed_at = self.updated_at.as_ref().or(self.created_at.as_ref());
        let mut changed = 0;
        if changed_at.is_some_and(|moment| *moment > known.changed_at) {
            changed += 1;
            // Where only the moment of storing tells which state is later, that moment must come along.
            let created_at = self.created_at.as_ref().unwrap_or(&known.created_at);
            tx.prepare_cached(
                "UPDATE MEMORY_NODES SET domain = ?2, content = ?3, timestamp = ?4, path = ?5, content_summary = ?6
                 WHERE id = ?1",
            )?
            .execute(params![self.id, domain, self.content, created_at, self.path, self.summary])?;
            self.write_state(tx)?;
            if self.content != known.content {
                mentions::find_in_text(tx, &self.id, &self.content)?;
            }
            if domain != known.domain {
                memories::relink(tx, Some(&self.id))?;
            }
        } else if changed_at.is_some_and(|moment| *moment == known.changed_at) {
            // A link that supersedes ends it without changing it.
            changed += tx
                .prepare_cached(
                    "UPDATE MEMORY_NODES SET valid_until = coalesce(valid_until, ?2),
                        invalidation_reason = coalesce(invalidation_reason, ?3),
                        superseded_by = coalesce(superseded_by, ?4)
                     WHERE id = ?1 AND (valid_until IS NULL AND ?2 IS NOT NULL
                        OR invalidation_reason IS NULL AND ?3 IS NOT NULL OR superseded_by IS NULL AND ?4 IS NOT NULL)",
                )?
                .execute(params![self.id, self.valid_until, self.invalidation_reason, self.superseded_by])?;
        }
        if self.last_accessed > known.last_accessed {
            changed += 1;
            self.write_use(tx)?;
        } else {
            changed += tx
                .prepare_cached("UPDATE MEMORY_NODES SET access_count = ?2 WHERE id = ?1 AND ?2 > coalesce(access_count, 0)")?
                .execute(params![self.id, self.access_count])?;
        }
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }

    /// What somebody has said of it, without what its words are found by.
    fn write_state(&self, tx: &Transaction<'_>) -> Result<()> {
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
            memories::content_hash(&self.content),
            self.confidence,
            self.confidence_at,
            self.stated_at,
        ])?;
        tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([&self.id])?;
        for tag in &self.tags {
            tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
                .execute([&self.id, tag])?;
        }
        Ok(())
    }

    /// Everything that follows from its use. Counts never fall.
    fn write_use(&self, tx: &Transaction<'_>) -> Result<()> {
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
