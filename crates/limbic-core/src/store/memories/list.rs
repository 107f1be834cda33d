//! Pages and counts of the memories that a filter admits.

use rusqlite::params_from_iter;

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
    fn sql(self) -> &'static str {
        match self {
            Self::Recency => "m.timestamp DESC, m.rowid DESC",
            Self::Confidence => "coalesce(m.confidence, 1.0) DESC, m.rowid DESC",
            Self::Access => "coalesce(m.access_count, 0) DESC, m.rowid DESC",
        }
    }
}

/// Returns a page of the memories that a filter admits.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn list(
    tx: &Transaction<'_>,
    filter: &Filter<'_>,
    sort: Sort,
    limit: usize,
    offset: usize,
) -> Result<Vec<MemoryNode>> {
    in_rows(tx, &numbers(tx, filter, sort, limit, offset)?)
}

/// Returns the numbers of the memories on such a page.
///
/// # Errors
/// Errors of the [`Filter`].
pub fn numbers(
    tx: &Transaction<'_>,
    filter: &Filter<'_>,
    sort: Sort,
    limit: usize,
    offset: usize,
) -> Result<Vec<i64>> {
    let mut conditions = filter.conditions_of_all(tx)?;
    let limit = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let offset = conditions.value(i64::try_from(offset).unwrap_or(i64::MAX));
    // Sorted without the texts.
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.rowid FROM MEMORY_NODES AS m{} ORDER BY {} LIMIT {limit} OFFSET {offset}",
        conditions.sql(),
        sort.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), |row| row.get(0))?;
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
