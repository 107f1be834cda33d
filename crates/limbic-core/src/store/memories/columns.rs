//! The columns of memories as callers set them: new rows, changed ones, deleted ones.

use rusqlite::params;

use super::{Link, MemoryNode, search_forms, supersession};
use crate::{
    Error, Result, Transaction,
    model::{
        decay,
        memory_words::{Category, MemoryType, Tier},
        text::content_hash,
    },
    store::timestamps,
};

/// The importance of a memory for which none is given.
pub const DEFAULT_IMPORTANCE: f64 = 1.0;

/// A memory to be stored. Times are in any form that `timestamps` parses.
#[derive(Debug, Clone, Default)]
pub struct NewMemory {
    /// Unique id; the caller generates one if none was given.
    pub id: String,
    /// The text.
    pub content: String,
    /// Kind of statement.
    pub category: Category,
    /// Subject, in a word.
    pub subject: String,
    /// Where it came from: a file, the user, an inference.
    pub source: Option<String>,
    /// Path, `/` or `/a/b`.
    pub path: String,
    /// Labels to filter by.
    pub tags: Vec<String>,
    /// Short form of the text.
    pub summary: Option<String>,
    /// Episodic, semantic or procedural.
    pub memory_type: MemoryType,
    /// Importance, 0 to 10.
    pub importance: f64,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Whether it neither decays nor is pruned, and starts in tier `l0`.
    pub pinned: bool,
    /// Tier; `None` for the default.
    pub tier: Option<Tier>,
    /// When it expires; in the future.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Start of validity.
    pub valid_from: Option<String>,
    /// Its owner.
    pub user_id: Option<String>,
    /// The caller's object, as JSON.
    pub metadata: Option<String>,
    /// Links to other memories.
    pub links: Vec<Link>,
    /// Names of entities that it mentions; all must exist.
    pub entities: Vec<String>,
    /// Ids or names of symbols of the code index that it is about; all must exist.
    pub symbols: Vec<String>,
}

/// The outcome of storing a memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// It was created.
    New(MemoryNode),
    /// It existed, and its confidence was raised.
    Confirmed(MemoryNode),
}

impl Stored {
    /// The existing memory.
    #[must_use]
    pub fn memory(&self) -> &MemoryNode {
        match self {
            Self::New(memory) | Self::Confirmed(memory) => memory,
        }
    }
}

/// Inserts the row of a memory and its tags.
///
/// # Errors
/// [`Error::InvalidArgument`] for an invalid time, or an expiry in the past.
pub(crate) fn insert(tx: &Transaction<'_>, memory: &NewMemory, domain: &str) -> Result<()> {
    let now = timestamps::now(tx)?;
    let expires_at = expiry(tx, memory.expires_at.as_deref())?;
    let event_time = timestamps::read_optional(tx, "event_time", memory.event_time.as_deref())?;
    let valid_from = timestamps::read_optional(tx, "valid_from", memory.valid_from.as_deref())?;
    let tier = memory.tier.unwrap_or(if memory.pinned { Tier::L0 } else { Tier::L4 });
    tx.prepare_cached(
        "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, path, content_summary, summary_timestamp, category,
            subject, source, confidence, expires_at, tier, heat, pinned, memory_type, user_id, metadata, event_time,
            ingestion_time, valid_from, importance_score, content_hash, stated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN ?6 IS NULL THEN NULL ELSE ?4 END, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
            ?14, ?15, ?16, ?17, coalesce(?18, ?4), ?4, coalesce(?19, ?4), ?20, ?21, ?4)",
    )?
    .execute(params![
        memory.id,
        domain,
        memory.content,
        now,
        path(&memory.path),
        memory.summary,
        memory.category,
        memory.subject,
        memory.source,
        memory.confidence,
        expires_at,
        tier,
        decay::heat(0),
        memory.pinned,
        memory.memory_type,
        memory.user_id,
        memory.metadata,
        event_time,
        valid_from,
        memory.importance,
        content_hash(&memory.content),
    ])?;
    for tag in &memory.tags {
        tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
            .execute(params![memory.id, tag])?;
    }
    search_forms::index_forms(tx, &memory.id)
}

/// Parses a time of expiry, which must be in the future.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is not a time, or not in the future.
pub(crate) fn expiry(tx: &Transaction<'_>, text: Option<&str>) -> Result<Option<String>> {
    let moment = timestamps::read_optional(tx, "expires_at", text)?;
    match &moment {
        Some(moment) if moment.as_str() <= tx.now_text() => {
            Err(Error::invalid(format!("expires_at must be in the future, but got {moment}")))
        }
        _ => Ok(moment),
    }
}

/// Normalises a path: a slash at its start and none at its end.
fn path(text: &str) -> String {
    format!("/{}", text.trim_matches('/'))
}

