//! Settings of the database as records, such as tuned values.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, check_secret, check_text};
use crate::{Result, Transaction};

/// A named value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Name.
    pub key: String,
    /// Value.
    pub value: String,
}

impl Record for Setting {
    const KIND: &'static str = "setting";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("db_metadata", &["key", "value"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(
            "SELECT CAST(key AS TEXT), CAST(value AS TEXT) FROM db_metadata
             WHERE key IS NOT NULL AND value IS NOT NULL ORDER BY key",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { key: row.get(0)?, value: row.get(1)? })?;
        }
        Ok(())
    }

    /// Existing settings are kept: they were tuned with the use of this memory.
    fn merge(&self, tx: &Transaction<'_>, _: &mut Merger) -> Result<Outcome> {
        let wrong = check_name("a setting", &self.key)
            .or_else(|| check_text("the value of a setting", &self.value))
            .or_else(|| check_secret(&self.key))
            .or_else(|| check_secret(&self.value));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let changed = tx
            .prepare_cached("INSERT INTO db_metadata (key, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![self.key, self.value])?;
        Ok(if changed > 0 { Outcome::Added } else { Outcome::Known })
    }
}
