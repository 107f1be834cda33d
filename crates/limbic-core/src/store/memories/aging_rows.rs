//! What upkeep looks at: the fields by which memories age, without their texts.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use rusqlite::{OptionalExtension, Row, named_params, params};

use super::validity::Moment;
use crate::{
    Result, Transaction,
    model::{
        decay,
        memory_words::{Heat, MemoryType, Tier},
    },
    store::timestamps,
};

/// The fields by which a memory ages. Moments are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct Vitals {
    /// Its number.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// The confidence that is stored.
    pub confidence: f64,
    /// The moment that this is of.
    pub confident_millis: i64,
    /// When it was last used.
    pub used_millis: i64,
    /// Its type.
    pub memory_type: MemoryType,
    /// Whether it stays as it is.
    pub pinned: bool,
    /// How often it was found.
    pub access_count: u32,
    /// In how many sessions it was found.
    pub sessions: u32,
    /// `l0` to `l4`, or what another program has written.
    pub tier: String,
    /// `cold`, `warm` or `hot`, likewise.
    pub heat: String,
    /// From when on it is forgotten.
    pub expires_millis: Option<i64>,
    /// Since when another memory has taken its place.
    pub superseded_millis: Option<i64>,
}

impl Vitals {
    /// What it is trusted at a moment.
    #[must_use]
    pub fn effective_confidence(&self, now_millis: i64) -> f64 {
        let days = decay::days_between(self.confident_millis, now_millis);
        decay::effective_confidence(
            self.confidence,
            decay::half_life_days(self.memory_type),
            self.pinned,
            days,
            self.access_count,
        )
    }

    /// For how many days its confidence has been at the floor.
    #[must_use]
    pub fn days_at_floor(&self, now_millis: i64) -> f64 {
        if self.pinned {
            return 0.0;
        }
        let days = decay::days_between(self.confident_millis, now_millis);
        (days - decay::days_to_floor(self.confidence, self.memory_type, self.access_count)).max(0.0)
    }
}

/// Two memories of which the one contradicts the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Id of the one that is hidden.
    pub loser: String,
    /// Id of the one that stays.
    pub winner: String,
    /// Since when it is said that they contradict each other, in milliseconds since the Unix epoch.
    pub since_millis: i64,
    /// Whether the loser already names the winner as what took its place.
    pub is_settled: bool,
}

/// The vitals of all memories, or of one user's, by number.
///
/// # Errors
/// Those of the database.
pub fn vitals(tx: &Transaction<'_>, user_id: Option<&str>, mut take: impl FnMut(Vitals)) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT n.number, m.id, coalesce(m.confidence, 1.0),
            CAST(round(max(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec'),
                coalesce(unixepoch(m.confidence_at, 'subsec'), 0)) * 1000) AS INTEGER),
            CAST(round(unixepoch(coalesce(m.last_accessed, m.timestamp), 'subsec') * 1000) AS INTEGER),
            m.memory_type, coalesce(m.pinned, 0), coalesce(m.access_count, 0),
            (SELECT count(*) FROM memory_sessions WHERE memory_id = m.id), coalesce(m.tier, 'l4'),
            coalesce(m.heat, 'cold'), CAST(round(unixepoch(m.expires_at, 'subsec') * 1000) AS INTEGER),
            CASE WHEN m.superseded_by IS NOT NULL
                THEN CAST(round(unixepoch(m.valid_until, 'subsec') * 1000) AS INTEGER) END
         FROM memory_numbers AS n JOIN MEMORY_NODES AS m ON m.id = n.id
         WHERE ?1 IS NULL OR m.user_id = ?1 ORDER BY n.number",
    )?;
    let mut rows = statement.query([user_id])?;
    while let Some(row) = rows.next()? {
        take(load(row, tx.now_millis())?);
    }
    Ok(())
}

