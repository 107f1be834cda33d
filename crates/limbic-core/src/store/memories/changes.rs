//! Changed and deleted rows of memories.

use rusqlite::params;

use super::{Link, new, supersession};
use crate::{
    Result, Transaction,
    model::{
        memory_words::{Category, MemoryType, Tier},
        text::content_hash,
    },
    store::timestamps,
};

/// What is to change; the rest stays. Where nothing may stand, an empty text takes away what stands there.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The text.
    pub content: Option<String>,
    /// What sort of statement it is.
    pub category: Option<Category>,
    /// What it is about, in a word.
    pub subject: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Where it belongs among others.
    pub path: Option<String>,
    /// In the place of all tags.
    pub tags: Option<Vec<String>>,
    /// The text in short.
    pub summary: Option<String>,
    /// What it is of.
    pub memory_type: Option<MemoryType>,
    /// 0 to 10.
    pub importance: Option<f64>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Whether it neither decays nor is pruned.
    pub pinned: Option<bool>,
    /// Its tier.
    pub tier: Option<Tier>,
    /// From when on it is forgotten.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Whose it is.
    pub user_id: Option<String>,
    /// An object of the caller's own, as JSON.
    pub metadata: Option<String>,
    /// The domain that it moves to.
    pub domain: Option<String>,
    /// In the place of all links that start from it.
    pub links: Option<Vec<Link>>,
    /// In the place of all entities that were named for it.
    pub entities: Option<Vec<String>>,
}

/// Sets the columns for which a change is given, apart from text, domain, tags and links, and the time of the change.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for times that are none; those of the database.
pub fn set_fields(tx: &Transaction<'_>, id: &str, changes: &Changes) -> Result<()> {
    let now = timestamps::now(tx)?;
    let set = |column: &str, value: &dyn rusqlite::ToSql| -> Result<()> {
        tx.prepare_cached(&format!("UPDATE MEMORY_NODES SET {column} = ?2 WHERE id = ?1"))?
            .execute(params![id, value])?;
        Ok(())
    };
    if let Some(category) = changes.category {
        set("category", &category)?;
    }
    if let Some(subject) = &changes.subject {
        set("subject", subject)?;
    }
    if let Some(memory_type) = changes.memory_type {
        set("memory_type", &memory_type)?;
    }
    if let Some(tier) = changes.tier {
        set("tier", &tier)?;
    }
    let optional =
        [("source", &changes.source), ("user_id", &changes.user_id), ("metadata", &changes.metadata)];
    for (column, text) in optional {
        if let Some(text) = text {
            set(column, &Some(text).filter(|text| !text.is_empty()))?;
        }
    }
    if let Some(summary) = &changes.summary {
        let summary = Some(summary).filter(|text| !text.is_empty());
        set("content_summary", &summary)?;
        set("summary_timestamp", &summary.map(|_| &now))?;
    }
    if let Some(path) = &changes.path {
        set("path", &new::path(path))?;
    }
    if let Some(importance) = changes.importance {
        set("importance_score", &importance)?;
    }
    if let Some(confidence) = changes.confidence {
        set("confidence", &confidence)?;
        set("confidence_at", &now)?;
    }
    if let Some(pinned) = changes.pinned {
        set("pinned", &pinned)?;
    }
    if let Some(text) = &changes.expires_at {
        set("expires_at", &new::expiry(tx, Some(text.as_str()).filter(|text| !text.is_empty()))?)?;
    }
    if let Some(text) = &changes.event_time {
        set("event_time", &timestamps::read(tx, "event_time", text)?)?;
    }
    if let Some(text) = &changes.valid_from {
        set("valid_from", &timestamps::read(tx, "valid_from", text)?)?;
    }
    set("updated_at", &now)
}

/// Sets the text of a memory, with the confidence that it has from this moment.
///
/// # Errors
/// Those of the database.
pub fn set_content(tx: &Transaction<'_>, id: &str, content: &str, confidence: f64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET content = ?2, content_hash = ?3, confidence = ?4, last_accessed = ?5, stated_at = ?5,
            confidence_at = NULL, content_summary = NULL, summary_timestamp = NULL WHERE id = ?1",
    )?
    .execute(params![id, content, content_hash(content), confidence, timestamps::now(tx)?])?;
    Ok(())
}

/// Replaces the tags of a memory.
///
/// # Errors
/// Those of the database.
pub fn set_tags(tx: &Transaction<'_>, id: &str, tags: &[String]) -> Result<()> {
    tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
    for tag in tags {
        tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
            .execute(params![id, tag])?;
    }
    Ok(())
}

/// Sets the domain of a memory.
///
/// # Errors
/// Those of the database.
pub fn set_domain(tx: &Transaction<'_>, id: &str, domain: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE id = ?1")?.execute([id, domain])?;
    Ok(())
}

/// Sets the domain of all memories of another domain, and answers how many there were.
///
/// # Errors
/// Those of the database.
pub fn move_domain(tx: &Transaction<'_>, from: &str, to: &str) -> Result<usize> {
    Ok(tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE domain = ?1")?.execute([from, to])?)
}

/// Ends a memory at this moment, unless it has ended before; reason and successor are set where given.
///
/// # Errors
/// Those of the database.
pub fn set_ended(
    tx: &Transaction<'_>,
    id: &str,
    reason: Option<&str>,
    superseded_by: Option<&str>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET valid_until = coalesce(valid_until, ?2), invalidation_reason = coalesce(?3,
            invalidation_reason), superseded_by = coalesce(?4, superseded_by), updated_at = ?2 WHERE id = ?1",
    )?
    .execute(params![id, timestamps::now(tx)?, reason, superseded_by])?;
    Ok(())
}

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
