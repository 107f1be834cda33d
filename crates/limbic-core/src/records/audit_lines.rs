//! Lines of the audit log as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, check_text, memory, record_times};
use crate::{Result, Transaction, store::logs::audit::Action};

/// A line of the audit log, in the order of the log. Lines about imports of files are not exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// When.
    pub at: String,
    /// Name of the action.
    pub action: String,
    /// Id of the memory, which may have been deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Owner of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number among several equal lines, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub n: u32,
}

fn first() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(n: &u32) -> bool {
    *n == first()
}

impl Record for AuditLine {
    const KIND: &'static str = "audit";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        let columns = ["seq", "at", "action", "memory_id", "user_id", "session_id", "reason"];
        if !tables.has("audit_log", &columns) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT {} AS moment, CAST(action AS TEXT), CAST(memory_id AS TEXT), CAST(user_id AS TEXT),
                 CAST(session_id AS TEXT), CAST(reason AS TEXT), row_number() OVER (
                     PARTITION BY at, action, memory_id, user_id, session_id, reason ORDER BY seq)
             FROM audit_log WHERE action <> ?1 AND moment IS NOT NULL AND (?2 IS NULL OR user_id = ?2) ORDER BY seq",
            record_times::memory_sql("at"),
        ))?;
        let mut rows = statement.query(params![Action::Import.name(), tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self {
                at: row.get(0)?,
                action: row.get(1)?,
                memory: row.get(2)?,
                user: row.get(3)?,
                session: row.get(4)?,
                reason: row.get(5)?,
                n: row.get(6)?,
            })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let Some(at) = record_times::of_memory(tx, Some(&self.at))? else {
            return Ok(Outcome::Refused(format!(
                "a time must have the form of 2026-01-02T03:04:05.678Z, but got {:?}",
                self.at
            )));
        };
        let names = [Some(&self.action), self.memory.as_ref(), self.user.as_ref(), self.session.as_ref()];
        let wrong = names.into_iter().flatten().find_map(|name| {
            check_name("a field of an audit line", name).or_else(|| memory::check_secret(name))
        });
        let reason = self.reason.as_deref();
        let wrong =
            wrong.or_else(|| check_text("a reason", reason?)).or_else(|| memory::check_secret(reason?));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let reason = reason.map(|reason| merger.storable(reason));
        let added = tx
            .prepare_cached(
                "INSERT INTO audit_log (at, action, memory_id, user_id, session_id, reason)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 > (SELECT count(*) FROM audit_log
                     WHERE memory_id IS ?3 AND at = ?1 AND action = ?2 AND user_id IS ?4 AND session_id IS ?5
                         AND reason IS ?6)",
            )?
            .execute(params![at, self.action, self.memory, self.user, self.session, reason, self.n])?;
        Ok(if added > 0 { Outcome::Added } else { Outcome::Known })
    }
}
