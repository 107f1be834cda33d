//! Relations, active and ended.

use rusqlite::params;

use super::{Kind, Statuses, plain, prose};
use crate::{
    Result, Transaction,
    store::graph::relations::{Relation, load},
};

const SELECT: &str =
    "r.id, r.from_entity, r.to_entity, f.name, t.name, r.relation_type, r.context, r.weight, r.active,
        r.ended_at, r.created_at";

const FROM: &str =
    "relations AS r JOIN entities AS f ON f.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity";

/// Relations.
pub const KIND: Kind<Relation> = Kind {
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
    get: |tx, key| super::one(tx, (SELECT, FROM, "r.id"), key, load),
};

/// The first `limit` relations that touch an entity, ended ones too, oldest first.
///
/// # Errors
/// Those of the database.
pub fn touching(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<Relation>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {SELECT} FROM {FROM} WHERE r.from_entity = ?1 OR r.to_entity = ?1 ORDER BY r.id LIMIT ?2"
    ))?;
    let rows = statement.query_map(params![entity_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many relations touch an entity, ended ones too.
///
/// # Errors
/// Those of the database.
pub fn count_touching(tx: &Transaction<'_>, entity_id: i64) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM relations WHERE from_entity = ?1 OR to_entity = ?1")?
        .query_row([entity_id], |row| row.get(0))?)
}
