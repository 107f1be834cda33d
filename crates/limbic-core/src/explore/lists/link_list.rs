//! Links between memories: edges within a domain, and references across domains.

use rusqlite::{OptionalExtension, Row, params, types::Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{
    Result, Transaction,
    explore::output::{beginning, escaped},
    store::memories::near_duplicate_edges::closed,
};

/// Number of characters read from the start of a text.
const BEGINNING: usize = 400;

/// A link between memories, or a reference across domains.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkRow {
    /// Unique among links and references.
    #[serde(serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub id: String,
    /// Whether it crosses domains.
    pub is_reference: bool,
    /// Id of the source memory.
    pub from_id: String,
    /// Id of the target memory.
    pub to_id: String,
    /// Start of the source memory's text, in one line.
    #[serde(serialize_with = "beginning")]
    #[schemars(with = "String")]
    pub from: String,
    /// Start of the target memory's text, in one line.
    #[serde(serialize_with = "beginning")]
    #[schemars(with = "String")]
    pub to: String,
    /// Domain of the source memory.
    pub from_domain: String,
    /// Domain of the target memory.
    pub to_domain: String,
    /// Type; of a reference, its purpose.
    #[serde(rename = "type", serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub link_type: String,
    /// Strength, 0 to 1; 1 for a reference.
    pub strength: f64,
    /// Whether a reference is followed in both directions.
    pub bidirectional: bool,
    /// When it was stored; of a reference, when the later memory was.
    pub created_at: String,
}

macro_rules! links {
    () => {
        concat!(
            "(SELECT e.rowid AS row, 0 AS is_reference, e.id AS id, e.source AS source, e.target AS target,
            e.type AS type, e.strength AS strength, 0 AS bidirectional, e.domain AS from_domain,
            e.domain AS to_domain, coalesce(datetime(e.timestamp), e.timestamp) AS created_at
        FROM MEMORY_EDGES AS e WHERE NOT ",
            closed!(),
            "
        UNION ALL SELECT r.rowid, 1, r.nodeId || '=>' || r.targetDomain || '/' || r.targetNodeId, r.nodeId,
            r.targetNodeId, coalesce(nullif(r.description, ''), 'related'), 1.0, r.bidirectional, r.domain,
            r.targetDomain, coalesce((SELECT max(coalesce(datetime(x.timestamp), x.timestamp))
                FROM MEMORY_NODES AS x WHERE x.id IN (r.nodeId, r.targetNodeId)), '')
        FROM DOMAIN_REFS AS r)"
        )
    };
}

pub(in crate::explore) use links;

/// Edges and references as one table; `row` is unique within each of the two. Dismissed possible contradictions are
/// excluded.
pub(crate) const LINKS: &str = links!();

/// [`LINKS`] as a `FROM` clause, named `l`.
pub(crate) const LINKED: &str = concat!(links!(), " AS l");

const FROM: &str = concat!(
    links!(),
    " AS l LEFT JOIN MEMORY_NODES AS s ON s.id = l.source LEFT JOIN MEMORY_NODES AS t ON t.id = l.target"
);

/// Links.
pub const KIND: Kind<LinkRow> = Kind {
    name: "links",
    from: FROM,
    id: "l.id",
    key: "l.row * 2 + l.is_reference",
    columns: &[
        plain("id", "l.id"),
        prose("from", "s.content"),
        prose("to", "t.content"),
        prose("type", "l.type"),
        plain("strength", "l.strength"),
        prose("from_domain", "l.from_domain"),
        prose("to_domain", "l.to_domain"),
        plain("created_at", "l.created_at"),
    ],
    contains: "instr(fold(l.type), ?) OR instr(fold(coalesce(s.content, '')), ?)
        OR instr(fold(coalesce(t.content, '')), ?)",
    entity_type: None,
    domain: Some("l.from_domain = ? OR l.to_domain = ?"),
    statuses: Statuses::Words(&[("link", "NOT l.is_reference"), ("reference", "l.is_reference")]),
    created: "l.created_at",
    get: |tx, key| match key {
        Value::Integer(key) => get(tx, *key),
        _ => Ok(None),
    },
};

fn select() -> String {
    format!(
        "l.id, l.is_reference, l.source, l.target, coalesce(substr(s.content, 1, {BEGINNING}), ''),
        coalesce(substr(t.content, 1, {BEGINNING}), ''), l.from_domain, l.to_domain, l.type, l.strength,
        l.bidirectional, l.created_at"
    )
}

fn load(row: &Row<'_>) -> rusqlite::Result<LinkRow> {
    Ok(LinkRow {
        id: row.get(0)?,
        is_reference: row.get(1)?,
        from_id: row.get(2)?,
        to_id: row.get(3)?,
        from: row.get(4)?,
        to: row.get(5)?,
        from_domain: row.get(6)?,
        to_domain: row.get(7)?,
        link_type: row.get(8)?,
        strength: row.get(9)?,
        bidirectional: row.get(10)?,
        created_at: row.get(11)?,
    })
}

fn get(tx: &Transaction<'_>, key: i64) -> Result<Option<LinkRow>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {} FROM {FROM} WHERE l.row = ?1 AND l.is_reference = ?2",
        select()
    ))?;
    Ok(statement.query_row(params![key.div_euclid(2), key.rem_euclid(2)], load).optional()?)
}

/// Returns the first `limit` links and references from and to a memory, oldest first, after their total count.
pub fn touching(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<(usize, Vec<LinkRow>)> {
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM {LINKS} AS l WHERE l.source = ?1 OR l.target = ?1"))?
        .query_row([id], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {} FROM {FROM} WHERE l.source = ?1 OR l.target = ?1
         ORDER BY l.created_at, l.id, l.is_reference LIMIT ?2",
        select()
    ))?;
    let rows = statement.query_map(params![id, limit], load)?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// Returns the count of links and references; with a domain, of those from or to it.
pub fn count(tx: &Transaction<'_>, domain: Option<&str>) -> Result<u64> {
    Ok(tx
        .prepare_cached(
            "SELECT (SELECT count(*) FROM MEMORY_EDGES WHERE ?1 IS NULL OR domain = ?1)
                + (SELECT count(*) FROM DOMAIN_REFS WHERE ?1 IS NULL OR domain = ?1 OR targetDomain = ?1)",
        )?
        .query_row([domain], |row| row.get(0))?)
}
