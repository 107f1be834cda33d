//! Entities as records.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, check_text, record_times};
use crate::{
    Error, Result, Transaction,
    model::{entity_status::EntityStatus, text},
    store::{graph::entities, memories::mentions, origins},
};

/// An entity without its observations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(default = "generic")]
    pub entity_type: String,
    /// Status.
    #[serde(default = "active")]
    pub status: String,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it was last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

fn generic() -> String {
    "Generic".to_owned()
}

fn active() -> String {
    EntityStatus::Active.word().to_owned()
}

impl Record for Entity {
    const KIND: &'static str = "entity";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("entities", &["id", "name"]) {
            return Ok(());
        }
        let column = |name| tables.text("entities", "e", name);
        let mut statement = tables.connection().prepare(&format!(
            "SELECT {}, coalesce({}, 'Generic'), coalesce({}, '{}'), {}, {}, {}, {}
             FROM entities AS e ORDER BY e.id",
            column("name"),
            column("entity_type"),
            column("status"),
            EntityStatus::Active.word(),
            column("description"),
            column("user_id"),
            column("created_at"),
            column("updated_at"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self {
                name: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                entity_type: row.get(1)?,
                status: row.get(2)?,
                description: row.get(3)?,
                user_id: row.get(4)?,
                created_at: row.get(5)?,
                updated_at: row.get(6)?,
            })?;
        }
        Ok(())
    }

    /// Of two states, the one changed later is kept; a placeholder never replaces an entity.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        if let Some(reason) = self.wrong(merger) {
            return Ok(Outcome::Refused(reason));
        }
        let record = self.with_past_times(tx)?;
        let (id, outcome) = match merger.recognise(tx, &record.name)? {
            None => (record.insert(tx)?, Outcome::Added),
            Some(existing) => {
                if let Some(reason) = record.secret_beside(tx, merger, &existing)? {
                    return Ok(Outcome::Refused(reason));
                }
                (existing.id, record.update(tx, &existing)?)
            }
        };
        merger.mark_seen(id);
        if outcome != Outcome::Known {
            merger.mark_changed(id);
        }
        Ok(outcome)
    }
}

impl Entity {
    /// Returns it without times that are ahead of the clock, by which it would replace every later state.
    fn with_past_times(&self, tx: &Transaction<'_>) -> Result<Self> {
        let past = |text: &Option<String>| {
            Ok::<_, Error>(record_times::past(tx, text.as_deref())?.map(str::to_owned))
        };
        Ok(Self { created_at: past(&self.created_at)?, updated_at: past(&self.updated_at)?, ..self.clone() })
    }

    /// Returns the reason why it cannot be stored, whatever is stored already, if there is one.
    pub fn wrong(&self, merger: &mut Merger) -> Option<String> {
        let texts =
            [Some(&self.entity_type), Some(&self.status), self.description.as_ref(), self.user_id.as_ref()];
        check_name("a name", &self.name)
            .or_else(|| check_text("a type", &self.entity_type))
            .or_else(|| check_text("a status", &self.status))
            .or_else(|| self.description.as_deref().and_then(|text| check_text("a description", text)))
            .or_else(|| self.user_id.as_deref().and_then(|text| check_text("a user's name", text)))
            .or_else(|| merger.entity_name_secret(&self.name))
            .or_else(|| merger.graph_secret(texts.into_iter().flatten().map(String::as_str)))
            .or_else(|| self.secret_of_type(merger, &self.entity_type, self.description.as_deref()))
    }

    /// Returns the reason why a description cannot be stored because the name or a type makes it a secret.
    fn secret_of_type(
        &self,
        merger: &Merger,
        entity_type: &str,
        description: Option<&str>,
    ) -> Option<String> {
        merger.graph_secret_about([self.name.as_str(), entity_type].into_iter(), description?)
    }