/// What another program has written that is no time counts as this moment.
fn load(row: &Row<'_>, now_millis: i64) -> rusqlite::Result<Vitals> {
    Ok(Vitals {
        number: row.get(0)?,
        id: row.get(1)?,
        confidence: row.get(2)?,
        confident_millis: row.get::<_, Option<i64>>(3)?.unwrap_or(now_millis),
        used_millis: row.get::<_, Option<i64>>(4)?.unwrap_or(now_millis),
        memory_type: MemoryType::of_row(row.get_ref(5)?.as_str()?),
        pinned: row.get(6)?,
        access_count: row.get(7)?,
        sessions: row.get(8)?,
        tier: row.get(9)?,
        heat: row.get(10)?,
        expires_millis: row.get(11)?,
        superseded_millis: row.get(12)?,
    })
}

/// A number for each of these memories, by id, that is another when its text or fields were changed or it was used
/// since; without those that are gone.
///
/// # Errors
/// Those of the database.
pub fn states<'a>(tx: &Transaction<'_>, ids: impl Iterator<Item = &'a str>) -> Result<HashMap<String, u64>> {
    let mut statement = tx.prepare_cached(
        "SELECT json_array(domain, content, content_summary, path, category, subject, source, memory_type, user_id,
            metadata, importance_score, confidence, confidence_at, pinned, tier, heat, expires_at, valid_until,
            superseded_by, last_accessed, access_count, updated_at)
         FROM MEMORY_NODES WHERE id = ?1",
    )?;
    let mut states = HashMap::new();
    for id in ids {
        if let Some(state) = statement.query_row([id], |row| row.get::<_, String>(0)).optional()? {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            states.insert(id.to_owned(), hasher.finish());
        }
    }
    Ok(states)
}

/// All memories that lost against one that contradicts them, by the loser's number.
///
/// # Errors
/// Those of the database.
pub fn contradictions(tx: &Transaction<'_>) -> Result<Vec<Contradiction>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.id, w.id, max(CAST(round(unixepoch(e.timestamp, 'subsec') * 1000) AS INTEGER)),
            m.superseded_by IS w.id
         FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS m ON m.id IN (e.source, e.target)
         JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
         JOIN memory_numbers AS n ON n.id = m.id
         WHERE {} GROUP BY m.id, w.id ORDER BY n.number, w.id",
        super::filter::is_lost(Moment::Present)
    ))?;
    let rows = statement.query_map(named_params! { ":now": timestamps::clock(tx)? }, |row| {
        Ok(Contradiction {
            loser: row.get(0)?,
            winner: row.get(1)?,
            since_millis: row.get::<_, Option<i64>>(2)?.unwrap_or_else(|| tx.now_millis()),
            is_settled: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores which memory took the place of this one.
///
/// # Errors
/// Those of the database.
pub fn set_superseded_by(tx: &Transaction<'_>, id: &str, successor: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET superseded_by = ?2 WHERE id = ?1")?
        .execute(params![id, successor])?;
    Ok(())
}

/// Stores the tier of a memory. A promotion is counted, with its moment `at`.
///
/// # Errors
/// Those of the database.
pub fn set_tier(tx: &Transaction<'_>, id: &str, tier: Tier, is_promotion: bool, at: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET tier = ?2, promotion_count = coalesce(promotion_count, 0) + ?3,
            last_promoted_at = CASE ?3 WHEN 0 THEN last_promoted_at ELSE ?4 END WHERE id = ?1",
    )?
    .execute(params![id, tier, u8::from(is_promotion), at])?;
    Ok(())
}

/// Stores the heat of a memory.
///
/// # Errors
/// Those of the database.
pub fn set_heat(tx: &Transaction<'_>, id: &str, heat: Heat) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET heat = ?2 WHERE id = ?1")?.execute(params![id, heat])?;
    Ok(())
}

/// Stores the confidence of a memory as it is at the moment `at`.
///
/// # Errors
/// Those of the database.
pub fn set_confidence(tx: &Transaction<'_>, id: &str, confidence: f64, at: &str) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET confidence = ?2, confidence_at = ?3 WHERE id = ?1")?
        .execute(params![id, confidence, at])?;
    Ok(())
}
