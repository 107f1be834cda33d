//! Evaluates a filter for single memories, for searches that test few of many.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::{Row, params_from_iter, types::Value};

use super::{
    FROM, Filter,
    index_selection::{Indexed, Start},
};
use crate::{Result, Transaction, store::conditions::Conditions};

/// Up to this number of admitted memories, comparing each of them is faster than testing the nearest.
const MAX_LISTED: usize = 2_000;

/// A filter prepared to test memories by number, for one state of the database.
pub struct FilterEvaluator<'a> {
    filter: Filter<'a>,
    conditions: Conditions,
    one: String,
    several: String,
    in_text_rows: String,
    start: Option<Start>,
    tested: HashMap<i64, bool>,
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
        let one = format!("SELECT 1 FROM {FROM}{} {joint} n.number = ?{number}", conditions.sql());
        let several =
            format!("SELECT n.number FROM {}{}", asked_for(&format!("?{number}")), conditions.sql());
        let in_text_rows = format!("{}{}", text_rows(&format!("?{number}")), conditions.sql());
        Ok(Self {
            filter: filter.clone(),
            conditions,
            one,
            several,
            in_text_rows,
            start: None,
            tested: HashMap::new(),
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
        self.tested.extend(asked.iter().map(|number| (*number, false)));
        let list = Value::Text(list(asked.into_iter()));
        let mut rows = statement.query(params_from_iter(self.conditions.values().iter().chain([&list])))?;
        while let Some(row) = rows.next()? {
            self.tested.insert(row.get(0)?, true);
        }
        Ok(())
    }

    /// Whether the filter admits this memory.
    pub fn admits(&mut self, tx: &Transaction<'_>, number: i64) -> Result<bool> {
        if let Some(all) = &self.all {
            return Ok(all.contains(&number));
        }
        if let Some(known) = self.tested.get(&number) {
            return Ok(*known);
        }
        let values = self.conditions.values().iter().cloned().chain([Value::Integer(number)]);
        let admits = tx.prepare_cached(&self.one)?.exists(params_from_iter(values))?;
        self.tested.insert(number, admits);
        Ok(admits)
    }

    /// Returns the rows of the full-text table whose memories the filter admits, with the memory's number by row. (A
    /// row's number changes with the text.)
    pub(crate) fn in_text_rows(&mut self, tx: &Transaction<'_>, rows: &[i64]) -> Result<HashMap<i64, i64>> {
        let asked = Value::Text(list(rows.iter().copied()));
        let number = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let Some(all) = &self.all else {
            let values = self.conditions.values().iter().chain([&asked]);
            let mut statement = tx.prepare_cached(&self.in_text_rows)?;
            let found = statement.query_map(params_from_iter(values), number)?;
            let found: HashMap<i64, i64> = found.collect::<rusqlite::Result<_>>()?;
            self.tested.extend(found.values().map(|number| (*number, true)));
            return Ok(found);
        };
        let mut statement = tx.prepare_cached(&text_rows("?1"))?;
        let found = statement.query_map([asked], number)?;
        let found: HashMap<i64, i64> = found.collect::<rusqlite::Result<_>>()?;
        Ok(found.into_iter().filter(|(_, number)| all.contains(number)).collect())
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

/// Returns SQL for the memories in a [`list`] of rows of the full-text table, which is this parameter, with those rows.
fn text_rows(parameter: &str) -> String {
    format!(
        "SELECT asked.value, n.number FROM json_each({parameter}) AS asked
         CROSS JOIN memory_content_fts_content AS c ON c.id = asked.value
         CROSS JOIN MEMORY_NODES AS m ON m.id = c.c0 CROSS JOIN memory_numbers AS n ON n.id = m.id"
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
    format!("[{}]", numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(","))
}
