//! What an inspector shows of one memory beside its row.

use rusqlite::params;

use crate::{
    Result, Transaction,
    store::{
        logs::audit::{self, Entry},
        timestamps,
    },
};

/// An entity that a memory mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mentioned {
    /// Row number.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Whether the link is explicit; otherwise the name occurs in the text.
    pub given: bool,
}

/// The first `limit` entities that a memory mentions, by name; and how many there are.
///
/// # Errors
/// Those of the database.
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

/// A session in which a memory was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub session_id: String,
    /// When it last used the memory: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub last_used: String,
}

/// The last `limit` sessions in which a memory was used, newest first.
///
/// # Errors
/// Those of the database.
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

/// The last `limit` things that were done to a memory, newest first; their moments are `YYYY-MM-DD HH:MM:SS`, UTC.
///
/// # Errors
/// Those of the database.
pub fn audit(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<Vec<Entry>> {
    let entries = audit::latest(tx, Some(id), None, limit)?;
    entries.into_iter().map(|entry| Ok(Entry { at: timestamps::plain(tx, &entry.at)?, ..entry })).collect()
}