    /// As [`Entity::secret_of_type`], for the type and the description after a merge with an existing entity.
    fn secret_beside(
        &self,
        tx: &Transaction<'_>,
        merger: &Merger,
        existing: &entities::Entity,
    ) -> Result<Option<String>> {
        let stored: Option<String> = tx
            .prepare_cached("SELECT description FROM entities WHERE id = ?1")?
            .query_row([existing.id], |row| row.get(0))?;
        let given = self.description.as_deref();
        let is_later = self.is_later_than(existing);
        let entity_type = if is_later { &self.entity_type } else { &existing.entity_type };
        let description = if is_later { given.or(stored.as_deref()) } else { stored.as_deref().or(given) };
        let is_changed = *entity_type != existing.entity_type || description != stored.as_deref();
        Ok(is_changed.then(|| self.secret_of_type(merger, entity_type, description)).flatten())
    }

    /// Whether it replaces the state of an existing entity.
    fn is_later_than(&self, existing: &entities::Entity) -> bool {
        let updated = record_times::valid(self.updated_at.as_deref())
            .or_else(|| record_times::valid(self.created_at.as_deref()));
        existing.is_placeholder()
            || (self.status != EntityStatus::Placeholder.word()
                && updated.is_some_and(|time| time >= existing.updated_at.as_str()))
    }

    fn insert(&self, tx: &Transaction<'_>) -> Result<i64> {
        let created = record_times::valid(self.created_at.as_deref());
        let updated = record_times::valid(self.updated_at.as_deref());
        tx.prepare_cached(
            "INSERT INTO entities (name, entity_type, status, description, user_id, created_at, updated_at, origin)
             VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, ?7, datetime(?8, 'unixepoch')),
                 coalesce(?7, ?6, datetime(?8, 'unixepoch')), ?9)",
        )?
        .execute(params![
            self.name,
            self.entity_type,
            self.status,
            self.description,
            self.user_id,
            created,
            updated,
            tx.now_seconds(),
            origins::of_writer(tx)?
        ])?;
        let id = tx.last_insert_rowid();
        mentions::new_entity(tx, id, &self.name)?;
        Ok(id)
    }

    fn update(&self, tx: &Transaction<'_>, existing: &entities::Entity) -> Result<Outcome> {
        let created = record_times::valid(self.created_at.as_deref());
        let updated = record_times::valid(self.updated_at.as_deref()).or(created);
        let is_later = self.is_later_than(existing);
        let changed = tx
            .prepare_cached(
                "UPDATE entities SET
                     entity_type = iif(?2, ?3, entity_type), status = iif(?2, ?4, status),
                     description = iif(?2, coalesce(?5, description), coalesce(description, ?5)),
                     user_id = iif(?2, coalesce(?6, user_id), coalesce(user_id, ?6)),
                     created_at = min(created_at, coalesce(?7, created_at)),
                     updated_at = max(updated_at, coalesce(?8, updated_at))
                 WHERE id = ?1 AND (
                     ?2 AND (entity_type IS NOT ?3 OR status IS NOT ?4
                         OR ?5 IS NOT NULL AND description IS NOT ?5 OR ?6 IS NOT NULL AND user_id IS NOT ?6)
                     OR description IS NULL AND ?5 IS NOT NULL OR user_id IS NULL AND ?6 IS NOT NULL
                     OR ?7 < created_at OR ?8 > updated_at)",
            )?
            .execute(params![
                existing.id,
                is_later,
                self.entity_type,
                self.status,
                self.description,
                self.user_id,
                created,
                updated
            ])?;
        if existing.is_placeholder() && self.status != EntityStatus::Placeholder.word() {
            entities::set_origin(tx, existing.id)?;
            mentions::new_entity(tx, existing.id, &existing.name)?;
        }
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }
}

/// Returns the row number of the entity of this name.
pub(super) fn id_of(tx: &Transaction<'_>, name: &str) -> Result<Option<i64>> {
    for spelling in text::spellings(name) {
        let found = tx
            .prepare_cached("SELECT id FROM entities WHERE name = ?1")?
            .query_row([spelling], |row| row.get(0))
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
