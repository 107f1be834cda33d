//! Entities with counts of their records and their usage.

use rusqlite::{Row, types::Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{Result, Transaction};

/// An entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityRow {
    /// Entity id.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Status.
    pub status: String,
    /// Count of current observations.
    pub observations: u64,
    /// Count of active relations from and to it.
    pub relations: u64,
    /// Access count.
    pub access_count: u64,
    /// When a search last found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it or its observations last changed.
    pub updated_at: String,
}

macro_rules! observations {
    () => {
        "(SELECT count(*) FROM observations AS o WHERE o.entity_id = e.id AND o.superseded_at IS NULL)"
    };
}
macro_rules! relations {
    () => {
        "((SELECT count(*) FROM relations AS r WHERE r.from_entity = e.id AND r.active)
         + (SELECT count(*) FROM relations AS r WHERE r.to_entity = e.id AND r.active))"
    };
}

/// SQL of an entity's weight: accesses and relations.
pub(crate) const WEIGHT: &str = concat!("(coalesce(a.access_count, 0) + ", relations!(), ")");

const SELECT: &str = concat!(
    "e.id, e.name, e.entity_type, e.status, ",
    observations!(),
    ", ",
    relations!(),
    ", coalesce(a.access_count, 0), a.last_access, e.created_at, e.updated_at"
);

/// Entities, named `e`, with their access `a`.
pub(crate) const FROM: &str = "entities AS e LEFT JOIN entity_access AS a ON a.entity_id = e.id";

/// Entities.
pub const KIND: Kind<EntityRow> = Kind {
    name: "entities",
    from: FROM,
    id: "e.id",
    key: "e.id",
    columns: &[
        plain("id", "e.id"),
        prose("name", "e.name"),
        prose("entityType", "e.entity_type"),
        prose("status", "e.status"),
        plain("observations", observations!()),
        plain("relations", relations!()),
        plain("access_count", "coalesce(a.access_count, 0)"),
        plain("last_access", "a.last_access"),
        plain("created_at", "e.created_at"),
        plain("updated_at", "e.updated_at"),
    ],
    contains: "instr(fold(e.name), ?) OR instr(fold(e.entity_type), ?) OR EXISTS (
        SELECT 1 FROM observations AS o
        WHERE o.entity_id = e.id AND o.superseded_at IS NULL AND instr(fold(o.content), ?))",
    entity_type: Some("e.entity_type = ?"),
    domain: None,
    statuses: Statuses::Column("e.status"),
    created: "e.created_at",
    get: |tx, key| super::one(tx, (SELECT, FROM, "e.id"), key, load),
};

fn load(row: &Row<'_>) -> rusqlite::Result<EntityRow> {
    Ok(EntityRow {
        id: row.get(0)?,
        name: row.get(1)?,
        entity_type: row.get(2)?,
        status: row.get(3)?,
        observations: row.get(4)?,
        relations: row.get(5)?,
        access_count: row.get(6)?,
        last_access: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
    })
}

/// Returns the entity with this id, if it exists.
pub fn get(tx: &Transaction<'_>, id: i64) -> Result<Option<EntityRow>> {
    (KIND.get)(tx, &Value::Integer(id))
}

/// Returns the entities with the most current observations.
pub fn largest(tx: &Transaction<'_>, limit: usize) -> Result<Vec<EntityRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT entity_id FROM observations WHERE superseded_at IS NULL
         GROUP BY entity_id ORDER BY count(*) DESC, entity_id LIMIT ?1",
    )?;
    let ids: Vec<i64> = statement.query_map([limit], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(get(tx, id)?);
    }
    Ok(found)
}
