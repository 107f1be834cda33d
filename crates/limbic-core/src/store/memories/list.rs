//! Pages and counts of the memories that a filter admits.

use rusqlite::{params_from_iter, types::Value};

use super::{
    filter::Filter,
    node::{FROM, MemoryNode, in_rows},
};
use crate::{Result, Transaction};

/// Order of a list of memories; of equal ones the one stored last comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// Newest first.
    #[default]
    Recency,
    /// Highest confidence first.
    Confidence,
    /// Highest access count first.
    Access,
}

impl Sort {
    /// Returns SQL for what the memory `m` is ordered by, descending; the row number comes after it.
    fn key(self) -> &'static str {
        match self {
            Self::Recency => "m.timestamp",
            Self::Confidence => "coalesce(m.confidence, 1.0)",
            Self::Access => "coalesce(m.access_count, 0)",
        }
    }
}

/// The place of a memory in a list, also when it is no longer there.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// What it is ordered by.
    pub key: Value,
    /// Its row.
    pub row: i64,
}

/// Returns the first memories that a filter admits.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn list(tx: &Transaction<'_>, filter: &Filter<'_>, sort: Sort, limit: usize) -> Result<Vec<MemoryNode>> {
    in_rows(tx, &numbers(tx, filter, sort, limit)?)
}

/// Returns the row numbers of these memories.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn numbers(tx: &Transaction<'_>, filter: &Filter<'_>, sort: Sort, limit: usize) -> Result<Vec<i64>> {
    Ok(positions(tx, filter, sort, limit, None)?.into_iter().map(|position| position.row).collect())
}

/// Returns the places of the memories that a filter admits and that come after another one. What was stored or deleted
/// since that one was listed neither repeats nor skips others.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn positions(
    tx: &Transaction<'_>,
    filter: &Filter<'_>,
    sort: Sort,
    limit: usize,
    after: Option<&Position>,
) -> Result<Vec<Position>> {
    let mut conditions = filter.conditions_of_all(tx)?;
    let key = sort.key();
    if let Some(Position { key: last, row }) = after {
        let (last, row) = (conditions.value(last.clone()), conditions.value(*row));
        conditions.and_plain(&format!("({key}, m.rowid) < ({last}, {row})"));
    }
    let limit = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    // Sorted without the texts.
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {key}, m.rowid FROM MEMORY_NODES AS m{} ORDER BY {key} DESC, m.rowid DESC LIMIT {limit}",
        conditions.sql(),
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), |row| {
        Ok(Position { key: row.get(0)?, row: row.get(1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Counts the memories that a filter admits.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn count(tx: &Transaction<'_>, filter: &Filter<'_>) -> Result<usize> {
    let conditions = filter.conditions_of_all(tx)?;
    Ok(tx
        .prepare_cached(&format!("SELECT count(*) FROM MEMORY_NODES AS m{}", conditions.sql()))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?)
}

/// Whether a filter admits a memory, by its number.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn admits(tx: &Transaction<'_>, filter: &Filter<'_>, number: i64) -> Result<bool> {
    let mut conditions = filter.conditions(tx)?;
    conditions.and("n.number = ?", number);
    Ok(tx
        .prepare_cached(&format!("SELECT 1 FROM {FROM}{}", conditions.sql()))?
        .exists(params_from_iter(conditions.values()))?)
}
