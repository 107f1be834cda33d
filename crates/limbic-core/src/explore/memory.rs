//! Data of one memory besides its row: mentions, sessions, audit log.

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Result, Transaction,
    store::{
        logs::audit::{self, Entry},
        timestamps,
    },
};

/// An entity mentioned by a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mentioned {
    /// Entity id.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Whether it was given explicitly; otherwise its name is in the text.
    pub given: bool,
}

/// Returns the first `limit` entities that a memory mentions, by name, after their total count.
pub fn mentions(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<(usize, Vec<Mentioned>)> {
    let total = tx
        .prepare_cached("SELECT count(*) FROM memory_entities WHERE memory_id = ?1")?
        .query_row([id], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(
        "SELECT e.id, e.name, e.entity_type, x.given FROM memory_entities AS x JOIN entities AS e ON e.id = x.entity_id
         WHERE x.memory_id = ?1 ORDER BY e.name, e.id LIMIT ?2",
    )?;
    let rows = statement.query_map(params![id, limit], |row| {
        Ok(Mentioned { id: row.get(0)?, name: row.get(1)?, entity_type: row.get(2)?, given: row.get(3)? })
    })?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// A session that used it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Session {
    /// Session id.
    pub session_id: String,
    /// When last accessed.
    pub last_used: String,
}

/// Returns the last `limit` sessions that used a memory, newest first.
pub fn sessions(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<Vec<Session>> {
    let mut statement = tx.prepare_cached(
        "SELECT session_id, coalesce(datetime(last_used), last_used) FROM memory_sessions WHERE memory_id = ?1
         ORDER BY last_used DESC, session_id LIMIT ?2",
    )?;
    let rows = statement.query_map(params![id, limit], |row| {
        Ok(Session { session_id: row.get(0)?, last_used: row.get(1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the last `limit` entries of a memory's audit log, newest first, with times as `YYYY-MM-DD HH:MM:SS`, UTC.
pub fn audit(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<Vec<Entry>> {
    let entries = audit::latest(tx, Some(id), None, limit)?;
    entries.into_iter().map(|entry| Ok(Entry { at: timestamps::plain(tx, &entry.at)?, ..entry })).collect()
}
