//! Relations as records, ended ones included.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{
    Merger, Outcome, Record, Tables, Take, check_name, check_text, entity::id_of, missing, record_times,
    weight,
};
use crate::{
    Error, Result, Transaction,
    model::timestamps::plain_form,
    store::{origins, vectors::embedding_queue},
};
use limbic_protocol::TextKind;

/// A relation between two entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// Name of its source.
    pub from: String,
    /// Type.
    pub relation_type: String,
    /// Name of its target.
    pub to: String,
    /// Reason or other context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Weight.
    #[serde(default = "one", with = "weight")]
    pub weight: f64,
    /// Whether it is active.
    #[serde(default = "yes")]
    pub active: bool,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it last became active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

/// The existing row.
struct StoredRow {
    id: i64,
    active: bool,
    created_at: String,
    valid_from: Option<String>,
    ended_at: Option<String>,
}

impl Record for Relation {
    const KIND: &'static str = "relation";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("relations", &["id", "from_entity", "to_entity", "relation_type"]) {
            return Ok(());
        }
        let column = |name| tables.text("relations", "r", name);
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(f.name AS TEXT), coalesce({}, ''), CAST(t.name AS TEXT), {}, coalesce({}, 1.0),
                 coalesce({}, 1), {}, {}, {}
             FROM relations AS r CROSS JOIN entities AS f ON f.id = r.from_entity
                 CROSS JOIN entities AS t ON t.id = r.to_entity ORDER BY r.id",
            column("relation_type"),
            column("context"),
            tables.real("relations", "r", "weight"),
            tables.integer("relations", "r", "active"),
            column("created_at"),
            column("valid_from"),
            column("ended_at"),
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self {
                from: row.get(0)?,
                relation_type: row.get(1)?,
                to: row.get(2)?,
                context: row.get(3)?,
                weight: row.get(4)?,
                active: row.get::<_, i64>(5)? != 0,
                created_at: row.get(6)?,
                valid_from: row.get(7)?,
                ended_at: row.get(8)?,
            })?;
        }
        Ok(())
    }

    /// The later event determines whether it is active: that it was ended, or that it became active.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = check_name("a relation type", &self.relation_type)
            .or_else(|| self.context.as_deref().and_then(|text| check_text("a context", text)))
            .or_else(|| merger.entity_name_secret(&self.from))
            .or_else(|| {
                let texts = [self.to.as_str(), &self.relation_type];
                merger.graph_secret(texts.into_iter().chain(self.context.as_deref()))
            });
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let Some(from) = id_of(tx, &self.from)? else { return Ok(missing(&self.from)) };
        let Some(to) = id_of(tx, &self.to)? else { return Ok(missing(&self.to)) };
        let record = self.with_past_times(tx)?;
        let outcome = match find(tx, from, to, &self.relation_type)? {
            None => {
                record.insert(tx, from, to)?;
                Outcome::Added
            }
            Some(known) => {
                // An end that is ahead of the clock ends nothing that is stored here.
                let ended_at = record_times::past(tx, self.ended_at.as_deref())?.map(str::to_owned);
                Self { ended_at, ..record }.update(tx, &known)?
            }
        };
        if outcome != Outcome::Known {
            embedding_queue::mark(tx, TextKind::Entity, from)?;
            embedding_queue::mark(tx, TextKind::Entity, to)?;
        }
        Ok(outcome)
    }
}

impl Relation {
    /// Returns it without times that are ahead of the clock, by which it would become active whenever it had ended; an
    /// end that is ahead counts as now.
    fn with_past_times(&self, tx: &Transaction<'_>) -> Result<Self> {
        let past = |text: &Option<String>| {
            Ok::<_, Error>(record_times::past(tx, text.as_deref())?.map(str::to_owned))
        };
        let ended_at = match past(&self.ended_at)? {
            None if record_times::valid(self.ended_at.as_deref()).is_some() => {
                Some(plain_form(tx.now_millis()))
            }
            ended_at => ended_at,
        };
        Ok(Self {
            created_at: past(&self.created_at)?,
            valid_from: past(&self.valid_from)?,
            ended_at,
            ..self.clone()
        })
    }

    fn insert(&self, tx: &Transaction<'_>, from: i64, to: i64) -> Result<()> {
        let created = record_times::valid(self.created_at.as_deref());
        tx.prepare_cached(
            "INSERT INTO relations (from_entity, to_entity, relation_type, context, weight, active, created_at,
                 valid_from, ended_at, origin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce(?7, datetime(?10, 'unixepoch')), ?8, ?9, ?11)",
        )?
        .execute(params![
            from,
            to,
            self.relation_type,
            self.context,
            Some(self.weight).filter(|weight| weight.is_finite()).unwrap_or(1.0),
            self.active,
            created,
            record_times::valid(self.valid_from.as_deref()),
            self.ended(),
            tx.now_seconds(),
            origins::of_writer(tx)?
        ])?;
        Ok(())
    }

    fn update(&self, tx: &Transaction<'_>, known: &StoredRow) -> Result<Outcome> {
        let created = record_times::valid(self.created_at.as_deref());
        let began = record_times::valid(self.valid_from.as_deref()).or(created);
        let known_began = known.valid_from.as_deref().unwrap_or(&known.created_at);
        let ends = known.active && self.ended().is_some_and(|ended| ended >= known_began);
        let begins = !known.active
            && self.active
            && began.is_some_and(|began| known.ended_at.as_deref().is_some_and(|ended| began > ended));
        let changed = tx
            .prepare_cached(
                "UPDATE relations SET active = CASE WHEN ?2 THEN 0 WHEN ?3 THEN 1 ELSE active END,
                     ended_at = CASE WHEN ?2 THEN ?4 WHEN ?3 THEN NULL ELSE ended_at END,
                     valid_from = iif(?3, ?5, iif(?7 < created_at, coalesce(valid_from, created_at), valid_from)),
                     context = coalesce(context, ?6), created_at = min(created_at, coalesce(?7, created_at))
                 WHERE id = ?1 AND (?2 OR ?3 OR context IS NULL AND ?6 IS NOT NULL OR ?7 < created_at)",
            )?
            .execute(params![
                known.id,
                ends,
                begins,
                self.ended(),
                began,
                self.context,
                created
            ])?;
        Ok(if changed > 0 { Outcome::Changed } else { Outcome::Known })
    }

    /// Returns when it ended; an active relation has no end, whatever the column contains.
    fn ended(&self) -> Option<&str> {
        record_times::valid(self.ended_at.as_deref()).filter(|_| !self.active)
    }
}

fn find(tx: &Transaction<'_>, from: i64, to: i64, relation_type: &str) -> Result<Option<StoredRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT id, active, created_at, valid_from, ended_at FROM relations
         WHERE from_entity = ?1 AND to_entity = ?2 AND relation_type = ?3",
    )?;
    let found = statement.query_row(params![from, to, relation_type], |row| {
        Ok(StoredRow {
            id: row.get(0)?,
            active: row.get(1)?,
            created_at: row.get(2)?,
            valid_from: row.get(3)?,
            ended_at: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}

/// Returns the row number of a relation, by the names of its ends.
pub(super) fn relation_id(
    tx: &Transaction<'_>,
    from: &str,
    relation_type: &str,
    to: &str,
) -> Result<Option<i64>> {
    let (Some(from), Some(to)) = (id_of(tx, from)?, id_of(tx, to)?) else { return Ok(None) };
    Ok(find(tx, from, to, relation_type)?.map(|known| known.id))
}
