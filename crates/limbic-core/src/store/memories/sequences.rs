//! The order in which memories were stored, by user, domain and session.

use std::collections::BTreeMap;

use rusqlite::{Row, params};

use super::filter_evaluator;
use crate::{Result, Transaction};

/// Memories are context for each other only within one sequence. Unknown parts are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    user_id: String,
    domain: String,
    /// The session in which they were stored; of memories without a known session, their source.
    session: String,
}

impl Sequence {
    /// Whether a walk from a memory of this sequence visits the same memories as one from the other sequence: those of
    /// the same user, or of the same domain if neither has a user.
    pub(super) fn shares_walk(&self, other: &Self) -> bool {
        self.user_id == other.user_id && (!self.user_id.is_empty() || self.domain == other.domain)
    }
}

/// A memory's position in the order of storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The number of the memory.
    pub number: i64,
    /// Its row, which is higher the later it was stored.
    pub row: i64,
    /// The time of its event, or else of storage, in seconds since the Unix epoch.
    pub seconds: i64,
    /// Its sequence.
    pub sequence: Sequence,
}

/// The side of a memory on which its neighbours are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Memories stored before it.
    Before,
    /// Memories stored after it.
    After,
}

/// The columns of a [`Position`].
const COLUMNS: &str = "n.number, m.rowid, coalesce(unixepoch(m.event_time), unixepoch(m.timestamp), 0),
    coalesce(m.user_id, ''), m.domain, coalesce(nullif(o.session, ''), m.source, '')";

/// Returns the positions of these memories, by number. Numbers without a memory are omitted.
pub fn positions(tx: &Transaction<'_>, numbers: &[i64]) -> Result<BTreeMap<i64, Position>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {} LEFT JOIN origins AS o ON o.id = m.origin",
        filter_evaluator::asked_for("?1")
    ))?;
    let rows = statement.query_map([filter_evaluator::list(numbers.iter().copied())], position)?;
    Ok(rows.map(|row| row.map(|position| (position.number, position))).collect::<rusqlite::Result<_>>()?)
}

/// Returns up to `limit` memories stored next to a row on one side, nearest first: those of the same user in any
/// domain, or of any user in the same domain if the position has no user. Memories of other users are not visited for a
/// user.
pub fn adjacent(
    tx: &Transaction<'_>,
    sequence: &Sequence,
    (row, side): (i64, Side),
    limit: usize,
) -> Result<Vec<Position>> {
    let (index, column, value) = if sequence.user_id.is_empty() {
        ("idx_memory_nodes_domain", "domain", &sequence.domain)
    } else {
        ("idx_memories_user", "user_id", &sequence.user_id)
    };
    let (beyond, order) = match side {
        Side::Before => ("<", "DESC"),
        Side::After => (">", "ASC"),
    };
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM MEMORY_NODES AS m INDEXED BY {index}
         CROSS JOIN memory_numbers AS n ON n.id = m.id LEFT JOIN origins AS o ON o.id = m.origin
         WHERE m.{column} = ?1 AND m.rowid {beyond} ?2 ORDER BY m.rowid {order} LIMIT ?3"
    ))?;
    let rows = statement.query_map(params![value, row, limit], position)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn position(row: &Row<'_>) -> rusqlite::Result<Position> {
    Ok(Position {
        number: row.get(0)?,
        row: row.get(1)?,
        seconds: row.get(2)?,
        sequence: Sequence { user_id: row.get(3)?, domain: row.get(4)?, session: row.get(5)? },
    })
}
