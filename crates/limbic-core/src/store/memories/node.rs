//! The row of a memory, with its tags.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use rusqlite::{OptionalExtension, Row, params};

use crate::{
    Error, Result, Transaction,
    model::{
        age::Age,
        decay,
        memory_words::{Category, Heat, MemoryType, Tier},
        words::Word,
    },
};

/// Maximum size of a memory's text, and of its metadata, in bytes.
pub const MAX_CONTENT_BYTES: usize = 102_400;

/// One memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryNode {
    /// Number, never reused after a deletion.
    pub number: i64,
    /// Unique id, as given, or one of 16 letters and digits.
    pub id: String,
    /// Id of its domain.
    pub domain: String,
    /// The text, as given.
    pub content: String,
    /// When it was stored: ISO 8601, UTC, like all times here.
    pub timestamp: String,
    /// Path: `/` or `/a/b`.
    pub path: String,
    /// Short form of the text.
    pub summary: Option<String>,
    /// Kind of statement.
    pub category: Word<Category>,
    /// Subject, in a word; may be empty.
    pub subject: String,
    /// Where it came from: a file, the user, an inference.
    pub source: Option<String>,
    /// Confidence when it was last stored, used or confirmed: 0 to 1.
    pub confidence: f64,
    /// When it was last found or changed.
    pub last_accessed: Option<String>,
    /// How often it was recalled or opened.
    pub access_count: u32,
    /// When it expires.
    pub expires_at: Option<String>,
    /// Retention: `l0`, always loaded, to `l4`.
    pub tier: Word<Tier>,
    /// How much it is used: cold, warm or hot.
    pub heat: Word<Heat>,
    /// Whether it neither decays nor is pruned.
    pub pinned: bool,
    /// Number of promotions to a higher tier.
    pub promotion_count: u32,
    /// When it was last promoted.
    pub last_promoted_at: Option<String>,
    /// Episodic, semantic or procedural.
    pub memory_type: Word<MemoryType>,
    /// Its owner.
    pub user_id: Option<String>,
    /// The caller's object, as JSON.
    pub metadata: Option<String>,
    /// When it happened.
    pub event_time: String,
    /// When it was stored in this database.
    pub ingestion_time: String,
    /// Start of validity.
    pub valid_from: String,
    /// End of validity.
    pub valid_until: Option<String>,
    /// Importance, 0 to 10.
    pub importance: f64,
    /// Why its validity ended.
    pub invalidation_reason: Option<String>,
    /// Id of the memory that superseded it.
    pub superseded_by: Option<String>,
    /// When its text or fields were last changed.
    pub updated_at: Option<String>,
    /// When it was last stated: stored, confirmed by storing it again, or given its text.
    pub stated_at: String,
    /// The time of which its confidence is, in milliseconds since the Unix epoch; `None` if another program has written
    /// an invalid time.
    pub confident_millis: Option<i64>,
    /// When it was last found, or stored, in milliseconds since the Unix epoch; `None` if another program has written
    /// an invalid time.
    pub used_millis: Option<i64>,
    /// The label of the origin that first wrote it; see [`Origin::label`](crate::store::origins::Origin::label). `None`
    /// for memories from before origins were recorded, and of other programs.
    pub origin: Option<String>,
    /// Whether it waits for review by a person.
    pub is_unconfirmed: bool,
    /// Tags, in alphabetical order.
    pub tags: Vec<String>,
}

impl MemoryNode {
    /// Returns the fields that decay depends on.
    #[must_use]
    pub fn age(&self) -> Age {
        Age {
            confidence: self.confidence,
            half_life_days: decay::half_life_days(self.memory_type.or_semantic()),
            pinned: self.pinned,
            access_count: self.access_count,
            importance: self.importance,
            used_millis: self.used_millis,
            confident_millis: self.confident_millis,
        }
    }

    /// Returns the effective confidence at a time; see [`decay::effective_confidence`].
    #[must_use]
    pub fn effective_confidence(&self, now_millis: i64) -> f64 {
        self.age().effective_confidence(now_millis)
    }
}

/// Memories with their numbers: `n` and `m`, as filters and lists name them.
pub(crate) const FROM: &str = "MEMORY_NODES AS m JOIN memory_numbers AS n ON n.id = m.id";

