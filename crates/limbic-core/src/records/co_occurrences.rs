//! Co-occurrence of entities, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, entity::id_of, missing, record_times};
use crate::{Result, Transaction};

/// How often two entities were found together, and when last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoOccurrence {
    /// Name of the first entity.
    pub a: String,
    /// Name of the second entity.
    pub b: String,
    /// Count.
    pub count: i64,
    /// When last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Record for CoOccurrence {
    const KIND: &'static str = "co_occurrence";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("co_occurrences", &["entity_a_id", "entity_b_id", "co_count"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(a.name AS TEXT), CAST(b.name AS TEXT), CAST(c.co_count AS INTEGER), {}
             FROM co_occurrences AS c JOIN entities AS a ON a.id = c.entity_a_id
                 JOIN entities AS b ON b.id = c.entity_b_id ORDER BY a.id, b.id",
            tables.text("co_occurrences", "c", "last_co"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { a: row.get(0)?, b: row.get(1)?, count: row.get(2)?, last: row.get(3)? })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, _: &mut Merger) -> Result<Outcome> {
        let Some(a) = id_of(tx, &self.a)? else { return Ok(missing(&self.a)) };
        let Some(b) = id_of(tx, &self.b)? else { return Ok(missing(&self.b)) };
        if a == b {
            return Ok(Outcome::Known);
        }
        let changed = tx
            .prepare_cached(
                "INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
                 VALUES (?1, ?2, ?3, coalesce(?4, datetime(?5, 'unixepoch')))
                 ON CONFLICT DO UPDATE SET co_count = max(co_count, ?3), last_co = max(last_co, coalesce(?4, last_co))
                     WHERE ?3 > co_count OR ?4 > last_co",
            )?
            .execute(params![
                a.min(b),
                a.max(b),
                self.count.max(0),
                record_times::past(tx, self.last.as_deref())?,
                tx.now_seconds()
            ])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
