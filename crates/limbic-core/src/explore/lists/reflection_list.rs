//! Reflections, with what they are about in words.

use rusqlite::{Row, params};

use super::{Kind, Statuses, plain, prose};
use crate::{Result, Transaction};

/// A reflection as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectionRow {
    /// Row number.
    pub id: i64,
    /// `entity`, `relation`, `session` or `global`.
    pub target_type: String,
    /// Row number of the entity or relation, or the caller's number of a session.
    pub target_id: Option<i64>,
    /// The entity's name, or both ends and the type of the relation.
    pub target: Option<String>,
    /// Who wrote it.
    pub author: String,
    /// In which mood.
    pub mood: Option<String>,
    /// The prose.
    pub content: String,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
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

/// The first `limit` reflections on an entity or on a relation that touches it, oldest first; and how many there are.
///
/// # Errors
/// Those of the database.
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
