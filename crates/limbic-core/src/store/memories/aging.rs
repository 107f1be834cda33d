//! The fields that decay depends on, without texts, for ranking and maintenance of many memories.

use rusqlite::{Row, named_params, params, params_from_iter};

use super::{
    filter::{self, Filter},
    filter_evaluator::{self, FilterEvaluator},
    stated,
    validity::ValidAt,
};
use crate::{
    Result, Transaction,
    model::{
        age::Age,
        decay,
        memory_words::{Heat, MemoryType, Tier},
        row_map::RowMap,
        words::Word,
    },
    store::timestamps,
};

const COLUMNS: &str = "coalesce(m.confidence, 1.0), m.memory_type, coalesce(m.pinned, 0),
    coalesce(m.access_count, 0), m.importance_score, coalesce(m.last_accessed, m.timestamp), m.confidence_at";

/// Reads [`COLUMNS`], which begin with this one.
fn load(tx: &Transaction<'_>, row: &Row<'_>, first: usize) -> Result<Age> {
    let used_millis = timestamps::to_millis(tx, row.get_ref(first + 5)?)?;
    let confident_millis = timestamps::to_millis(tx, row.get_ref(first + 6)?)?.unwrap_or(0);
    let memory_type: Word<MemoryType> = row.get(first + 1)?;
    Ok(Age {
        confidence: row.get(first)?,
        half_life_days: decay::half_life_days(memory_type.or_semantic()),
        pinned: row.get(first + 2)?,
        access_count: row.get(first + 3)?,
        importance: row.get(first + 4)?,
        used_millis,
        confident_millis: used_millis.map(|used| used.max(confident_millis)),
    })
}

/// Passes the age of each memory that a filter admits to `take`, with its row, in any order.
///
/// # Errors
/// Errors of the filter.
pub(crate) fn each_age(
    tx: &Transaction<'_>,
    filter: &Filter<'_>,
    mut take: impl FnMut(i64, Age),
) -> Result<()> {
    let conditions = filter.conditions_of_all(tx)?;
    let mut statement =
        tx.prepare_cached(&format!("SELECT m.rowid, {COLUMNS} FROM MEMORY_NODES AS m{}", conditions.sql()))?;
    let mut rows = statement.query(params_from_iter(conditions.values()))?;
    while let Some(row) = rows.next()? {
        take(row.get(0)?, load(tx, row, 1)?);
    }
    Ok(())
}

/// Returns the ages of these memories, by number; deleted ones are omitted. Those that the evaluator admitted are read
/// by the row that it found.
pub(crate) fn ages_of(
    tx: &Transaction<'_>,
    numbers: &[i64],
    evaluator: &FilterEvaluator<'_>,
) -> Result<RowMap<Age>> {
    let (mut rows, mut others) = (RowMap::default(), Vec::new());
    for number in numbers.iter().copied() {
        match evaluator.row_of(number) {
            Some(row) => _ = rows.insert(row, number),
            None => others.push(number),
        }
    }
    let mut ages = RowMap::default();
    if !rows.is_empty() {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT m.rowid, {COLUMNS} FROM json_each(?1) AS asked
             CROSS JOIN MEMORY_NODES AS m ON m.rowid = asked.value"
        ))?;
        let mut found = statement.query([filter_evaluator::list(rows.keys().copied())])?;
        while let Some(row) = found.next()? {
            if let Some(number) = rows.get(&row.get(0)?) {
                ages.insert(*number, load(tx, row, 1)?);
            }
        }
    }
    if !others.is_empty() {
        let tables = filter_evaluator::asked_for("?1");
        let mut statement = tx.prepare_cached(&format!("SELECT n.number, {COLUMNS} FROM {tables}"))?;
        let mut found = statement.query([filter_evaluator::list(others.into_iter())])?;
        while let Some(row) = found.next()? {
            ages.insert(row.get(0)?, load(tx, row, 1)?);
        }
    }
    Ok(ages)
}

/// The fields that maintenance uses: age, tier and heat, without the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgingRow {
    /// Its number.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// The fields that decay depends on.
    pub age: Age,
    /// Its type.
    pub memory_type: MemoryType,
    /// Number of sessions in which it was found.
    pub sessions: u32,
    /// Retention: `l0`, always loaded, to `l4`.
    pub tier: Word<Tier>,
    /// How much it is used: cold, warm or hot.
    pub heat: Word<Heat>,
    /// When it expires, in milliseconds since the Unix epoch.
    pub expires_millis: Option<i64>,
    /// When another memory superseded it, in milliseconds since the Unix epoch.
    pub superseded_millis: Option<i64>,
}

impl AgingRow {
    /// Returns the number of days for which its confidence has been at the floor.
    #[must_use]
    pub(crate) fn days_at_floor(&self, now_millis: i64) -> f64 {
        let Age { pinned, confidence, access_count, .. } = self.age;
        if pinned {
            return 0.0;
        }
        let days = decay::days_between(self.age.confident_millis.unwrap_or(now_millis), now_millis);
        (days - decay::days_to_floor(confidence, self.memory_type, access_count)).max(0.0)
    }
}

