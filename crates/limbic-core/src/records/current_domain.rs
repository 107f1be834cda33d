//! The current domain as a record.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, record_times};
use crate::{
    Error, Result, Transaction,
    store::domains::{self, FIRST},
};

/// The current domain, and the memory that was stored last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentDomain {
    /// Id of the domain.
    pub domain: String,
    /// When it was last selected or written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
    /// Id of the memory that was stored last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_memory: Option<String>,
}

impl Record for CurrentDomain {
    const KIND: &'static str = "current_domain";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("PERSISTENCE", &["id", "currentDomain"]) || !tables.has("MEMORY_NODES", &["id"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(p.currentDomain AS TEXT), {}, (SELECT m.id FROM MEMORY_NODES AS m WHERE m.id = {})
             FROM PERSISTENCE AS p WHERE p.currentDomain IS NOT NULL ORDER BY p.id LIMIT 1",
            record_times::memory_sql(&tables.text("PERSISTENCE", "p", "lastAccess")),
            tables.text("PERSISTENCE", "p", "lastMemoryId"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self { domain: row.get(0)?, last_access: row.get(1)?, last_memory: row.get(2)? })?;
        }
        Ok(())
    }

    /// In an unused database, this domain becomes the default, and the initial domain is deleted unless it was imported
    /// as well. In any other database the default domain does not change.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let Some(domain) = domains::find(tx, &self.domain)? else {
            return Ok(Outcome::Refused(Error::DomainNotFound(self.domain.clone()).to_string()));
        };
        let (last_access, is_ahead) = record_times::recorded(tx, self.last_access.as_deref())?;
        let last_access = last_access.filter(|_| !is_ahead);
        let is_unused = merger.is_unused(tx)?;
        let changed = tx
            .prepare_cached(
                "UPDATE PERSISTENCE SET currentDomain = ?1, lastAccess = coalesce(?2, lastAccess),
                    lastMemoryId = (SELECT id FROM MEMORY_NODES WHERE id = ?3)
                 WHERE id = 1 AND (?4 OR currentDomain = ?1 AND ?2 > lastAccess)",
            )?
            .execute(params![domain, last_access, self.last_memory, is_unused])?;
        if is_unused && !merger.domains.contains(FIRST) {
            tx.prepare_cached(
                "DELETE FROM DOMAINS WHERE id = ?1
                 AND NOT EXISTS (SELECT 1 FROM PERSISTENCE WHERE currentDomain = ?1)
                 AND NOT EXISTS (SELECT 1 FROM MEMORY_NODES WHERE domain = ?1)
                 AND NOT EXISTS (SELECT 1 FROM MEMORY_EDGES WHERE domain = ?1)
                 AND NOT EXISTS (SELECT 1 FROM DOMAIN_REFS WHERE domain = ?1 OR targetDomain = ?1)",
            )?
            .execute([FIRST])?;
        }
        merger.used();
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
