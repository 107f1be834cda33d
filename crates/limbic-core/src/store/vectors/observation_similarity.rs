//! The sentence vectors of observations, and the flag of near-duplicates.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, params};

use super::embeddings;
use crate::{Result, Transaction};
use limbic_protocol::TextKind;

/// A current observation with its vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vectored {
    /// Row number.
    pub id: i64,
    /// The fact, as given.
    pub content: String,
    /// Whether `similarity_flag` is set.
    pub is_flagged: bool,
    /// Sentence vector, of length one.
    pub vector: Vec<f32>,
}

const OBSERVATIONS: i64 = embeddings::key(TextKind::Observation, 0);

const SELECT: &str = "SELECT o.id, o.content, o.similarity_flag, v.vector, o.entity_id FROM observations AS o
     JOIN text_vectors AS v ON v.key = ?1 + o.id
     WHERE o.superseded_at IS NULL";

fn load(row: &Row<'_>) -> rusqlite::Result<Vectored> {
    Ok(Vectored {
        id: row.get(0)?,
        content: row.get(1)?,
        is_flagged: row.get::<_, i64>(2)? != 0,
        vector: embeddings::from_bytes(row.get_ref(3)?.as_blob()?),
    })
}

/// Reads a current observation with its vector, preceded by the row number of its entity.
pub(crate) fn vectored(tx: &Transaction<'_>, id: i64) -> Result<Option<(i64, Vectored)>> {
    let mut statement = tx.prepare_cached(&format!("{SELECT} AND o.id = ?2"))?;
    let found = statement.query_row(params![OBSERVATIONS, id], |row| Ok((row.get(4)?, load(row)?)));
    Ok(found.optional()?)
}

/// The newest `limit` current observations of an entity that have a vector, newest first.
pub(crate) fn newest(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<Vectored>> {
    let mut statement =
        tx.prepare_cached(&format!("{SELECT} AND o.entity_id = ?2 ORDER BY o.id DESC LIMIT ?3"))?;
    let rows = statement.query_map(params![OBSERVATIONS, entity_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The newest `limit` of those that are flagged.
pub(crate) fn newest_flagged(tx: &Transaction<'_>, entity_id: i64, limit: usize) -> Result<Vec<Vectored>> {
    let mut statement = tx.prepare_cached(&format!(
        "{SELECT} AND o.entity_id = ?2 AND o.similarity_flag <> 0 ORDER BY o.id DESC LIMIT ?3"
    ))?;
    let rows = statement.query_map(params![OBSERVATIONS, entity_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The vectors of an entity's current observations, by their row numbers.
pub(crate) fn vectors(tx: &Transaction<'_>, entity_id: i64) -> Result<BTreeMap<i64, Vec<f32>>> {
    let mut statement = tx.prepare_cached(
        "SELECT o.id, v.vector FROM observations AS o JOIN text_vectors AS v ON v.key = ?1 + o.id
         WHERE o.entity_id = ?2 AND o.superseded_at IS NULL ORDER BY o.id",
    )?;
    let rows = statement.query_map(params![OBSERVATIONS, entity_id], |row| {
        Ok((row.get(0)?, embeddings::from_bytes(row.get_ref(1)?.as_blob()?)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Sets or clears the flag of an observation that is a near-duplicate.
pub(crate) fn set_flag(tx: &Transaction<'_>, id: i64, is_flagged: bool) -> Result<()> {
    tx.prepare_cached("UPDATE observations SET similarity_flag = ?2 WHERE id = ?1")?
        .execute(params![id, is_flagged])?;
    Ok(())
}
