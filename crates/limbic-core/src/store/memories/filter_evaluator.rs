//! Evaluates a filter for single memories, for searches that test few of many.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt::Write as _,
};

use rusqlite::{OptionalExtension, params_from_iter, types::Value};

use super::{
    FROM, Filter,
    index_selection::{Indexed, Start},
};
use crate::{Result, Transaction, model::row_map::RowMap, store::conditions::Conditions};

/// Up to this number of admitted memories, comparing each of them is faster than testing the nearest.
const MAX_LISTED: usize = 2_000;

/// A filter prepared to test memories by number, for one state of the database.
pub struct FilterEvaluator<'a> {
    filter: Filter<'a>,
    conditions: Conditions,
    one: String,
    several: String,
    start: Option<Start>,
    /// The rows of tested memories by their numbers; `None` for those that are not admitted.
    tested: RowMap<Option<i64>>,
    all: Option<HashSet<i64>>,
}

impl<'a> FilterEvaluator<'a> {
    /// Prepares a filter.
    ///
    /// # Errors
    /// Errors of the [`Filter`].
    pub fn new(tx: &Transaction<'_>, filter: &Filter<'a>) -> Result<Self> {
        let single = Self::of_single(tx, filter)?;
        Ok(Self { start: filter.start(tx, MAX_LISTED)?, ..single })
    }

    /// Prepares a filter that only tests single memories: it counts as one that admits many.
    ///
    /// # Errors
    /// Errors of the [`Filter`].
    pub(crate) fn of_single(tx: &Transaction<'_>, filter: &Filter<'a>) -> Result<Self> {
        let conditions = filter.conditions(tx)?;
        let joint =
            if conditions.values().is_empty() && conditions.sql().is_empty() { "WHERE" } else { "AND" };
        let number = conditions.values().len() + 1;
        let one = format!("SELECT m.rowid FROM {FROM}{} {joint} n.number = ?{number}", conditions.sql());
        let several =
            format!("SELECT n.number, m.rowid FROM {}{}", asked_for(&format!("?{number}")), conditions.sql());
        Ok(Self {
            filter: filter.clone(),
            conditions,
            one,
            several,
            start: None,
            tested: RowMap::default(),
            all: None,
        })
    }

    /// Whether the filter admits few enough memories to list all of them.
    #[must_use]
    pub(crate) fn is_few(&self) -> bool {
        self.start.is_some()
    }

    /// Whether the filter admits few memories because the domain contains few.
    #[must_use]
    pub(crate) fn is_few_of_domain(&self) -> bool {
        self.start.is_some_and(|start| start.by == Indexed::Column("domain"))
    }

