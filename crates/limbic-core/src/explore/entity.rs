//! Data of one entity besides its records: state of its vector, usage, co-occurring entities.

use rusqlite::{OptionalExtension, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Result, Transaction, store::vectors::embedding_queue};
use limbic_protocol::TextKind;

/// State of a text's vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorState {
    /// The vector is stored.
    Stored,
    /// The text is in the embedding queue.
    Waiting,
    /// Encoding failed too often and is paused.
    Failed,
    /// There is none: the text is no longer current.
    None,
}

/// Returns the state of the vector of a row's text.
pub fn vector_state(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<VectorState> {
    let tries: Option<i64> = tx
        .prepare_cached("SELECT tries FROM embedding_queue WHERE kind = ?1 AND id = ?2")?
        .query_row(params![kind as u8, id], |row| row.get(0))
        .optional()?;
    Ok(match tries {
        Some(tries) if tries >= embedding_queue::MAX_TRIES => VectorState::Failed,
        Some(_) => VectorState::Waiting,
        None if has_vector(tx, kind, id)? => VectorState::Stored,
        None => VectorState::None,
    })
}

/// `vector_log` has a row for each stored vector.
fn has_vector(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM vector_log WHERE kind = ?1 AND id = ?2")?
        .exists(params![kind as u8, id])?)
}

/// The count of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Day {
    /// Day, as YYYY-MM-DD.
    pub date: String,
    /// Count.
    pub count: u64,
}

/// Returns the last `limit` days on which searches found an entity, oldest first.
pub fn access_days(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<Day>> {
    let mut statement = tx.prepare_cached(
        "SELECT access_date, access_count FROM (
             SELECT access_date, access_count FROM entity_access_log WHERE entity_id = ?1
             ORDER BY access_date DESC LIMIT ?2) ORDER BY access_date",
    )?;
    let rows = statement
        .query_map(params![entity_id, limit], |row| Ok(Day { date: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A co-occurring entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Together {
    /// Entity id.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Count.
    pub count: u64,
    /// When last accessed.
    pub last: String,
}

/// Returns the entities that co-occur with an entity, most frequent first, after their total count.
pub fn found_together(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<(usize, Vec<Together>)> {
    const PAIRS: &str =
        "(SELECT entity_b_id AS id, co_count, last_co FROM co_occurrences WHERE entity_a_id = ?1
         UNION ALL SELECT entity_a_id, co_count, last_co FROM co_occurrences WHERE entity_b_id = ?1)";
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM {PAIRS}"))?
        .query_row([entity_id], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(&format!(
        "SELECT e.id, e.name, e.entity_type, p.co_count, p.last_co FROM {PAIRS} AS p JOIN entities AS e ON e.id = p.id
         ORDER BY p.co_count DESC, p.last_co DESC, e.id LIMIT ?2"
    ))?;
    let rows = statement.query_map(params![entity_id, limit], |row| {
        Ok(Together {
            id: row.get(0)?,
            name: row.get(1)?,
            entity_type: row.get(2)?,
            count: row.get(3)?,
            last: row.get(4)?,
        })
    })?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}
