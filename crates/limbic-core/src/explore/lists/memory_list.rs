//! Memories with their status and counts of their links.

use rusqlite::{params, params_from_iter, types::Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{
    Error, Result, Transaction,
    explore::{
        output::{all_escaped, displayed, escaped, escaped_option},
        status,
    },
    model::{
        memory_words::{Category, Heat, MemoryStatus, MemoryType, Tier},
        numbers::round,
        words::Word,
    },
    store::{
        conditions::Conditions,
        memories::{self, MemoryNode},
    },
};

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryRow {
    /// Memory id.
    pub id: String,
    /// Text.
    #[serde(serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub content: String,
    /// fact, preference, decision or convention.
    #[schemars(with = "String")]
    pub category: Word<Category>,
    /// Subject; may be empty.
    #[serde(serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub subject: String,
    /// Id of its domain.
    pub domain: String,
    /// episodic, semantic or procedural.
    #[schemars(with = "String")]
    pub memory_type: Word<MemoryType>,
    /// l0 to l4.
    #[schemars(with = "String")]
    pub tier: Word<Tier>,
    /// cold, warm or hot.
    #[schemars(with = "String")]
    pub heat: Word<Heat>,
    /// Whether it is exempt from decay and pruning.
    pub pinned: bool,
    /// current; ended: invalidated; expired: past its expiry; contradicted: hidden by a contradiction.
    #[serde(serialize_with = "displayed")]
    #[schemars(with = "String")]
    pub status: MemoryStatus,
    /// Labels to filter by.
    #[serde(serialize_with = "all_escaped")]
    #[schemars(with = "Vec<String>")]
    pub tags: Vec<String>,
    /// 0 to 10.
    pub importance: f64,
    /// Confidence when last stored, used or confirmed.
    pub confidence: f64,
    /// Confidence after decay.
    pub effective_confidence: f64,
    /// Count of links and references from and to it.
    pub links: u64,
    /// Count of entities it mentions.
    pub entities: u64,
    /// How often it was recalled or opened.
    pub access_count: u32,
    /// When it was last recalled or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// Owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Id of the memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Label of the origin that first wrote it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped_option")]
    #[schemars(with = "Option<String>")]
    pub origin: Option<String>,
    /// Whether it waits for confirmation by a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub unconfirmed: bool,
}

macro_rules! timestamp_sql {
    ($column:literal) => {
        concat!("coalesce(datetime(", $column, "), ", $column, ")")
    };
}
macro_rules! links {
    () => {
        "((SELECT count(*) FROM MEMORY_EDGES AS e WHERE e.source = m.id)
         + (SELECT count(*) FROM MEMORY_EDGES AS e WHERE e.target = m.id)
         + (SELECT count(*) FROM DOMAIN_REFS AS r WHERE r.nodeId = m.id)
         + (SELECT count(*) FROM DOMAIN_REFS AS r WHERE r.targetNodeId = m.id))"
    };
}
macro_rules! mentions {
    () => {
        "(SELECT count(*) FROM memory_entities AS x WHERE x.memory_id = m.id)"
    };
}

macro_rules! unconfirmed {
    () => {
        "(m.unconfirmed_origin IS NOT NULL AND NOT EXISTS (SELECT 1 FROM origins AS u
            JOIN trusted_origins AS t ON t.label = u.label WHERE u.id = m.unconfirmed_origin))"
    };
}

/// SQL of a memory's weight: accesses, links and mentions.
pub(crate) const WEIGHT: &str = concat!("(coalesce(m.access_count, 0) + ", links!(), " + ", mentions!(), ")");

/// When a memory was stored: `YYYY-MM-DD HH:MM:SS`, UTC.
pub(crate) const CREATED: &str = timestamp_sql!("m.timestamp");