/// The fields to change. Omitted fields stay unchanged; "" clears an optional field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// The text.
    pub content: Option<String>,
    /// Kind of statement.
    pub category: Option<Category>,
    /// Subject, in a word.
    pub subject: Option<String>,
    /// Where it came from: a file, the user, an inference.
    pub source: Option<String>,
    /// Path, `/` or `/a/b`.
    pub path: Option<String>,
    /// Tags; they replace all existing ones.
    pub tags: Option<Vec<String>>,
    /// Short form of the text.
    pub summary: Option<String>,
    /// Episodic, semantic or procedural.
    pub memory_type: Option<MemoryType>,
    /// Importance, 0 to 10.
    pub importance: Option<f64>,
    /// Confidence, 0 to 1.
    pub confidence: Option<f64>,
    /// Whether it neither decays nor is pruned.
    pub pinned: Option<bool>,
    /// Retention: `l0`, always loaded, to `l4`.
    pub tier: Option<Tier>,
    /// When it expires.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Start of validity.
    pub valid_from: Option<String>,
    /// Its owner.
    pub user_id: Option<String>,
    /// The caller's object, as JSON.
    pub metadata: Option<String>,
    /// The domain that it moves to.
    pub domain: Option<String>,
    /// Links; they replace all that start from it.
    pub links: Option<Vec<Link>>,
    /// Names of entities; they replace all that were given explicitly.
    pub entities: Option<Vec<String>>,
    /// Ids or names of symbols of the code index; they replace all that were given explicitly.
    pub symbols: Option<Vec<String>>,
}

/// Sets the columns of the given changes, apart from text, domain, tags and links, and the time of the last change.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an invalid time.
pub(crate) fn set_fields(tx: &Transaction<'_>, id: &str, changes: &Changes) -> Result<()> {
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
        set("path", &self::path(path))?;
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
        set("expires_at", &expiry(tx, Some(text.as_str()).filter(|text| !text.is_empty()))?)?;
    }
    for (column, text) in [("event_time", &changes.event_time), ("valid_from", &changes.valid_from)] {
        if let Some(text) = text {
            let text = Some(text.as_str()).filter(|text| !text.is_empty());
            set(column, &timestamps::read_optional(tx, column, text)?)?;
        }
    }
    set("updated_at", &now)?;
    if changes.summary.is_some() || changes.path.is_some() {
        search_forms::index_forms(tx, id)?;
    }
    Ok(())
}

/// Sets the text of a memory, and its confidence as of the transaction's time. A successor that maintenance recorded
/// is removed, since the memory is now the one stated last.
pub(crate) fn set_content(tx: &Transaction<'_>, id: &str, content: &str, confidence: f64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET content = ?2, content_hash = ?3, confidence = ?4, last_accessed = ?5, stated_at = ?5,
            confidence_at = NULL, content_summary = NULL, summary_timestamp = NULL,
            superseded_by = CASE WHEN valid_until IS NOT NULL THEN superseded_by END WHERE id = ?1",
    )?
    .execute(params![id, content, content_hash(content), confidence, timestamps::now(tx)?])?;
    search_forms::index_forms(tx, id)
}

/// Replaces the tags of a memory.
pub(crate) fn set_tags(tx: &Transaction<'_>, id: &str, tags: &[String]) -> Result<()> {
    tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
    for tag in tags {
        tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
            .execute(params![id, tag])?;
    }
    // Behind the text are the forms of the old tags: the trigger on paths writes the row again, without forms.
    tx.prepare_cached("UPDATE MEMORY_NODES SET path = path WHERE id = ?1")?.execute([id])?;
    search_forms::index_forms(tx, id)
}

/// Sets the domain of a memory.
pub(crate) fn set_domain(tx: &Transaction<'_>, id: &str, domain: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE id = ?1")?.execute([id, domain])?;
    search_forms::index_forms(tx, id)
}

/// Moves all memories of another domain to a domain. Returns their number.
pub(crate) fn move_domain(tx: &Transaction<'_>, from: &str, to: &str) -> Result<usize> {
    let moved =
        tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE domain = ?1")?.execute([from, to])?;
    search_forms::index_forms_in(tx, to)?;
    Ok(moved)
}

/// Ends the validity of a memory at the transaction's time, unless it has ended before, and sets the reason if one is
/// given. A memory that had ended without a reason gets no successor: deleting that would make it valid again.
pub(crate) fn set_ended(
    tx: &Transaction<'_>,
    id: &str,
    reason: Option<&str>,
    superseded_by: Option<&str>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET valid_until = coalesce(valid_until, ?2),
            invalidation_reason = coalesce(?3, invalidation_reason),
            superseded_by = CASE WHEN valid_until IS NULL OR coalesce(?3, invalidation_reason) IS NOT NULL
                THEN coalesce(?4, superseded_by) ELSE superseded_by END,
            updated_at = ?2 WHERE id = ?1",
    )?
    .execute(params![id, timestamps::now(tx)?, reason, superseded_by])?;
    Ok(())
}

/// Deletes the row of a memory with its tags and references; memories that it superseded stay ended. Vectors do not
/// cascade: `mutations::memories::forget` deletes a whole memory.
pub(crate) fn delete_row(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM DOMAIN_REFS WHERE nodeId = ?1 OR targetNodeId = ?1")?.execute([id])?;
    supersession::hand_on(tx, id)?;
    tx.prepare_cached("UPDATE PERSISTENCE SET lastMemoryId = NULL WHERE lastMemoryId = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM MEMORY_NODES WHERE id = ?1")?.execute(params![id])?;
    Ok(())
}
