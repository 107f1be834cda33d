//! Reflections as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{
    Merger, Outcome, Record, Tables, Take, check_text, entity::id_of, record_times, relation::relation_id,
};
use crate::{
    Result, Transaction,
    store::{
        graph::reflections::{self, Target},
        memories::mentions,
        vectors::embedding_queue,
    },
};
use limbic_protocol::TextKind;

/// A reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflection {
    /// `entity`, `relation`, `session` or `global`.
    pub target_type: String,
    /// Name of the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Name of the relation's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Type of the relation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation_type: Option<String>,
    /// Name of the relation's target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The caller's own number of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    /// Author.
    #[serde(default = "sofia")]
    pub author: String,
    /// Mood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// The prose.
    pub content: String,
    /// When it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

fn sofia() -> String {
    "sofia".to_owned()
}

impl Record for Reflection {
    const KIND: &'static str = "reflection";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("reflections", &["id", "target_type", "target_id", "content"]) {
            return Ok(());
        }
        let column = |name| tables.text("reflections", "n", name);
        let mut statement = tables.connection().prepare(&format!(
            "SELECT n.target_type, CAST(e.name AS TEXT), CAST(f.name AS TEXT), CAST(r.relation_type AS TEXT),
                 CAST(t.name AS TEXT), {}, coalesce({}, 'sofia'), {}, {}, {}
             FROM reflections AS n
                 LEFT JOIN entities AS e ON n.target_type = 'entity' AND e.id = n.target_id
                 LEFT JOIN relations AS r ON n.target_type = 'relation' AND r.id = n.target_id
                 LEFT JOIN entities AS f ON f.id = r.from_entity
                 LEFT JOIN entities AS t ON t.id = r.to_entity
             ORDER BY n.id",
            tables.integer("reflections", "n", "target_id"),
            column("author"),
            column("mood"),
            column("content"),
            column("created_at"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let target_type: String = row.get(0)?;
            let session = if target_type == "session" { row.get(5)? } else { None };
            take(Self {
                target_type,
                entity: row.get(1)?,
                from: row.get(2)?,
                relation_type: row.get(3)?,
                to: row.get(4)?,
                session,
                author: row.get(6)?,
                mood: row.get(7)?,
                content: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
                created_at: row.get(9)?,
            })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = check_text("a reflection", &self.content)
            .or_else(|| check_text("an author", &self.author))
            .or_else(|| self.mood.as_deref().and_then(|mood| check_text("a mood", mood)))
            .or_else(|| self.secret(merger));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let target = match self.target(tx)? {
            Ok(target) => target,
            Err(reason) => return Ok(Outcome::Refused(reason)),
        };
        let created = record_times::past(tx, self.created_at.as_deref())?;
        if let Some(id) = self.known(tx, merger, target, created)? {
            merger.claim_reflection(&self.content, id);
            return Ok(Outcome::Known);
        }
        let mood = self.mood.as_deref();
        let added = reflections::insert(tx, target, &self.author, &self.content, mood, created)?;
        embedding_queue::mark(tx, TextKind::Reflection, added.id)?;
        if let Target::Entity(entity) = target {
            mentions::make_real(tx, entity)?;
        }
        merger.claim_reflection(&self.content, added.id);
        Ok(Outcome::Added)
    }
}

impl Reflection {
    /// Returns the reason why it cannot be stored because of a secret, if there is one.
    fn secret(&self, merger: &Merger) -> Option<String> {
        let names = [&self.entity, &self.from, &self.relation_type, &self.to, &self.mood];
        let texts = [&self.content, &self.author, &self.target_type];
        merger
            .graph_secret(texts.into_iter().chain(names.into_iter().flatten()).map(String::as_str))
            .or_else(|| merger.graph_secret_about(self.entity.as_deref().into_iter(), &self.content))
    }

    /// Returns its target, or the reason why there is none.
    fn target(&self, tx: &Transaction<'_>) -> Result<std::result::Result<Target, String>> {
        let gone = || Err(format!("The reflection is about an {} that is not there", self.target_type));
        Ok(match self.target_type.as_str() {
            "global" => Ok(Target::Global),
            "session" => Ok(Target::Session(self.session)),
            "entity" => match &self.entity {
                Some(name) => id_of(tx, name)?.map(Target::Entity).map_or_else(gone, Ok),
                None => gone(),
            },
            "relation" => match (&self.from, &self.relation_type, &self.to) {
                (Some(from), Some(relation_type), Some(to)) => {
                    relation_id(tx, from, relation_type, to)?.map(Target::Relation).map_or_else(
                        || Err("The reflection is about a relation that is not there".to_owned()),
                        Ok,
                    )
                }
                _ => Err("The reflection is about a relation that is not there".to_owned()),
            },
            other => Err(format!(
                "A reflection is about an entity, a relation, a session or global, not {other:?}"
            )),
        })
    }

    /// Returns the reflection with the same prose and target, and the same age if known.
    fn known(
        &self,
        tx: &Transaction<'_>,
        merger: &mut Merger,
        target: Target,
        created: Option<&str>,
    ) -> Result<Option<i64>> {
        let mut statement = tx.prepare_cached(
            "SELECT 1 FROM reflections WHERE id = ?7 AND target_type = ?1 AND target_id IS ?2 AND author = ?3
                 AND content = ?4 AND mood IS ?5 AND (?6 IS NULL OR created_at = ?6)",
        )?;
        for id in merger.reflections(tx, &self.content)? {
            let (kind, row) = (target.type_name(), target.id());
            let values = params![kind, row, self.author, self.content, self.mood, created, id];
            if statement.exists(values)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}
