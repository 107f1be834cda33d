//! Relations, active and ended.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{
    Result, Transaction,
    store::graph::relations::{COLUMNS, FROM},
};

/// A relation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelationRow {
    /// Relation id.
    pub id: i64,
    /// Id of the source entity.
    pub from_id: i64,
    /// Id of the target entity.
    pub to_id: i64,
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Reason or other context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Strength.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

/// Relations.
pub const KIND: Kind<RelationRow> = Kind {
    name: "relations",
    from: FROM,
    id: "r.id",
    key: "r.id",
    columns: &[
        plain("id", "r.id"),
        prose("from", "f.name"),
        prose("to", "t.name"),
        prose("relationType", "r.relation_type"),
        prose("context", "r.context"),
        plain("weight", "r.weight"),
        plain("active", "r.active"),
        plain("ended_at", "r.ended_at"),
        plain("created_at", "r.created_at"),
    ],
    contains: "instr(fold(r.relation_type), ?) OR instr(fold(f.name), ?) OR instr(fold(t.name), ?)
        OR instr(fold(coalesce(r.context, '')), ?)",
    entity_type: Some("f.entity_type = ? OR t.entity_type = ?"),
    domain: None,
    statuses: Statuses::Words(&[("active", "r.active"), ("ended", "NOT r.active")]),
    created: "r.created_at",
    get: |tx, key| super::one(tx, (COLUMNS, FROM, "r.id"), key, load),
};

fn load(row: &Row<'_>) -> rusqlite::Result<RelationRow> {
    Ok(RelationRow {
        id: row.get(0)?,
        from_id: row.get(1)?,
        to_id: row.get(2)?,
        from: row.get(3)?,
        to: row.get(4)?,
        relation_type: row.get(5)?,
        context: row.get(6)?,
        weight: row.get(7)?,
        active: row.get(8)?,
        ended_at: row.get(9)?,
        created_at: row.get(10)?,
    })
}

/// Returns the first `limit` relations from and to an entity, including ended ones, oldest first.
pub fn touching(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<RelationRow>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE r.from_entity = ?1 OR r.to_entity = ?1 ORDER BY r.id LIMIT ?2"
    ))?;
    let rows = statement.query_map(params![entity_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the count of relations from and to an entity, including ended ones.
pub fn count_touching(tx: &Transaction<'_>, entity_id: i64) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM relations WHERE from_entity = ?1 OR to_entity = ?1")?
        .query_row([entity_id], |row| row.get(0))?)
}
