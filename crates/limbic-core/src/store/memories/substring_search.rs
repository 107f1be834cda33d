//! Search for memories by a part of their text.

use rusqlite::params_from_iter;

use super::{Filter, MemoryNode, in_rows};
use crate::{Result, Transaction, model::text, store::timestamps};

/// Returns the memories whose text contains this text, ignoring case, newest first. With `as_of`, the text of that time
/// is searched.
///
/// # Errors
/// Errors of the [`Filter`](super::Filter).
pub fn containing(
    tx: &Transaction<'_>,
    filter: &Filter<'_>,
    part: &str,
    limit: usize,
) -> Result<Vec<MemoryNode>> {
    let mut conditions = filter.conditions_of_all(tx)?;
    let part = text::fold(part);
    match timestamps::read_optional(tx, "as_of", filter.as_of)? {
        None => conditions.and("instr(fold(m.content), ?) > 0", part),
        Some(moment) => {
            let (moment, part) = (conditions.value(moment), conditions.value(part));
            conditions.and_plain(&format!(
                "instr(fold(coalesce((SELECT h.content FROM memory_history AS h
                    WHERE h.memory_id = m.id AND h.replaced_at > {moment} ORDER BY h.replaced_at, h.seq LIMIT 1), m.content)), {part}) > 0"
            ));
        }
    }
    let limit = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.rowid FROM MEMORY_NODES AS m{} ORDER BY m.timestamp DESC, m.rowid DESC LIMIT {limit}",
        conditions.sql()
    ))?;
    let rows: Vec<i64> = statement
        .query_map(params_from_iter(conditions.values()), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    in_rows(tx, &rows)
}
