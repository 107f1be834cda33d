//! Counts over all entities, for reports.

use rusqlite::{Row, params};

use super::graph::entities::{self, Entity};
use crate::{Result, Transaction, model::entity_status::EntityStatus};

/// Returns the entities with more than `count` current observations, each with that number, by id.
pub(crate) fn larger_than(tx: &Transaction<'_>, count: usize) -> Result<Vec<(Entity, usize)>> {
    let mut statement = tx.prepare_cached(
        "SELECT entity_id, count(*) FROM observations WHERE superseded_at IS NULL
         GROUP BY entity_id HAVING count(*) > ?1 ORDER BY entity_id",
    )?;
    let rows: Vec<(i64, usize)> = statement
        .query_map([count], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::with_capacity(rows.len());
    for (id, count) in rows {
        found.extend(entities::get(tx, id)?.map(|entity| (entity, count)));
    }
    Ok(found)
}

/// A flagged observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flagged {
    /// Name of its entity.
    pub entity_name: String,
    /// The fact, as given.
    pub content: String,
}

/// Returns the first `limit` current near-duplicate observations, by entity, and the total count.
pub(crate) fn flagged(tx: &Transaction<'_>, limit: usize) -> Result<(u64, Vec<Flagged>)> {
    let total = tx
        .prepare_cached(
            "SELECT count(*) FROM observations WHERE similarity_flag <> 0 AND superseded_at IS NULL",
        )?
        .query_row([], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(
        "SELECT e.name, o.content FROM observations AS o JOIN entities AS e ON e.id = o.entity_id
         WHERE o.similarity_flag <> 0 AND o.superseded_at IS NULL ORDER BY o.entity_id, o.id LIMIT ?1",
    )?;
    let rows =
        statement.query_map([limit], |row| Ok(Flagged { entity_name: row.get(0)?, content: row.get(1)? }))?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// An unused entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Seconds since a search last found it; `None` if none did.
    pub unused_seconds: Option<i64>,
    /// Access count.
    pub access_count: u32,
    /// Number of current observations.
    pub observation_count: usize,
}

/// SQL for entities with an observation that are not archived and were accessed at most twice, and not since a time.
const STALE: &str = "FROM entities AS e LEFT JOIN entity_access AS a ON a.entity_id = e.id
     WHERE e.status NOT IN (?2, ?3) AND coalesce(a.access_count, 0) <= 2
     AND (a.last_access IS NULL OR unixepoch(a.last_access) <= ?1)
     AND EXISTS (SELECT 1 FROM observations AS o WHERE o.entity_id = e.id AND o.superseded_at IS NULL)";

/// Returns the first `limit` entities with observations that were accessed at most twice, and not since `since_seconds`
/// (Unix epoch), and their total count. The one unused for the longest time, since its last access or creation, comes
/// first.
pub(crate) fn stale(tx: &Transaction<'_>, since_seconds: i64, limit: usize) -> Result<(u64, Vec<Stale>)> {
    let archived = EntityStatus::Archived.word();
    let archived_in_english = EntityStatus::Archived.english_word();
    let total = tx
        .prepare_cached(&format!("SELECT count(*) {STALE}"))?
        .query_row(params![since_seconds, archived, archived_in_english], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(&format!(
        "SELECT e.name, e.entity_type, ?5 - unixepoch(a.last_access), coalesce(a.access_count, 0),
             (SELECT count(*) FROM observations AS o WHERE o.entity_id = e.id AND o.superseded_at IS NULL)
         {STALE} ORDER BY unixepoch(coalesce(a.last_access, e.created_at)), e.id LIMIT ?4"
    ))?;
    let rows = statement.query_map(
        params![since_seconds, archived, archived_in_english, limit, tx.now_seconds()],
        load_stale,
    )?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

fn load_stale(row: &Row<'_>) -> rusqlite::Result<Stale> {
    Ok(Stale {
        name: row.get(0)?,
        entity_type: row.get(1)?,
        unused_seconds: row.get(2)?,
        access_count: row.get(3)?,
        observation_count: row.get(4)?,
    })
}
