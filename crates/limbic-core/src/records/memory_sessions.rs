//! Sessions that used memories, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, memory, record_times};
use crate::{Result, Transaction, store::timestamps};

/// The use of a memory by a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySession {
    /// Id of the memory.
    pub memory: String,
    /// The session.
    pub session: String,
    /// When the session last used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl Record for MemorySession {
    const KIND: &'static str = "memory_session";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("memory_sessions", &["memory_id", "session_id", "last_used"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT s.memory_id, s.session_id, {} FROM memory_sessions AS s
             JOIN MEMORY_NODES AS m ON m.id = s.memory_id WHERE ?1 IS NULL OR {} = ?1
             ORDER BY m.rowid, s.session_id",
            record_times::memory_sql("s.last_used"),
            tables.text("MEMORY_NODES", "m", "user_id"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self { memory: row.get(0)?, session: row.get(1)?, last: row.get(2)? })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = check_name("a session", &self.session).or_else(|| memory::check_secret(&self.session));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        if merger.is_of_another_user(&self.memory) || !memory::exists(tx, &self.memory)? {
            return Ok(memory::missing(&self.memory));
        }
        let (last, is_ahead) = record_times::recorded(tx, self.last.as_deref())?;
        let last = last.filter(|_| !is_ahead);
        let changed = tx
            .prepare_cached(
                "INSERT INTO memory_sessions (memory_id, session_id, last_used) VALUES (?1, ?2, coalesce(?3, ?4))
                 ON CONFLICT DO UPDATE SET last_used = ?3 WHERE ?3 > last_used",
            )?
            .execute(params![self.memory, self.session, last, timestamps::now(tx)?])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
