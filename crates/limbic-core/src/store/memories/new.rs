//! New memories as rows.

use rusqlite::params;

use super::{MemoryNode, links};
use crate::{
    Error, Result, Transaction,
    model::{
        decay,
        memory_words::{Category, MemoryType, Tier},
        text::content_hash,
    },
    store::timestamps,
};

/// A memory as somebody gives it. Times are as a caller writes them.
#[derive(Debug, Clone, Default)]
pub struct NewMemory {
    /// Unique; the caller makes one up where none is given.
    pub id: String,
    /// The text.
    pub content: String,
    /// What sort of statement it is.
    pub category: Category,
    /// What it is about, in a word.
    pub subject: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// Where it belongs among others.
    pub path: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The text in short.
    pub summary: Option<String>,
    /// What it is of.
    pub memory_type: MemoryType,
    /// 0 to 10.
    pub importance: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// Neither decays nor is pruned; starts in tier `l0`.
    pub pinned: bool,
    /// Its tier, where it is not the usual one.
    pub tier: Option<Tier>,
    /// From when on it is forgotten; later than now.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Whose it is.
    pub user_id: Option<String>,
    /// An object of the caller's own, as JSON.
    pub metadata: Option<String>,
    /// Links to other memories.
    pub links: Vec<links::Link>,
    /// Names of entities that it mentions; all must exist.
    pub entities: Vec<String>,
}

/// What became of a memory that somebody gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// It is new.
    New(MemoryNode),
    /// It was there already, and is trusted more.
    Confirmed(MemoryNode),
}

impl Stored {
    /// The memory that is there.
    #[must_use]
    pub fn memory(&self) -> &MemoryNode {
        match self {
            Self::New(memory) | Self::Confirmed(memory) => memory,
        }
    }
}

/// Adds the row of a memory and its tags.
///
/// # Errors
/// [`Error::InvalidArgument`] for times that are none; those of the database.
pub fn insert(tx: &Transaction<'_>, memory: &NewMemory, domain: &str) -> Result<()> {
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
    Ok(())
}

/// A moment of expiry, which must be still to come.
pub(super) fn expiry(tx: &Transaction<'_>, text: Option<&str>) -> Result<Option<String>> {
    let moment = timestamps::read_optional(tx, "expires_at", text)?;
    match &moment {
        Some(moment) if *moment <= timestamps::clock(tx)? => {
            Err(Error::invalid(format!("expires_at must be still to come; it got {moment}")))
        }
        _ => Ok(moment),
    }
}

/// A path with a slash at its start and none at its end.
pub(super) fn path(text: &str) -> String {
    format!("/{}", text.trim_matches('/'))
}
