//! Domains as records.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{
    Merger, Outcome, Record, Tables, Take, check_name, check_text, memory::check_secret, record_times,
};
use crate::{
    Error, Result, Transaction,
    store::{
        domains::{self, ALL, FIRST},
        id_validation,
    },
};

/// A domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// When it was last selected or written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
}

impl Record for Domain {
    const KIND: &'static str = "domain";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("DOMAINS", &["id", "name"]) || !tables.has("MEMORY_NODES", &["id", "domain"]) {
            return Ok(());
        }
        let moment = |name| record_times::memory_sql(&tables.text("DOMAINS", "d", name));
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(d.id AS TEXT), CAST(d.name AS TEXT), {}, {} AS made, {} FROM DOMAINS AS d
             WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM MEMORY_NODES AS m WHERE m.domain = d.id AND {} = ?1)
             ORDER BY made, d.id",
            tables.text("DOMAINS", "d", "description"),
            moment("created"),
            moment("lastAccess"),
            tables.text("MEMORY_NODES", "m", "user_id"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self {
                id: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                name: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                description: row.get(2)?,
                created: row.get(3)?,
                last_access: row.get(4)?,
            })?;
        }
        Ok(())
    }

    /// Of two states, the one with the later use is kept. The initial domain of an unused database takes the state of
    /// the record; a name that only repeats the id is replaced.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let canonical = domains::canonical(&self.id);
        let wrong = match &*canonical {
            "" => Some("a domain's id must not be empty".to_owned()),
            ALL => Some("a domain's id is \"*\", which stands for all domains".to_owned()),
            id if !id_validation::is_plain(id) => {
                Some("a domain's id holds control, bidirectional or invisible characters".to_owned())
            }
            _ => None,
        };
        let wrong = wrong
            .or_else(|| check_name("a domain's id", &self.id))
            .or_else(|| check_name("a domain's name", &self.name))
            .or_else(|| self.description.as_deref().and_then(|text| check_text("a description", text)))
            .or_else(|| check_secret(&self.id))
            .or_else(|| check_secret(&self.name))
            .or_else(|| self.description.as_deref().and_then(check_secret));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let id = domains::find(tx, &self.id)?.unwrap_or_else(|| canonical.into_owned());
        let is_first = merger.is_unused(tx)? && id == FIRST && !merger.domains.contains(FIRST);
        merger.domains.insert(id.clone());
        let past = |text: &Option<String>| {
            let (time, is_ahead) = record_times::recorded(tx, text.as_deref())?;
            Ok::<_, Error>(time.filter(|_| !is_ahead))
        };
        let created = past(&self.created)?;
        let last_access = past(&self.last_access)?.or_else(|| created.clone());
        let known: Option<(String, String)> = tx
            .prepare_cached("SELECT name, lastAccess FROM DOMAINS WHERE id = ?1")?
            .query_row([&id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((name, used)) = known else {
            let (created, last_access) = (created.as_deref(), last_access.as_deref());
            domains::insert(tx, &id, &self.name, self.description.as_deref(), created, last_access)?;
            return Ok(Outcome::Added);
        };
        if is_first {
            tx.prepare_cached(
                "UPDATE DOMAINS SET name = ?2, description = ?3, created = coalesce(?4, created),
                    lastAccess = coalesce(?5, lastAccess) WHERE id = ?1",
            )?
            .execute(params![id, self.name, self.description, created, last_access])?;
            return Ok(Outcome::Changed);
        }
        let is_later = last_access.as_ref().is_some_and(|moment| *moment > used) || name == id;
        let changed = tx
            .prepare_cached(
                "UPDATE DOMAINS SET name = iif(?6, ?2, name), description = iif(?6, ?3, description),
                    created = min(created, coalesce(?4, created)), lastAccess = max(lastAccess, coalesce(?5, lastAccess))
                 WHERE id = ?1 AND (?6 AND (name IS NOT ?2 OR description IS NOT ?3) OR ?4 < created OR ?5 > lastAccess)",
            )?
            .execute(params![id, self.name, self.description, created, last_access, is_later])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}