/// Two memories of which one contradicts the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Id of the one that is hidden.
    pub loser: String,
    /// Id of the one that is shown.
    pub winner: String,
    /// Since when it is hidden at the earliest, in milliseconds since the Unix epoch: when the contradiction was
    /// recorded, or when the winner was last stated, if that was later.
    pub since_millis: i64,
    /// Whether the winner is already stored as the loser's successor.
    pub is_recorded: bool,
}

/// Passes the row of each memory, or of each of one user's, to `take`, by number.
pub(crate) fn each_aging_row(
    tx: &Transaction<'_>,
    user_id: Option<&str>,
    mut take: impl FnMut(AgingRow),
) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT n.number, m.id, coalesce(m.confidence, 1.0),
            CAST(round(max(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec'),
                coalesce(unixepoch(m.confidence_at, 'subsec'), 0)) * 1000) AS INTEGER),
            CAST(round(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec') * 1000) AS INTEGER),
            m.memory_type, coalesce(m.pinned, 0), coalesce(m.access_count, 0),
            (SELECT count(*) FROM memory_sessions WHERE memory_id = m.id), coalesce(m.tier, 'l4'),
            coalesce(m.heat, 'cold'), CAST(round(unixepoch(m.expires_at, 'subsec') * 1000) AS INTEGER),
            CASE WHEN m.superseded_by IS NOT NULL
                THEN CAST(round(unixepoch(m.valid_until, 'subsec') * 1000) AS INTEGER) END, m.importance_score
         FROM memory_numbers AS n JOIN MEMORY_NODES AS m ON m.id = n.id
         WHERE ?1 IS NULL OR m.user_id = ?1 ORDER BY n.number",
    )?;
    let mut rows = statement.query([user_id])?;
    while let Some(row) = rows.next()? {
        take(load_row(row)?);
    }
    Ok(())
}

fn load_row(row: &Row<'_>) -> rusqlite::Result<AgingRow> {
    let memory_type = row.get::<_, Word<MemoryType>>(5)?.or_semantic();
    Ok(AgingRow {
        number: row.get(0)?,
        id: row.get(1)?,
        age: Age {
            confidence: row.get(2)?,
            half_life_days: decay::half_life_days(memory_type),
            pinned: row.get(6)?,
            access_count: row.get(7)?,
            importance: row.get(13)?,
            used_millis: row.get(4)?,
            confident_millis: row.get(3)?,
        },
        memory_type,
        sessions: row.get(8)?,
        tier: row.get(9)?,
        heat: row.get(10)?,
        expires_millis: row.get(11)?,
        superseded_millis: row.get(12)?,
    })
}

/// Returns all memories that are hidden by a contradiction, by the loser's number.
pub(crate) fn contradictions(tx: &Transaction<'_>) -> Result<Vec<Contradiction>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.id, w.id, max(CAST(round(max(unixepoch(e.timestamp, 'subsec'), unixepoch({}, 'subsec')) * 1000)
            AS INTEGER)), m.superseded_by IS w.id
         FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS m ON m.id IN (e.source, e.target)
         JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
         JOIN memory_numbers AS n ON n.id = m.id
         WHERE {} GROUP BY m.id, w.id ORDER BY n.number, w.id",
        stated::at("w", ValidAt::Now),
        filter::is_lost(ValidAt::Now)
    ))?;
    let rows = statement.query_map(named_params! { ":now": tx.now_text() }, |row| {
        Ok(Contradiction {
            loser: row.get(0)?,
            winner: row.get(1)?,
            since_millis: row.get::<_, Option<i64>>(2)?.unwrap_or_else(|| tx.now_millis()),
            is_recorded: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores which memory superseded this one.
pub(crate) fn set_superseded_by(tx: &Transaction<'_>, id: &str, successor: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET superseded_by = ?2 WHERE id = ?1")?
        .execute(params![id, successor])?;
    // An earlier version, for which confidence decided, may have recorded the opposite.
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET superseded_by = NULL
         WHERE id = ?2 AND superseded_by = ?1 AND valid_until IS NULL",
    )?
    .execute(params![id, successor])?;
    Ok(())
}

/// Stores the tier of a memory. A promotion is counted, with its moment `at`.
pub(crate) fn set_tier(
    tx: &Transaction<'_>,
    id: &str,
    tier: Tier,
    is_promotion: bool,
    at: &str,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET tier = ?2, promotion_count = coalesce(promotion_count, 0) + ?3,
            last_promoted_at = CASE ?3 WHEN 0 THEN last_promoted_at ELSE ?4 END WHERE id = ?1",
    )?
    .execute(params![id, tier, u8::from(is_promotion), at])?;
    Ok(())
}

/// Stores the heat of a memory.
pub(crate) fn set_heat(tx: &Transaction<'_>, id: &str, heat: Heat) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET heat = ?2 WHERE id = ?1")?.execute(params![id, heat])?;
    Ok(())
}

/// Stores the confidence of a memory as of the time `at`.
pub(crate) fn set_confidence(tx: &Transaction<'_>, id: &str, confidence: f64, at: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET confidence = ?2, confidence_at = ?3 WHERE id = ?1")?
        .execute(params![id, confidence, at])?;
    Ok(())
}
