//! `similarity_flag`: 1 if an observation is a near-duplicate of another current one of the same entity.
//!
//! It is set when the vectors of both are stored. Only the newest observations are compared, so that storing a vector
//! takes about the same time in a large entity as in a small one.

use crate::{
    Result, Transaction,
    model::similarity::{PreparedText, Thresholds},
    store::vectors::observation_similarity::{self, Vectored},
};

/// Maximum number of an entity's observations that one is compared with: the newest.
const MAX_COMPARED: usize = 500;

/// Flags an observation and its near-duplicates. Must be called after its vector was stored.
pub(crate) fn vector_stored(tx: &Transaction<'_>, id: i64) -> Result<()> {
    let Some((entity_id, own)) = observation_similarity::vectored(tx, id)? else { return Ok(()) };
    let was_flagged = own.is_flagged;
    let own = prepared(own).1;
    let mut has_duplicate = false;
    for other in observation_similarity::newest(tx, entity_id, MAX_COMPARED)? {
        if other.id == id {
            continue;
        }
        let other_is_flagged = other.is_flagged;
        let (other_id, other) = prepared(other);
        if other.matches(&own, Thresholds::default()).is_some() {
            has_duplicate = true;
            if !other_is_flagged {
                observation_similarity::set_flag(tx, other_id, true)?;
            }
        }
    }
    if was_flagged != has_duplicate {
        observation_similarity::set_flag(tx, id, has_duplicate)?;
    }
    Ok(())
}

/// Clears the flags of observations without a near-duplicate. Must be called after a flagged observation of the entity
/// was deleted, superseded or moved away.
pub(crate) fn duplicate_removed(tx: &Transaction<'_>, entity_id: i64) -> Result<()> {
    let flagged = observation_similarity::newest_flagged(tx, entity_id, MAX_COMPARED)?;
    if flagged.is_empty() {
        return Ok(());
    }
    let others: Vec<(i64, PreparedText)> =
        observation_similarity::newest(tx, entity_id, MAX_COMPARED)?.into_iter().map(prepared).collect();
    for (id, own) in flagged.into_iter().map(prepared) {
        let has_duplicate = others
            .iter()
            .any(|(other, text)| *other != id && text.matches(&own, Thresholds::default()).is_some());
        if !has_duplicate {
            observation_similarity::set_flag(tx, id, false)?;
        }
    }
    Ok(())
}

fn prepared(row: Vectored) -> (i64, PreparedText) {
    (row.id, PreparedText::new(row.content, Some(row.vector)))
}
