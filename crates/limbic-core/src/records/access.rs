//! Access statistics of entities as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, entity::id_of, missing, record_times};
use crate::{Result, Transaction};

/// The access count of an entity, and when it was last accessed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Name of the entity.
    pub entity: String,
    /// Access count.
    pub count: i64,
    /// When it was last accessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Record for Access {
    const KIND: &'static str = "access";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("entity_access", &["entity_id", "access_count"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(e.name AS TEXT), coalesce({}, 0), {} FROM entity_access AS a
             JOIN entities AS e ON e.id = a.entity_id ORDER BY e.id",
            tables.integer("entity_access", "a", "access_count"),
            tables.text("entity_access", "a", "last_access"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { entity: row.get(0)?, count: row.get(1)?, last: row.get(2)? })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, _: &mut Merger) -> Result<Outcome> {
        let Some(id) = id_of(tx, &self.entity)? else { return Ok(missing(&self.entity)) };
        let changed = tx
            .prepare_cached(
                "INSERT INTO entity_access (entity_id, access_count, last_access)
                 VALUES (?1, ?2, coalesce(?3, datetime(?4, 'unixepoch')))
                 ON CONFLICT DO UPDATE SET access_count = max(access_count, ?2),
                     last_access = max(last_access, coalesce(?3, last_access))
                     WHERE ?2 > access_count OR ?3 > last_access",
            )?
            .execute(params![
                id,
                self.count.max(0),
                record_times::past(tx, self.last.as_deref())?,
                tx.now_seconds()
            ])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