/// Memories.
pub const KIND: Kind<MemoryRow> = Kind {
    name: "memories",
    from: "MEMORY_NODES AS m",
    id: "m.id",
    key: "m.id",
    columns: &[
        plain("id", "m.id"),
        prose("content", "m.content"),
        prose("category", "m.category"),
        prose("subject", "m.subject"),
        prose("domain", "m.domain"),
        prose("memory_type", "m.memory_type"),
        plain("tier", "coalesce(m.tier, 'l4')"),
        plain("heat", "coalesce(m.heat, 'cold')"),
        plain("pinned", "coalesce(m.pinned, 0)"),
        plain("importance", "m.importance_score"),
        plain("confidence", "coalesce(m.confidence, 1.0)"),
        plain("links", links!()),
        plain("entities", mentions!()),
        plain("access_count", "coalesce(m.access_count, 0)"),
        plain("last_accessed", timestamp_sql!("m.last_accessed")),
        prose("user_id", "m.user_id"),
        plain("valid_until", timestamp_sql!("m.valid_until")),
        plain("expires_at", timestamp_sql!("m.expires_at")),
        plain("created_at", CREATED),
        plain("updated_at", timestamp_sql!("m.updated_at")),
        prose("origin", "(SELECT o.label FROM origins AS o WHERE o.id = m.origin)"),
        plain("unconfirmed", unconfirmed!()),
    ],
    contains: "instr(fold(m.content), ?) OR instr(fold(m.subject), ?) OR instr(fold(coalesce(m.content_summary, '')), ?)
        OR instr(fold(coalesce(m.path, '/')), ?)
        OR EXISTS (SELECT 1 FROM MEMORY_TAGS AS t WHERE t.nodeId = m.id AND instr(fold(t.tag), ?))",
    entity_type: Some(
        "m.id IN (SELECT x.memory_id FROM entities AS e JOIN memory_entities AS x ON x.entity_id = e.id
            WHERE e.entity_type = ?)",
    ),
    domain: Some("m.domain = ?"),
    statuses: Statuses::Computed(MemoryStatus::WORDS, status::of_all),
    created: CREATED,
    get: |tx, key| match key {
        Value::Text(id) => get(tx, id),
        _ => Ok(None),
    },
};

/// Returns the memory with this id, if it exists.
pub fn get(tx: &Transaction<'_>, id: &str) -> Result<Option<MemoryRow>> {
    memories::find(tx, id)?.map(|memory| of(tx, memory)).transpose()
}

/// Returns the memory with this number, if it exists.
pub(crate) fn by_number(tx: &Transaction<'_>, number: i64) -> Result<Option<MemoryRow>> {
    memories::by_number(tx, number)?.map(|memory| of(tx, memory)).transpose()
}

/// Returns the row of a memory, with its confidence at the present.
pub fn of(tx: &Transaction<'_>, memory: MemoryNode) -> Result<MemoryRow> {
    let status = status::of_few().replace(":now", "?2");
    let mut statement = tx.prepare_cached(&format!(
        concat!(
            "SELECT {status}, ",
            links!(),
            ", ",
            mentions!(),
            ", ",
            timestamp_sql!("m.last_accessed"),
            ", ",
            timestamp_sql!("m.valid_until"),
            ", ",
            timestamp_sql!("m.expires_at"),
            ", ",
            timestamp_sql!("m.timestamp"),
            ", ",
            timestamp_sql!("m.updated_at"),
            " FROM MEMORY_NODES AS m WHERE m.id = ?1"
        ),
        status = status
    ))?;
    let now = tx.now_text();
    let mut rows = statement.query(params![memory.id, now])?;
    let row = rows.next()?.ok_or_else(|| Error::MemoryNotFound(memory.id.clone()))?;
    Ok(MemoryRow {
        effective_confidence: round(memory.effective_confidence(tx.now_millis()), 4),
        id: memory.id,
        content: memory.content,
        category: memory.category,
        subject: memory.subject,
        domain: memory.domain,
        memory_type: memory.memory_type,
        tier: memory.tier,
        heat: memory.heat,
        pinned: memory.pinned,
        tags: memory.tags,
        importance: memory.importance,
        confidence: memory.confidence,
        access_count: memory.access_count,
        user_id: memory.user_id,
        origin: memory.origin,
        unconfirmed: memory.is_unconfirmed,
        superseded_by: memory.superseded_by,
        status: row.get(0)?,
        links: row.get(1)?,
        entities: row.get(2)?,
        last_accessed: row.get(3)?,
        valid_until: row.get(4)?,
        expires_at: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

/// Returns the count of memories of a domain or of all, and how many of them are current.
pub fn count(tx: &Transaction<'_>, domain: Option<&str>) -> Result<(u64, u64)> {
    let mut conditions = Conditions::default();
    if let Some(domain) = domain {
        conditions.and("m.domain = ?", domain.to_owned());
    }
    let status = conditions.at(&status::of_all(), tx.now_text());
    Ok(tx
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum({status} = '{}'), 0) FROM MEMORY_NODES AS m{}",
            MemoryStatus::Current,
            conditions.sql()
        ))?
        .query_row(params_from_iter(conditions.values()), |row| Ok((row.get(0)?, row.get(1)?)))?)
}
