//! Observations with their history.

use rusqlite::Row;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{Result, Transaction};

/// An observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservationRow {
    /// Observation id.
    pub id: i64,
    /// Id of its entity.
    pub entity_id: i64,
    /// Name of its entity.
    pub entity: String,
    /// Text.
    pub content: String,
    /// Kind of fact.
    pub kind: String,
    /// Id of the observation it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<i64>,
    /// Id of the observation that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<i64>,
    /// When it was superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_at: Option<String>,
    /// 1 for a near-duplicate.
    pub similarity_flag: i64,
    /// When it was stored.
    pub created_at: String,
}

// The successor belongs to the same entity, so that the index on entities is used.
const SELECT: &str = "o.id, o.entity_id, e.name, o.content, o.kind, o.supersedes,
        CASE WHEN o.superseded_at IS NOT NULL THEN (
            SELECT min(n.id) FROM observations AS n WHERE n.entity_id = o.entity_id AND n.supersedes = o.id) END,
        o.superseded_at, o.similarity_flag, o.created_at";

const FROM: &str = "observations AS o JOIN entities AS e ON e.id = o.entity_id";

/// Observations.
pub const KIND: Kind<ObservationRow> = Kind {
    name: "observations",
    from: FROM,
    id: "o.id",
    key: "o.id",
    columns: &[
        plain("id", "o.id"),
        prose("entity", "e.name"),
        prose("content", "o.content"),
        prose("kind", "o.kind"),
        plain("superseded_at", "o.superseded_at"),
        plain("similarity_flag", "o.similarity_flag"),
        plain("created_at", "o.created_at"),
    ],
    contains: "instr(fold(o.content), ?) OR instr(fold(e.name), ?)",
    entity_type: Some("e.entity_type = ?"),
    domain: None,
    statuses: Statuses::Words(&[
        ("current", "o.superseded_at IS NULL"),
        ("superseded", "o.superseded_at IS NOT NULL"),
        ("flagged", "o.superseded_at IS NULL AND o.similarity_flag <> 0"),
    ]),
    created: "o.created_at",
    get: |tx, key| super::one(tx, (SELECT, FROM, "o.id"), key, load),
};

fn load(row: &Row<'_>) -> rusqlite::Result<ObservationRow> {
    Ok(ObservationRow {
        id: row.get(0)?,
        entity_id: row.get(1)?,
        entity: row.get(2)?,
        content: row.get(3)?,
        kind: row.get(4)?,
        supersedes: row.get(5)?,
        superseded_by: row.get(6)?,
        superseded_at: row.get(7)?,
        similarity_flag: row.get(8)?,
        created_at: row.get(9)?,
    })
}

/// Returns the first `limit` observations of an entity, including superseded ones, oldest first.
pub fn of(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<ObservationRow>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {SELECT} FROM {FROM} WHERE o.entity_id = ?1 ORDER BY o.id LIMIT ?2"
    ))?;
    let rows = statement.query_map(rusqlite::params![entity_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the count of an entity's observations, including superseded ones.
pub fn count_of(tx: &Transaction<'_>, entity_id: i64) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM observations WHERE entity_id = ?1")?
        .query_row([entity_id], |row| row.get(0))?)
}
