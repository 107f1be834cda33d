//! What ages a memory, without its text: to order many by what they are trusted.

use rusqlite::params_from_iter;

use super::{FROM, Filter};
use crate::{Result, Unit, maintain::life, search};

/// How much a memory counts beside what it says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// What it is trusted by now; see [`life::effective_confidence`].
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
#[derive(Debug, Clone, PartialEq)]
pub struct Age {
    /// Its number.
    pub number: i64,
    /// As stored.
    pub confidence: f64,
    /// One of [`MEMORY_TYPES`](super::MEMORY_TYPES).
    pub memory_type: String,
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
    /// How much the memory counts at a moment.
    #[must_use]
    pub fn standing(&self, now_millis: i64) -> Standing {
        let idle_millis = (now_millis - self.used_millis.unwrap_or(now_millis)).max(0);
        let days = life::days_between(self.confident_millis.unwrap_or(now_millis), now_millis);
        let freshness = if self.pinned { 1.0 } else { search::freshness(idle_millis / 1000, 0) };
        Standing {
            confidence: life::effective_confidence(
                self.confidence,
                &self.memory_type,
                self.pinned,
                days,
                self.access_count,
            ),
            importance: libm::sqrt(self.importance.max(0.0)),
            freshness,
        }
    }
}

/// What ages the memories that a filter lets in, by number.
///
/// # Errors
/// Those of the filter and of the database.
pub fn ages(unit: &Unit<'_>, filter: &Filter<'_>) -> Result<Vec<Age>> {
    let (conditions, _) = filter.conditions_of_all(unit)?;
    let mut statement = unit.prepare_cached(&format!(
        "SELECT n.number, coalesce(m.confidence, 1.0), m.memory_type, coalesce(m.pinned, 0),
            coalesce(m.access_count, 0), m.importance_score,
            CAST(round(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec') * 1000) AS INTEGER),
            CAST(round(max(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec'),
                coalesce(unixepoch(m.confidence_at, 'subsec'), 0)) * 1000) AS INTEGER)
         FROM {FROM}{} ORDER BY n.number",
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), |row| {
        Ok(Age {
            number: row.get(0)?,
            confidence: row.get(1)?,
            memory_type: row.get(2)?,
            pinned: row.get(3)?,
            access_count: row.get(4)?,
            importance: row.get(5)?,
            used_millis: row.get(6)?,
            confident_millis: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
