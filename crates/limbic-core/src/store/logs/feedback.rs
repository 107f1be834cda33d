//! Implicit feedback: results of a search that were used soon after it.

use rusqlite::params;

use super::search_log;
use crate::{Result, Transaction, model::quality::JudgedSearch, store::ranking_weights};

/// Number of judged searches between two tunings of the weights.
const TUNE_EVERY: u32 = 10;

/// A result of a search that was used later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reuse {
    /// Number of the search in the log.
    pub event_id: i64,
    /// Row number of the entity.
    pub entity_id: i64,
    /// Time from the search to the use.
    pub delay_seconds: i64,
}

/// Stores uses. Returns whether the weights are due for tuning.
///
/// Uses of a search that is no longer in the log are ignored.
pub(crate) fn record(tx: &Transaction<'_>, session_id: &str, reuses: &[Reuse]) -> Result<bool> {
    let mut judged = 0;
    for reuse in reuses {
        let is_first = tx
            .prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM implicit_feedback WHERE event_id = ?1)")?
            .query_row([reuse.event_id], |row| row.get(0))?;
        let written = tx
            .prepare_cached(
                "INSERT INTO implicit_feedback (event_id, entity_id, re_accessed, access_delta, session_id)
                 SELECT event_id, ?2, 1, ?3, ?4 FROM search_events WHERE event_id = ?1",
            )?
            .execute(params![reuse.event_id, reuse.entity_id, reuse.delay_seconds, session_id])?;
        judged += u32::from(is_first && written > 0);
    }
    ranking_weights::count_judged(tx, judged, TUNE_EVERY)
}

/// Adds a row unless it exists, and returns whether it is new. `used` is 1 if the result was used.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    event_id: i64,
    entity_id: i64,
    used: i64,
    delay_seconds: Option<i64>,
    session_id: Option<&str>,
) -> Result<bool> {
    let added = tx
        .prepare_cached(
            "INSERT INTO implicit_feedback (event_id, entity_id, re_accessed, access_delta, session_id)
             SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM implicit_feedback
                 WHERE event_id = ?1 AND entity_id = ?2 AND re_accessed = ?3 AND access_delta IS ?4
                     AND session_id IS ?5)",
        )?
        .execute(params![event_id, entity_id, used, delay_seconds, session_id])?;
    Ok(added > 0)
}

/// A query after which an entity was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnsweredQuery {
    /// The query; empty if the log does not store queries.
    pub query: String,
    /// Its hash, in hexadecimal digits.
    pub query_hash: String,
}

/// Returns the queries after which an entity was opened, extended or linked, newest first, at most `limit`, as far back
/// as the search log goes.
pub(crate) fn answered_by(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<AnsweredQuery>> {
    let mut statement = tx.prepare_cached(
        "SELECT e.query_text, e.query_hash
         FROM implicit_feedback AS f JOIN search_events AS e ON e.event_id = f.event_id
         WHERE f.entity_id = ?1 AND f.re_accessed = 1 ORDER BY f.feedback_id DESC LIMIT ?2",
    )?;
    let found = statement.query_map(params![entity_id, limit], |row| {
        Ok(AnsweredQuery { query: row.get(0)?, query_hash: row.get(1)? })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Returns the newest judged searches, those with a result that was used later, newest first.
pub(crate) fn judged(tx: &Transaction<'_>, since_seconds: i64, most: usize) -> Result<Vec<JudgedSearch>> {
    let mut statement = tx.prepare_cached(
        "SELECT DISTINCT f.event_id, e.treatment
         FROM implicit_feedback AS f JOIN search_events AS e ON e.event_id = f.event_id
         WHERE f.re_accessed = 1 AND e.timestamp >= datetime(?1, 'unixepoch')
             AND EXISTS (SELECT 1 FROM search_results WHERE event_id = f.event_id AND relevance IS NOT NULL)
         ORDER BY f.event_id DESC LIMIT ?2",
    )?;
    let found = statement.query_map(params![since_seconds, most], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let events = found.collect::<rusqlite::Result<Vec<(i64, bool)>>>()?;
    events
        .into_iter()
        .map(|(event_id, treatment)| {
            Ok(JudgedSearch { treatment, results: search_log::results(tx, event_id)? })
        })
        .collect()
}
