//! Data of one memory besides its row: earlier states, mentions, sessions, audit log.

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::output::{all_escaped_option, escaped, escaped_option};
use crate::{
    Result, Transaction,
    model::{memory_words::Category, words::Word},
    store::{memories::tags_in, timestamps::kept_form},
};

/// An earlier state.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EarlierRow {
    /// The text.
    #[serde(serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub content: String,
    /// Confidence then.
    pub confidence: f64,
    /// When it was replaced, to the millisecond.
    pub replaced_at: String,
    /// Category then, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub category: Option<Word<Category>>,
    /// Subject then, if recorded.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped_option")]
    #[schemars(with = "Option<String>")]
    pub subject: Option<String>,
    /// Tags then, if recorded.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "all_escaped_option")]
    #[schemars(with = "Option<Vec<String>>")]
    pub tags: Option<Vec<String>>,
}

/// Returns the first `limit` earlier states of a memory, oldest first, after their total count.
pub fn history(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<(usize, Vec<EarlierRow>)> {
    let total = tx
        .prepare_cached("SELECT count(*) FROM memory_history WHERE memory_id = ?1")?
        .query_row([id], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(&format!(
        "SELECT content, confidence, {}, category, subject, tags
             FROM memory_history WHERE memory_id = ?1 ORDER BY memory_history.replaced_at, seq LIMIT ?2",
        kept_form("replaced_at")
    ))?;
    let rows = statement.query_map(params![id, limit], |row| {
        Ok(EarlierRow {
            content: row.get(0)?,
            confidence: row.get(1)?,
            replaced_at: row.get(2)?,
            category: row.get(3)?,
            subject: row.get(4)?,
            tags: row.get::<_, Option<String>>(5)?.map(|tags| tags_in(tx, &tags)).transpose()?,
        })
    })?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

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
    /// When last accessed, to the millisecond.
    pub last_used: String,
}

/// Returns the last `limit` sessions that used a memory, newest first.
pub fn sessions(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<Vec<Session>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT session_id, {} FROM memory_sessions WHERE memory_id = ?1
         ORDER BY last_used DESC, session_id LIMIT ?2",
        kept_form("last_used")
    ))?;
    let rows = statement.query_map(params![id, limit], |row| {
        Ok(Session { session_id: row.get(0)?, last_used: row.get(1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditRow {
    /// When.
    pub at: String,
    /// store, confirm, update, invalidate, forget, link, unlink, maintain or accept.
    pub action: String,
    /// Session id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Reason.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped_option")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<String>,
    /// Label of the origin.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "escaped_option")]
    #[schemars(with = "Option<String>")]
    pub origin: Option<String>,
}

/// Returns the last `limit` entries of a memory's audit log, newest first, with times as `YYYY-MM-DD HH:MM:SS`, UTC.
pub fn audit(tx: &Transaction<'_>, id: &str, limit: usize) -> Result<Vec<AuditRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT coalesce(datetime(a.at), a.at), a.action, a.session_id, a.reason,
             (SELECT o.label FROM origins AS o WHERE o.id = a.origin)
         FROM audit_log AS a WHERE a.memory_id = ?1 ORDER BY a.at DESC, a.seq DESC LIMIT ?2",
    )?;
    let rows = statement.query_map(params![id, limit], |row| {
        Ok(AuditRow {
            at: row.get(0)?,
            action: row.get(1)?,
            session_id: row.get(2)?,
            reason: row.get(3)?,
            origin: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