const COLUMNS: &str = "n.number, m.id, m.domain, m.content, m.timestamp, coalesce(m.path, '/'), m.content_summary,
    m.category, m.subject, m.source, coalesce(m.confidence, 1.0), m.last_accessed, coalesce(m.access_count, 0),
    m.expires_at, coalesce(m.tier, 'l4'), coalesce(m.heat, 'cold'), coalesce(m.pinned, 0),
    coalesce(m.promotion_count, 0), m.last_promoted_at, m.memory_type, m.user_id, m.metadata,
    coalesce(m.event_time, m.timestamp), coalesce(m.ingestion_time, m.timestamp),
    coalesce(m.valid_from, m.timestamp), m.valid_until, m.importance_score, m.invalidation_reason, m.superseded_by,
    m.updated_at, CAST(round(max(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec'),
        coalesce(unixepoch(m.confidence_at, 'subsec'), 0)) * 1000) AS INTEGER),
    CAST(round(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec') * 1000) AS INTEGER),
    coalesce(m.stated_at, strftime('%Y-%m-%dT%H:%M:%fZ', m.timestamp), m.timestamp),
    (SELECT o.label FROM origins AS o WHERE o.id = m.origin),
    m.unconfirmed_origin IS NOT NULL AND NOT EXISTS (SELECT 1 FROM origins AS u
        JOIN trusted_origins AS t ON t.label = u.label WHERE u.id = m.unconfirmed_origin)";

fn load(row: &Row<'_>) -> rusqlite::Result<MemoryNode> {
    Ok(MemoryNode {
        number: row.get(0)?,
        id: row.get(1)?,
        domain: row.get(2)?,
        content: row.get(3)?,
        timestamp: row.get(4)?,
        path: row.get(5)?,
        summary: row.get(6)?,
        category: row.get(7)?,
        subject: row.get(8)?,
        source: row.get(9)?,
        confidence: row.get(10)?,
        last_accessed: row.get(11)?,
        access_count: row.get(12)?,
        expires_at: row.get(13)?,
        tier: row.get(14)?,
        heat: row.get(15)?,
        pinned: row.get(16)?,
        promotion_count: row.get(17)?,
        last_promoted_at: row.get(18)?,
        memory_type: row.get(19)?,
        user_id: row.get(20)?,
        metadata: row.get(21)?,
        event_time: row.get(22)?,
        ingestion_time: row.get(23)?,
        valid_from: row.get(24)?,
        valid_until: row.get(25)?,
        importance: row.get(26)?,
        invalidation_reason: row.get(27)?,
        superseded_by: row.get(28)?,
        updated_at: row.get(29)?,
        confident_millis: row.get(30)?,
        used_millis: row.get(31)?,
        stated_at: row.get(32)?,
        origin: row.get(33)?,
        is_unconfirmed: row.get(34)?,
        tags: Vec::new(),
    })
}

fn with_tags(tx: &Transaction<'_>, memory: MemoryNode) -> Result<MemoryNode> {
    let tags = tags(tx, &memory.id)?;
    Ok(MemoryNode { tags, ..memory })
}

/// Returns the tags of a memory, in alphabetical order.
fn tags(tx: &Transaction<'_>, id: &str) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached("SELECT tag FROM MEMORY_TAGS WHERE nodeId = ?1 ORDER BY tag")?;
    let rows = statement.query_map([id], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns a memory, if it exists.
pub fn find(tx: &Transaction<'_>, id: &str) -> Result<Option<MemoryNode>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE m.id = ?1"))?;
    statement.query_row([id], load).optional()?.map(|memory| with_tags(tx, memory)).transpose()
}

/// Returns a memory.
///
/// # Errors
/// [`Error::MemoryNotFound`].
pub fn get(tx: &Transaction<'_>, id: &str) -> Result<MemoryNode> {
    find(tx, id)?.ok_or_else(|| Error::MemoryNotFound(id.to_owned()))
}

/// Checks that a memory exists and, with a user, belongs to that user: another user's memory counts as missing.
///
/// # Errors
/// [`Error::MemoryNotFound`].
pub fn require(tx: &Transaction<'_>, id: &str, user_id: Option<&str>) -> Result<()> {
    let is_there = tx
        .prepare_cached("SELECT 1 FROM MEMORY_NODES WHERE id = ?1 AND (?2 IS NULL OR user_id = ?2)")?
        .exists(params![id, user_id])?;
    if is_there { Ok(()) } else { Err(Error::MemoryNotFound(id.to_owned())) }
}

/// Returns the user of a memory; `None` if it has none or does not exist.
pub fn user_of(tx: &Transaction<'_>, id: &str) -> Result<Option<String>> {
    let mut statement = tx.prepare_cached("SELECT user_id FROM MEMORY_NODES WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?.flatten())
}

/// Returns a memory by its number, if it exists.
pub(crate) fn by_number(tx: &Transaction<'_>, number: i64) -> Result<Option<MemoryNode>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE n.number = ?1"))?;
    statement.query_row([number], load).optional()?.map(|memory| with_tags(tx, memory)).transpose()
}

/// Returns a fingerprint of each of these memories, by id, which changes with its text and fields and when it is used.
/// Deleted memories are omitted.
pub(crate) fn states<'a>(
    tx: &Transaction<'_>,
    ids: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, u64>> {
    let mut statement = tx.prepare_cached(
        "SELECT json_array(domain, content, content_summary, path, category, subject, source, memory_type, user_id,
            metadata, importance_score, confidence, confidence_at, pinned, tier, heat, expires_at, valid_until,
            superseded_by, last_accessed, access_count, updated_at, unconfirmed_origin)
         FROM MEMORY_NODES WHERE id = ?1",
    )?;
    let mut states = HashMap::new();
    for id in ids {
        if let Some(state) = statement.query_row([id], |row| row.get::<_, String>(0)).optional()? {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            states.insert(id.to_owned(), hasher.finish());
        }
    }
    Ok(states)
}

/// Returns the memories of a domain.
pub(crate) fn in_domain(tx: &Transaction<'_>, domain: &str) -> Result<Vec<MemoryNode>> {
    let mut statement =
        tx.prepare_cached("SELECT rowid FROM MEMORY_NODES WHERE domain = ?1 ORDER BY rowid")?;
    let rows: Vec<i64> = statement.query_map([domain], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    in_rows(tx, &rows)
}

/// Returns the memories in these rows, in this order.
///
/// # Errors
/// [`Error::Internal`](crate::Error::Internal) if a row is missing.
pub fn in_rows(tx: &Transaction<'_>, rows: &[i64]) -> Result<Vec<MemoryNode>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE m.rowid = ?1"))?;
    let mut memories = Vec::with_capacity(rows.len());
    for row in rows {
        memories.push(with_tags(tx, statement.query_row([row], load)?)?);
    }
    Ok(memories)
}
