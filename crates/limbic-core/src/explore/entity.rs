//! What an inspector shows of one entity beside its records.

use rusqlite::{OptionalExtension, params};

use crate::{Result, Transaction, store::vectors::embedding_queue};
use limbic_protocol::TextKind;

/// Whether a text can be found by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorState {
    /// Its vector is there.
    Stored,
    /// It waits for the encoder.
    Waiting,
    /// The encoder failed too often: it is left alone for a while.
    Failed,
    /// None will be created: the text is no longer current.
    None,
}

/// Whether the text of a row can be found by meaning.
///
/// # Errors
/// Those of the database.
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

/// Every vector that is written is logged, and the log forgets it with the vector.
fn has_vector(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM vector_log WHERE kind = ?1 AND id = ?2")?
        .exists(params![kind as u8, id])?)
}

/// How often something happened on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// `YYYY-MM-DD`, UTC.
    pub date: String,
    /// How often.
    pub count: u64,
}

/// The last `limit` days on which searches found an entity, oldest first.
///
/// # Errors
/// Those of the database.
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

/// An entity that was found by the same searches as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together {
    /// Row number.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// How often.
    pub count: u64,
    /// When last: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub last: String,
}

/// The entities that were found with another most often, and how many there are.
///
/// # Errors
/// Those of the database.
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
