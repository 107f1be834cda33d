//! What memories said before, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, memories, moments, weight};
use crate::{Result, Unit, store::time};

/// An earlier text of a memory. Those of one memory stand in the order of their age.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryHistory {
    /// Id of the memory.
    pub memory: String,
    /// The text.
    pub content: String,
    /// How far it was trusted when it was replaced.
    #[serde(default = "memories::one", with = "weight")]
    pub confidence: f64,
    /// Until when it stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at: Option<String>,
}

impl Record for MemoryHistory {
    const KIND: &'static str = "memory_history";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("memory_history", &["seq", "memory_id", "content", "replaced_at"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT h.memory_id, h.content, coalesce({}, 1.0), {} FROM memory_history AS h
             JOIN MEMORY_NODES AS m ON m.id = h.memory_id WHERE ?1 IS NULL OR {} = ?1 ORDER BY h.seq",
            tables.real("memory_history", "h", "confidence"),
            moments::sql("h.replaced_at"),
            tables.text("MEMORY_NODES", "m", "user_id"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self {
                memory: row.get(0)?,
                content: row.get(1)?,
                confidence: row.get(2)?,
                replaced_at: row.get(3)?,
            })?;
        }
        Ok(())
    }

    fn merge(&self, unit: &Unit<'_>, merger: &mut Merger) -> Result<Outcome> {
        if let Some(reason) =
            memories::check_content(&self.content).or_else(|| memories::check_confidence(self.confidence))
        {
            return Ok(Outcome::Refused(reason));
        }
        if !memories::exists(unit, &self.memory)? {
            return Ok(memories::missing(&self.memory));
        }
        let replaced_at = moments::read(unit, self.replaced_at.as_deref())?;
        let added = unit
            .prepare_cached(
                "INSERT INTO memory_history (memory_id, content, confidence, replaced_at)
                 SELECT ?1, ?2, ?3, coalesce(?4, ?5) WHERE NOT EXISTS (SELECT 1 FROM memory_history
                     WHERE memory_id = ?1 AND content = ?2 AND (?4 IS NULL OR replaced_at = ?4))",
            )?
            .execute(params![
                self.memory,
                merger.storable(&self.content),
                self.confidence,
                replaced_at,
                time::now(unit)?
            ])?;
        Ok(if added > 0 { Outcome::Added } else { Outcome::Known })
    }
}
