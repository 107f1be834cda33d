//! Memories by a part of their text.

use rusqlite::params_from_iter;

use super::{COLUMNS, FROM, Filter, MemoryNode, load, with_tags};
use crate::{Result, Unit, store::time, text};

/// The memories that hold this text, in upper or lower case, newest first. With `as_of`, their text is that of the time.
///
/// # Errors
/// Those of the filter and of the database.
pub fn containing(unit: &Unit<'_>, filter: &Filter<'_>, part: &str, limit: usize) -> Result<Vec<MemoryNode>> {
    let mut conditions = filter.conditions(unit)?;
    let part = text::fold(part);
    match time::read_optional(unit, "as_of", filter.as_of)? {
        None => conditions.and("instr(fold(m.content), ?) > 0", part),
        Some(moment) => {
            let (moment, part) = (conditions.value(moment), conditions.value(part));
            conditions.and_plain(&format!(
                "instr(fold(coalesce((SELECT h.content FROM memory_history AS h
                    WHERE h.memory_id = m.id AND h.replaced_at > {moment} ORDER BY h.seq LIMIT 1), m.content)), {part}) > 0"
            ));
        }
    }
    let limit = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = unit.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {FROM}{} ORDER BY m.timestamp DESC, n.number DESC LIMIT {limit}",
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), load)?;
    let memories: Vec<MemoryNode> = rows.collect::<rusqlite::Result<_>>()?;
    memories.into_iter().map(|memory| with_tags(unit, memory)).collect()
}
