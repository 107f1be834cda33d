//! Observations: the facts attached to an entity.

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use limbic_guard::unescape;

use crate::{Result, Transaction, model::text, store::origins};

/// One fact about an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Observation {
    /// Row number, never used again after a deletion.
    pub id: i64,
    /// The fact, as given.
    pub content: String,
    /// Kind of fact: `generic`, `milestone`, `risk` or another word.
    pub kind: String,
    /// The observation that this one replaces.
    pub supersedes: Option<i64>,
    /// When it was superseded: `YYYY-MM-DD HH:MM:SS`, UTC; `None` if it is current.
    pub superseded_at: Option<String>,
    /// 1 for a near-duplicate of another observation.
    pub similarity_flag: i64,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created_at: String,
}

const COLUMNS: &str = "id, content, kind, supersedes, superseded_at, similarity_flag, created_at";

fn load(row: &Row<'_>) -> rusqlite::Result<Observation> {
    Ok(Observation {
        id: row.get(0)?,
        content: row.get(1)?,
        kind: row.get(2)?,
        supersedes: row.get(3)?,
        superseded_at: row.get(4)?,
        similarity_flag: row.get(5)?,
        created_at: row.get(6)?,
    })
}

/// The current observations of an entity, oldest first.
pub fn current(tx: &Transaction<'_>, entity_id: i64) -> Result<Vec<Observation>> {
    page(tx, entity_id, 0, usize::MAX, false)
}

/// Returns the observations of an entity from `first_id` on, oldest first, superseded ones too if requested.
pub fn page(
    tx: &Transaction<'_>,
    entity_id: i64,
    first_id: i64,
    limit: usize,
    include_superseded: bool,
) -> Result<Vec<Observation>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM observations
         WHERE entity_id = ?1 AND id >= ?2 AND (?3 OR superseded_at IS NULL) ORDER BY id LIMIT ?4"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![entity_id, first_id, include_superseded, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The row numbers of all observations of an entity, superseded ones included.
pub(crate) fn ids_of(tx: &Transaction<'_>, entity_id: i64) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached("SELECT id FROM observations WHERE entity_id = ?1 ORDER BY id")?;
    let ids = statement.query_map([entity_id], |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// The text of a current observation.
pub(crate) fn text_of(tx: &Transaction<'_>, id: i64) -> Result<Option<String>> {
    let mut statement =
        tx.prepare_cached("SELECT content FROM observations WHERE id = ?1 AND superseded_at IS NULL")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// Counts the current observations of an entity.
pub fn count_of(tx: &Transaction<'_>, entity_id: i64) -> Result<u64> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM observations WHERE entity_id = ?1 AND superseded_at IS NULL")?
        .query_row([entity_id], |row| row.get(0))?)
}

/// Counts all current observations.
pub fn count(tx: &Transaction<'_>) -> Result<u64> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM observations WHERE superseded_at IS NULL")?
        .query_row([], |row| row.get(0))?)
}

/// Returns the composed form of the observation that a caller refers to: the one with this text, or else the one whose
/// escaped form it is. `is_known` is whether there is one with a composed text.
#[must_use]
pub(crate) fn stored_as(is_known: impl Fn(&str) -> bool, content: &str) -> String {
    let given = text::compose(content);
    let hidden = unescape(content).map(|text| text::compose(&text).into_owned());
    hidden.filter(|hidden| !is_known(&given) && is_known(hidden)).unwrap_or_else(|| given.into_owned())
}

/// Moves current observations to another entity, each with the history that it superseded. The texts of both
/// entities have then changed (see `mutations::entities::text_changed`).
pub(crate) fn move_to(tx: &Transaction<'_>, ids: &[i64], entity_id: i64) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "WITH RECURSIVE line (id) AS (
             SELECT ?1
             UNION SELECT older.id FROM line JOIN observations AS newer ON newer.id = line.id
                 JOIN observations AS older ON older.id = newer.supersedes AND older.entity_id = newer.entity_id)
         UPDATE observations SET entity_id = ?2 WHERE id IN (SELECT id FROM line)",
    )?;
    for id in ids {
        statement.execute([*id, entity_id])?;
    }
    Ok(())
}

/// Adds a row.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    entity_id: i64,
    content: &str,
    kind: &str,
    supersedes: Option<i64>,
) -> Result<Observation> {
    let mut statement = tx.prepare_cached(&format!(
        "INSERT INTO observations (entity_id, content, kind, supersedes, created_at, origin)
         VALUES (?1, ?2, ?3, ?4, datetime(?5, 'unixepoch'), ?6) RETURNING {COLUMNS}"
    ))?;
    let origin = origins::of_writer(tx)?;
    Ok(statement.query_row(params![entity_id, content, kind, supersedes, tx.now_seconds(), origin], load)?)
}

/// Marks a row as superseded, and clears its similarity flag.
pub(crate) fn set_superseded(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE observations SET superseded_at = datetime(?2, 'unixepoch'), similarity_flag = 0 WHERE id = ?1",
    )?
    .execute(params![id, tx.now_seconds()])?;
    Ok(())
}

/// Deletes the row alone. `mutations::observations::delete` deletes an observation.
pub(crate) fn delete_row(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE observations SET supersedes = NULL WHERE supersedes = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([id])?;
    Ok(())
}
