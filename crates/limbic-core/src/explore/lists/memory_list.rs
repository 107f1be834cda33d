//! Memories, with what hangs on each and whether it still holds.

use rusqlite::{params, params_from_iter, types::Value};

use super::{Kind, Statuses, plain, prose};
use crate::{
    Result, Transaction,
    explore::status,
    store::{
        conditions::Conditions,
        memories::{self, MemoryNode},
        timestamps,
    },
};

/// A memory as lists and pictures show it. Times here are `YYYY-MM-DD HH:MM:SS`, UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRow {
    /// The memory, with its times as memories keep them.
    pub memory: MemoryNode,
    /// One of [`status::STATUSES`].
    pub status: String,
    /// How many links and references it has, at both ends.
    pub links: u64,
    /// How many entities it mentions.
    pub entities: u64,
    /// When it was last found or changed.
    pub last_accessed: Option<String>,
    /// Since when it no longer holds.
    pub valid_until: Option<String>,
    /// From when on it is forgotten.
    pub expires_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When its text or fields were last changed.
    pub updated_at: Option<String>,
}

macro_rules! moment {
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

/// How much a memory is used and connected: what is drawn first.
pub(crate) const WEIGHT: &str = concat!("(coalesce(m.access_count, 0) + ", links!(), " + ", mentions!(), ")");

/// When a memory was stored: `YYYY-MM-DD HH:MM:SS`, UTC.
pub(crate) const CREATED: &str = moment!("m.timestamp");

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
        plain("last_accessed", moment!("m.last_accessed")),
        prose("user_id", "m.user_id"),
        plain("valid_until", moment!("m.valid_until")),
        plain("expires_at", moment!("m.expires_at")),
        plain("created_at", CREATED),
        plain("updated_at", moment!("m.updated_at")),
    ],
    contains: "instr(fold(m.content), ?) OR instr(fold(m.subject), ?) OR instr(fold(coalesce(m.content_summary, '')), ?)
        OR instr(fold(coalesce(m.path, '/')), ?)
        OR EXISTS (SELECT 1 FROM MEMORY_TAGS AS t WHERE t.nodeId = m.id AND instr(fold(t.tag), ?))",
    entity_type: Some(
        "m.id IN (SELECT x.memory_id FROM entities AS e JOIN memory_entities AS x ON x.entity_id = e.id
            WHERE e.entity_type = ?)",
    ),
    domain: Some("m.domain = ?"),
    statuses: Statuses::Computed(status::STATUSES, status::of_all),
    created: CREATED,
    get: |tx, key| match key {
        Value::Text(id) => get(tx, id),
        _ => Ok(None),
    },
};

/// The memory with this id, if it exists.
///
/// # Errors
/// Those of the database.
pub fn get(tx: &Transaction<'_>, id: &str) -> Result<Option<MemoryRow>> {
    memories::find(tx, id)?.map(|memory| complete(tx, memory)).transpose()
}

/// The memory with this number, if it exists.
///
/// # Errors
/// Those of the database.
pub(crate) fn by_number(tx: &Transaction<'_>, number: i64) -> Result<Option<MemoryRow>> {
    memories::by_number(tx, number)?.map(|memory| complete(tx, memory)).transpose()
}

/// A memory with what lists show beside it.
fn complete(tx: &Transaction<'_>, memory: MemoryNode) -> Result<MemoryRow> {
    let status = status::of_few().replace(":now", "?2");
    let mut statement = tx.prepare_cached(&format!(
        concat!(
            "SELECT {status}, ",
            links!(),
            ", ",
            mentions!(),
            ", ",
            moment!("m.last_accessed"),
            ", ",
            moment!("m.valid_until"),
            ", ",
            moment!("m.expires_at"),
            ", ",
            moment!("m.timestamp"),
            ", ",
            moment!("m.updated_at"),
            " FROM MEMORY_NODES AS m WHERE m.id = ?1"
        ),
        status = status
    ))?;
    let now = timestamps::clock(tx)?;
    Ok(statement.query_row(params![memory.id, now], |row| {
        Ok(MemoryRow {
            status: row.get(0)?,
            links: row.get(1)?,
            entities: row.get(2)?,
            last_accessed: row.get(3)?,
            valid_until: row.get(4)?,
            expires_at: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
            memory: memory.clone(),
        })
    })?)
}

/// How many memories there are, of one domain or of all, and how many of them are current.
///
/// # Errors
/// Those of the database.
pub fn count(tx: &Transaction<'_>, domain: Option<&str>) -> Result<(u64, u64)> {
    let mut conditions = Conditions::default();
    if let Some(domain) = domain {
        conditions.and("m.domain = ?", domain.to_owned());
    }
    let status = conditions.at(&status::of_all(), &timestamps::clock(tx)?);
    Ok(tx
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum({status} = '{}'), 0) FROM MEMORY_NODES AS m{}",
            status::CURRENT,
            conditions.sql()
        ))?
        .query_row(params_from_iter(conditions.values()), |row| Ok((row.get(0)?, row.get(1)?)))?)
}
