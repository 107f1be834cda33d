//! The audit log of memories: actions with ids, times, sessions and reasons, never a text.

use rusqlite::{Row, params};

use crate::{
    Result, Transaction,
    store::{
        origins::{self, Origin},
        timestamps,
    },
};

/// An action in the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Stored.
    Store,
    /// Confirmed: the same statement was stored again.
    Confirm,
    /// Changed.
    Update,
    /// Ended.
    Invalidate,
    /// Deleted.
    Forget,
    /// Linked.
    Link,
    /// A link was removed.
    Unlink,
    /// Changed by maintenance; its deletions are logged as [`Action::Forget`]. A line without a memory: records of the
    /// graph were deleted.
    Maintain,
    /// Moved to another domain together with all memories of its domain.
    Move,
    /// A file was imported. This line belongs to no memory.
    Import,
    /// Accepted by a person, who confirms a change of an origin that is not trusted.
    Accept,
    /// An origin became trusted. This line belongs to no memory.
    Trust,
    /// An origin is no longer trusted. This line belongs to no memory.
    Distrust,
}

impl Action {
    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Confirm => "confirm",
            Self::Update => "update",
            Self::Invalidate => "invalidate",
            Self::Forget => "forget",
            Self::Link => "link",
            Self::Unlink => "unlink",
            Self::Maintain => "maintain",
            Self::Move => "move",
            Self::Import => "import",
            Self::Accept => "accept",
            Self::Trust => "trust",
            Self::Distrust => "distrust",
        }
    }
}

/// Who performs an action.
#[derive(Debug, Clone, Copy, Default)]
pub struct Actor<'a> {
    /// The session, 32 hexadecimal digits.
    pub session_id: &'a str,
    /// The client, hook, file or person; `None` when the shell does not say.
    pub origin: Option<&'a Origin>,
    /// Why, in the caller's words.
    pub reason: Option<&'a str>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Ascending.
    pub seq: i64,
    /// ISO 8601, UTC.
    pub at: String,
    /// The name of an [`Action`].
    pub action: String,
    /// Id of the memory, which may have been deleted.
    pub memory_id: Option<String>,
    /// Owner of the memory.
    pub user_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The label of the origin; see [`Origin::label`].
    pub origin: Option<String>,
}

fn load(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        seq: row.get(0)?,
        at: row.get(1)?,
        action: row.get(2)?,
        memory_id: row.get(3)?,
        user_id: row.get(4)?,
        session_id: row.get(5)?,
        reason: row.get(6)?,
        origin: row.get(7)?,
    })
}

/// Writes a line. The memory must still exist, because its owner is read from it.
pub(crate) fn record(tx: &Transaction<'_>, action: Action, memory_id: &str, actor: Actor<'_>) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO audit_log (at, action, memory_id, user_id, session_id, reason, origin)
         VALUES (?1, ?2, ?3, (SELECT user_id FROM MEMORY_NODES WHERE id = ?3), ?4, ?5, ?6)",
    )?
    .execute(params![
        timestamps::now(tx)?,
        action.name(),
        memory_id,
        actor.session_id,
        actor.reason,
        origin_of(tx, actor)?
    ])?;
    Ok(())
}

/// Clears the reasons of a memory's lines: they are the caller's words, which may repeat its text.
pub(crate) fn clear_reasons(tx: &Transaction<'_>, memory_id: &str) -> Result<()> {
    tx.prepare_cached("UPDATE audit_log SET reason = NULL WHERE memory_id = ?1 AND reason IS NOT NULL")?
        .execute([memory_id])?;
    Ok(())
}

fn origin_of(tx: &Transaction<'_>, actor: Actor<'_>) -> Result<Option<i64>> {
    actor.origin.map(|origin| origins::id_of(tx, origin)).transpose()
}

/// Writes a line that belongs to no memory.
pub(crate) fn record_decision(tx: &Transaction<'_>, action: Action, actor: Actor<'_>) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO audit_log (at, action, session_id, reason, origin) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        timestamps::now(tx)?,
        action.name(),
        actor.session_id,
        actor.reason,
        origin_of(tx, actor)?
    ])?;
    Ok(())
}

/// Writes a line for each memory of a domain.
pub(crate) fn record_domain(
    tx: &Transaction<'_>,
    action: Action,
    domain: &str,
    actor: Actor<'_>,
) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO audit_log (at, action, memory_id, user_id, session_id, reason, origin)
         SELECT ?1, ?2, id, user_id, ?4, ?5, ?6 FROM MEMORY_NODES WHERE domain = ?3 ORDER BY rowid",
    )?
    .execute(params![
        timestamps::now(tx)?,
        action.name(),
        domain,
        actor.session_id,
        actor.reason,
        origin_of(tx, actor)?
    ])?;
    Ok(())
}

/// Writes the line of an import, or updates the line with this number. Returns the number.
pub fn record_import(tx: &Transaction<'_>, seq: Option<i64>, actor: Actor<'_>) -> Result<i64> {
    if let Some(seq) = seq {
        tx.prepare_cached("UPDATE audit_log SET at = ?2, reason = ?3 WHERE seq = ?1")?.execute(params![
            seq,
            timestamps::now(tx)?,
            actor.reason
        ])?;
        return Ok(seq);
    }
    record_decision(tx, Action::Import, actor)?;
    Ok(tx.last_insert_rowid())
}

/// Returns the latest lines, newest first: of one memory, of one user, of the origin with this label, or all.
pub fn latest(
    tx: &Transaction<'_>,
    memory_id: Option<&str>,
    user_id: Option<&str>,
    origin: Option<&str>,
    limit: usize,
) -> Result<Vec<Entry>> {
    // `?1 IS NULL OR` would not use the index of memories.
    let of_memory = if memory_id.is_some() { "memory_id = ?1" } else { "?1 IS NULL" };
    let mut statement = tx.prepare_cached(&format!(
        "SELECT seq, at, action, memory_id, user_id, session_id, reason,
             (SELECT o.label FROM origins AS o WHERE o.id = audit_log.origin) FROM audit_log
         WHERE {of_memory} AND (?2 IS NULL OR user_id = ?2)
             AND (?3 IS NULL OR origin IN (SELECT o.id FROM origins AS o WHERE o.label = ?3))
         ORDER BY at DESC, seq DESC LIMIT ?4"
    ))?;
    let rows = statement.query_map(params![memory_id, user_id, origin, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