    /// Tests several memories in one query, whose results later calls of [`FilterEvaluator::admits`] use.
    pub fn test(&mut self, tx: &Transaction<'_>, numbers: &[i64]) -> Result<()> {
        let asked: BTreeSet<i64> =
            numbers.iter().copied().filter(|number| !self.tested.contains_key(number)).collect();
        if self.all.is_some() || asked.is_empty() {
            return Ok(());
        }
        let mut statement = tx.prepare_cached(&self.several)?;
        let list = Value::Text(list(asked.iter().copied()));
        let found = statement
            .query_map(params_from_iter(self.conditions.values().iter().chain([&list])), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let mut admitted: BTreeMap<i64, i64> = found.collect::<rusqlite::Result<_>>()?;
        self.tested.extend(asked.into_iter().map(|number| (number, admitted.remove(&number))));
        Ok(())
    }

    /// Whether the filter admits this memory.
    pub fn admits(&mut self, tx: &Transaction<'_>, number: i64) -> Result<bool> {
        if let Some(all) = &self.all {
            return Ok(all.contains(&number));
        }
        if let Some(known) = self.tested.get(&number) {
            return Ok(known.is_some());
        }
        let values = self.conditions.values().iter().cloned().chain([Value::Integer(number)]);
        let row: Option<i64> =
            tx.prepare_cached(&self.one)?.query_row(params_from_iter(values), |row| row.get(0)).optional()?;
        self.tested.insert(number, row);
        Ok(row.is_some())
    }

    /// Takes over what an evaluator admitted whose filter admits less.
    pub(crate) fn learn_admitted(&mut self, narrower: &Self) {
        let admitted = narrower.tested.iter().filter(|(_, row)| row.is_some());
        self.tested.extend(admitted.map(|(number, row)| (*number, *row)));
    }

    /// Takes over what another evaluator has tested, if both have the same filter.
    pub(crate) fn learn_from_equal(&mut self, other: &Self) {
        if self.several == other.several && self.conditions.values() == other.conditions.values() {
            self.tested.extend(other.tested.iter().map(|(number, row)| (*number, *row)));
        }
    }

    /// Returns the row of a memory if it was admitted by a test.
    pub(crate) fn row_of(&self, number: i64) -> Option<i64> {
        self.tested.get(&number).copied().flatten()
    }

    /// Returns the rows of the full-text table whose memories the filter admits, with the memory's number by row. (A
    /// row's number changes with the text.)
    pub(crate) fn in_text_rows(&mut self, tx: &Transaction<'_>, rows: &[i64]) -> Result<RowMap<i64>> {
        const TABLES: &str = "CROSS JOIN memory_content_fts_content AS c ON c.id = asked.value
            CROSS JOIN MEMORY_NODES AS m ON m.id = c.c0";
        Ok(self.reached(tx, TABLES, rows)?.into_iter().collect())
    }

    /// Returns the admitted memories to which these tables, joined in this order, lead from the values `asked`: the
    /// value and the memory's number. One statement reads and tests them.
    pub(super) fn reached(
        &mut self,
        tx: &Transaction<'_>,
        tables: &str,
        asked: &[i64],
    ) -> Result<Vec<(i64, i64)>> {
        let (conditions, values) = match &self.all {
            None => (self.conditions.sql(), self.conditions.values()),
            Some(_) => (String::new(), &[][..]),
        };
        let mut statement = tx.prepare_cached(&format!(
            "SELECT asked.value, n.number, m.rowid FROM json_each(?{}) AS asked {tables}
             CROSS JOIN memory_numbers AS n ON n.id = m.id{conditions}",
            values.len() + 1
        ))?;
        let asked = [Value::Text(list(asked.iter().copied()))];
        let mut rows = statement.query(params_from_iter(values.iter().chain(&asked)))?;
        let mut reached = Vec::new();
        while let Some(row) = rows.next()? {
            let number = row.get(1)?;
            if self.all.as_ref().is_none_or(|all| all.contains(&number)) {
                reached.push((row.get(0)?, number));
                self.tested.insert(number, Some(row.get(2)?));
            }
        }
        Ok(reached)
    }

    /// Returns all memories that the filter admits. Slow if there are many; later tests need no query.
    pub fn all(&mut self, tx: &Transaction<'_>) -> Result<&HashSet<i64>> {
        if self.all.is_none() {
            let conditions = self.filter.conditions_of_all(tx)?;
            // Memories first: otherwise SQLite would look up the memory of each number, including those not admitted.
            let mut statement = tx.prepare_cached(&format!(
                "SELECT n.number FROM MEMORY_NODES AS m CROSS JOIN memory_numbers AS n ON n.id = m.id{}",
                conditions.sql()
            ))?;
            let rows = statement.query_map(params_from_iter(conditions.values()), |row| row.get(0))?;
            self.all = Some(rows.collect::<rusqlite::Result<_>>()?);
        }
        Ok(self.all.get_or_insert_default())
    }

    /// Returns all admitted memories, in any order, if they have been listed and are few.
    pub(crate) fn known_few(&self) -> impl Iterator<Item = i64> {
        self.all.iter().filter(|all| all.len() <= MAX_LISTED).flatten().copied()
    }
}

/// Returns SQL for the memories of a [`list`] of numbers, which is this parameter. The order of the tables is fixed: an
/// index of a condition would visit most of them.
pub(super) fn asked_for(parameter: &str) -> String {
    format!(
        "json_each({parameter}) AS asked CROSS JOIN memory_numbers AS n ON n.number = asked.value
         CROSS JOIN MEMORY_NODES AS m ON m.id = n.id"
    )
}

/// Returns the numbers whose memories were deleted.
pub(crate) fn deleted(tx: &Transaction<'_>, numbers: &[i64]) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT value FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM memory_numbers WHERE number = value)",
    )?;
    let rows = statement.query_map([list(numbers.iter().copied())], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Formats numbers as one parameter, so that the statement can be cached.
pub(super) fn list(numbers: impl Iterator<Item = i64>) -> String {
    let mut list = String::from("[");
    for (index, number) in numbers.enumerate() {
        // Writing to a text cannot fail.
        _ = write!(list, "{}{number}", if index > 0 { "," } else { "" });
    }
    list.push(']');
    list
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::{Database, Host};

    struct Still;

    impl Host for Still {
        fn now_millis(&self) -> i64 {
            0
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }

    #[test]
    fn evaluators_learn_only_what_holds_for_their_own_filters() -> Result<()> {
        limbic_vfs::register_vec0();
        let mut database = Database::open(Connection::open_in_memory()?, Box::new(Still), false)?;
        database.write(|tx| {
            crate::store::domains::create(tx, "general", "general", None)?;
            tx.execute_batch(
                "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, subject) VALUES
                    ('a', 'general', '', '1969-12-31T00:00:00.000Z', 'tea'),
                    ('b', 'general', '', '1969-12-31T00:00:00.000Z', 'rain')",
            )?;
            let (tea, any) = (Filter { subject: Some("tea"), ..Filter::default() }, Filter::default());
            let new = |filter| FilterEvaluator::of_single(tx, filter);
            let (mut narrow, mut wide) = (new(&tea)?, new(&any)?);
            narrow.test(tx, &[1, 2, 3])?;
            wide.learn_admitted(&narrow);
            assert_eq!((wide.row_of(1), wide.row_of(2)), (narrow.row_of(1), None));
            assert!(wide.admits(tx, 1)? && wide.admits(tx, 2)? && !wide.admits(tx, 3)?);
            let mut other = new(&tea)?;
            other.learn_from_equal(&wide);
            assert!(other.tested.is_empty());
            other.learn_from_equal(&narrow);
            assert_eq!(other.tested, narrow.tested);
            assert!(other.admits(tx, 1)? && !other.admits(tx, 2)?);
            Ok(())
        })
    }
}
