//! What ages a memory, without its text: to order many by what they are trusted.

use std::collections::BTreeMap;

use rusqlite::{Row, params_from_iter};

use super::{Filter, filter_evaluator};
use crate::{
    Result, Transaction,
    model::{decay, memory_words::MemoryType, usage},
    store::timestamps,
};

/// How much a memory counts beside what it says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// What it is trusted by now; see [`decay::effective_confidence`].
    pub confidence: f64,
    /// The square root of its importance.
    pub importance: f64,
    /// How fresh it is: 0.1 to 1; what is pinned stays fresh.
    pub freshness: f64,
}

impl Standing {
    /// All of it as one factor.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.confidence * self.importance * self.freshness
    }
}

/// What ages a memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Age {
    /// As stored.
    pub confidence: f64,
    /// After so many days half of the confidence is gone.
    pub half_life_days: f64,
    /// Whether it does not age.
    pub pinned: bool,
    /// How often it was found.
    pub access_count: u32,
    /// 0 to 10.
    pub importance: f64,
    /// When it was last found, or stored.
    pub used_millis: Option<i64>,
    /// The moment that its confidence is of.
    pub confident_millis: Option<i64>,
}

impl Age {
    /// What the memory is trusted at a moment; see [`decay::effective_confidence`].
    #[must_use]
    pub fn effective_confidence(&self, now_millis: i64) -> f64 {
        let days = decay::days_between(self.confident_millis.unwrap_or(now_millis), now_millis);
        decay::effective_confidence(
            self.confidence,
            self.half_life_days,
            self.pinned,
            days,
            self.access_count,
        )
    }

    /// How much the memory counts at a moment.
    #[must_use]
    pub fn standing(&self, now_millis: i64) -> Standing {
        let idle_millis = (now_millis - self.used_millis.unwrap_or(now_millis)).max(0);
        let freshness = if self.pinned { 1.0 } else { usage::freshness(idle_millis / 1000, 0) };
        Standing {
            confidence: self.effective_confidence(now_millis),
            importance: libm::sqrt(self.importance.max(0.0)),
            freshness,
        }
    }
}

const COLUMNS: &str = "coalesce(m.confidence, 1.0), m.memory_type, coalesce(m.pinned, 0),
    coalesce(m.access_count, 0), m.importance_score, coalesce(m.last_accessed, m.timestamp), m.confidence_at";

/// Reads [`COLUMNS`], which begin with this one.
fn load(tx: &Transaction<'_>, row: &Row<'_>, first: usize) -> Result<Age> {
    let used_millis = timestamps::to_millis(tx, row.get_ref(first + 5)?)?;
    let confident_millis = timestamps::to_millis(tx, row.get_ref(first + 6)?)?.unwrap_or(0);
    let memory_type = row.get_ref(first + 1)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(Age {
        confidence: row.get(first)?,
        half_life_days: decay::half_life_days(MemoryType::of_row(memory_type)),
        pinned: row.get(first + 2)?,
        access_count: row.get(first + 3)?,
        importance: row.get(first + 4)?,
        used_millis,
        confident_millis: used_millis.map(|used| used.max(confident_millis)),
    })
}

/// Tells what ages each memory that a filter lets in, with its row, in any order.
///
/// # Errors
/// Those of the filter and of the database.
pub fn each_age(tx: &Transaction<'_>, filter: &Filter<'_>, mut tell: impl FnMut(i64, Age)) -> Result<()> {
    let (conditions, _) = filter.conditions_of_all(tx)?;
    let mut statement =
        tx.prepare_cached(&format!("SELECT m.rowid, {COLUMNS} FROM MEMORY_NODES AS m{}", conditions.sql()))?;
    let mut rows = statement.query(params_from_iter(conditions.values()))?;
    while let Some(row) = rows.next()? {
        tell(row.get(0)?, load(tx, row, 1)?);
    }
    Ok(())
}

/// What ages these memories, with their ids, by number; without those that are gone.
///
/// # Errors
/// Those of the database.
pub fn ages_of(tx: &Transaction<'_>, numbers: &[i64]) -> Result<BTreeMap<i64, (String, Age)>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT n.number, m.id, {COLUMNS} FROM {}",
        filter_evaluator::asked_for("?1")
    ))?;
    let mut rows = statement.query([filter_evaluator::list(numbers.iter().copied())])?;
    let mut ages = BTreeMap::new();
    while let Some(row) = rows.next()? {
        ages.insert(row.get(0)?, (row.get(1)?, load(tx, row, 2)?));
    }
    Ok(ages)
}
