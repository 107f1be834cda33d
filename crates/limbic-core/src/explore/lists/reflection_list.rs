//! Reflections with the names of their subjects.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kind, Statuses, plain, prose};
use crate::{Result, Transaction};

/// A reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReflectionRow {
    /// Reflection id.
    pub id: i64,
    /// "entity", "session", "relation" or "global".
    pub target_type: String,
    /// Id of its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    /// Name of the entity, or endpoints and type of the relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Author.
    pub author: String,
    /// Mood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// Text.
    pub content: String,
    /// When it was stored.
    pub created_at: String,
}

macro_rules! target {
    () => {
        "coalesce(e.name, f.name || ' ' || r.relation_type || ' ' || t.name)"
    };
}

const SELECT: &str =
    concat!("n.id, n.target_type, n.target_id, ", target!(), ", n.author, n.mood, n.content, n.created_at");

const FROM: &str = "reflections AS n
        LEFT JOIN entities AS e ON n.target_type = 'entity' AND e.id = n.target_id
        LEFT JOIN relations AS r ON n.target_type = 'relation' AND r.id = n.target_id
        LEFT JOIN entities AS f ON f.id = r.from_entity LEFT JOIN entities AS t ON t.id = r.to_entity";

/// Reflections.
pub const KIND: Kind<ReflectionRow> = Kind {
    name: "reflections",
    from: FROM,
    id: "n.id",
    key: "n.id",
    columns: &[
        plain("id", "n.id"),
        plain("target_type", "n.target_type"),
        prose("target", target!()),
        prose("author", "n.author"),
        prose("mood", "n.mood"),
        prose("content", "n.content"),
        plain("created_at", "n.created_at"),
    ],
    contains: concat!(
        "instr(fold(n.content), ?) OR instr(fold(n.author), ?) OR instr(fold(coalesce(n.mood, '')), ?)
        OR instr(fold(coalesce(",
        target!(),
        ", '')), ?)"
    ),
    entity_type: Some("coalesce(e.entity_type = ?, f.entity_type = ? OR t.entity_type = ?)"),
    domain: None,
    statuses: Statuses::None,
    created: "n.created_at",
    get: |tx, key| super::one(tx, (SELECT, FROM, "n.id"), key, load),
};

fn load(row: &Row<'_>) -> rusqlite::Result<ReflectionRow> {
    Ok(ReflectionRow {
        id: row.get(0)?,
        target_type: row.get(1)?,
        target_id: row.get(2)?,
        target: row.get(3)?,
        author: row.get(4)?,
        mood: row.get(5)?,
        content: row.get(6)?,
        created_at: row.get(7)?,
    })
}

/// Returns the first `limit` reflections on an entity or its relations, oldest first, after their total count.
pub fn around(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<(usize, Vec<ReflectionRow>)> {
    const AROUND: &str = "e.id = ?1 OR f.id = ?1 OR t.id = ?1";
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM {FROM} WHERE {AROUND}"))?
        .query_row([entity_id], |row| row.get(0))?;
    let mut statement =
        tx.prepare_cached(&format!("SELECT {SELECT} FROM {FROM} WHERE {AROUND} ORDER BY n.id LIMIT ?2"))?;
    let rows = statement.query_map(params![entity_id, limit], load)?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}
