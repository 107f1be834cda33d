//! Accesses to entities per day, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, entity::id_of, missing, record_times};
use crate::{Result, Transaction};

/// The access count of an entity on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessDay {
    /// Name of the entity.
    pub entity: String,
    /// `YYYY-MM-DD`.
    pub day: String,
    /// Access count.
    pub count: i64,
}

impl Record for AccessDay {
    const KIND: &'static str = "access_day";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("entity_access_log", &["entity_id", "access_date", "access_count"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(
            "SELECT CAST(e.name AS TEXT), CAST(a.access_date AS TEXT), CAST(a.access_count AS INTEGER)
             FROM entity_access_log AS a JOIN entities AS e ON e.id = a.entity_id ORDER BY e.id, a.access_date",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { entity: row.get(0)?, day: row.get(1)?, count: row.get(2)? })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, _: &mut Merger) -> Result<Outcome> {
        if !record_times::is_day(&self.day) {
            return Ok(Outcome::Refused(format!(
                "a day must be a date such as 2026-01-02, but got {:?}",
                self.day
            )));
        }
        let Some(id) = id_of(tx, &self.entity)? else { return Ok(missing(&self.entity)) };
        let changed = tx
            .prepare_cached(
                "INSERT INTO entity_access_log (entity_id, access_date, access_count) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET access_count = ?3 WHERE ?3 > access_count",
            )?
            .execute(params![id, self.day, self.count.max(0)])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
