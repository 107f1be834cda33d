//! The order in which memories were stored, by user, domain and session.

use std::collections::BTreeMap;

use super::filter_evaluator;
use crate::{Result, Transaction};

/// Memories are context for each other only within one sequence. Unknown parts are empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence {
    user_id: String,
    domain: String,
    /// The session in which they were stored; of memories without a known session, their source.
    session: String,
}

/// Returns the sequences of these memories, each with the number and the time of its memories, by number. The time is
/// that of the event, or else of storage, in seconds since the Unix epoch. Numbers without a memory are omitted.
pub fn sequences(
    tx: &Transaction<'_>,
    numbers: impl Iterator<Item = i64>,
) -> Result<BTreeMap<Sequence, BTreeMap<i64, i64>>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT n.number, coalesce(m.user_id, ''), m.domain, coalesce(nullif(o.session, ''), m.source, ''),
            coalesce(unixepoch(m.event_time), unixepoch(m.timestamp), 0)
         FROM {} LEFT JOIN origins AS o ON o.id = m.origin",
        filter_evaluator::asked_for("?1")
    ))?;
    let mut rows = statement.query([filter_evaluator::list(numbers)])?;
    let mut sequences: BTreeMap<Sequence, BTreeMap<i64, i64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let sequence = Sequence { user_id: row.get(1)?, domain: row.get(2)?, session: row.get(3)? };
        sequences.entry(sequence).or_default().insert(row.get(0)?, row.get(4)?);
    }
    Ok(sequences)
}
