//! Explicit mentions of entities by memories, as records. Mentions found in texts are computed again.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, entity::id_of, memory, missing};
use crate::{Result, Transaction};

/// An explicit link from a memory to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryMention {
    /// Id of the memory.
    pub memory: String,
    /// Name of the entity.
    pub entity: String,
}

impl Record for MemoryMention {
    const KIND: &'static str = "memory_mention";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("memory_entities", &["memory_id", "entity_id", "given"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(
            "SELECT g.memory_id, CAST(e.name AS TEXT) FROM memory_entities AS g
             JOIN MEMORY_NODES AS m ON m.id = g.memory_id JOIN entities AS e ON e.id = g.entity_id
             WHERE g.given ORDER BY m.rowid, e.id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { memory: row.get(0)?, entity: row.get(1)? })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        if merger.is_of_another_user(&self.memory) || !memory::exists(tx, &self.memory)? {
            return Ok(memory::missing(&self.memory));
        }
        let Some(entity) = id_of(tx, &self.entity)? else { return Ok(missing(&self.entity)) };
        let changed = tx
            .prepare_cached(
                "INSERT INTO memory_entities (memory_id, entity_id, given) VALUES (?1, ?2, 1)
                 ON CONFLICT DO UPDATE SET given = 1 WHERE NOT given",
            )?
            .execute(params![self.memory, entity])?;
        Ok(if changed > 0 { Outcome::Added } else { Outcome::Known })
    }
}
