//! The current observations with the tokens that late interaction reads.

use rusqlite::{Row, params};

use super::embeddings;
use crate::{Result, Transaction};
use limbic_protocol::TextKind;

/// A current observation. Its text and tokens are those of the row that is being read, without a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObservationTokens<'a> {
    /// Row number.
    pub id: i64,
    /// Row number of its entity.
    pub entity_id: i64,
    /// When it was written, in seconds since the Unix epoch.
    pub written_seconds: i64,
    /// The fact, as given.
    pub content: &'a str,
    /// Its blob in `token_vectors`; `None` if it is not embedded yet.
    pub tokens: Option<&'a [u8]>,
}

const OBSERVATIONS: i64 = embeddings::key(TextKind::Observation, 0);

const SELECT: &str = "SELECT o.id, o.entity_id, coalesce(unixepoch(o.created_at), 0), o.content, v.tokens
     FROM observations AS o LEFT JOIN token_vectors AS v ON v.key = ?1 + o.id";

fn load<'a>(row: &'a Row<'_>) -> rusqlite::Result<ObservationTokens<'a>> {
    Ok(ObservationTokens {
        id: row.get(0)?,
        entity_id: row.get(1)?,
        written_seconds: row.get(2)?,
        content: row.get_ref(3)?.as_str()?,
        tokens: row.get_ref(4)?.as_blob_or_null()?,
    })
}

/// Passes each current observation of an entity to `take`, in any order.
pub(crate) fn each_of(
    tx: &Transaction<'_>,
    entity_id: i64,
    mut take: impl FnMut(ObservationTokens<'_>),
) -> Result<()> {
    let mut statement =
        tx.prepare_cached(&format!("{SELECT} WHERE o.entity_id = ?2 AND o.superseded_at IS NULL"))?;
    let mut rows = statement.query(params![OBSERVATIONS, entity_id])?;
    while let Some(row) = rows.next()? {
        take(load(row)?);
    }
    Ok(())
}

/// Passes each current observation whose row number lies in `first..=last` to `take`, in the order of these.
pub(crate) fn each_between(
    tx: &Transaction<'_>,
    (first, last): (i64, i64),
    mut take: impl FnMut(ObservationTokens<'_>),
) -> Result<()> {
    let mut statement = tx.prepare_cached(&format!(
        "{SELECT} WHERE o.id BETWEEN ?2 AND ?3 AND o.superseded_at IS NULL ORDER BY o.id"
    ))?;
    let mut rows = statement.query(params![OBSERVATIONS, first, last])?;
    while let Some(row) = rows.next()? {
        take(load(row)?);
    }
    Ok(())
}
