//! Observations as records, superseded ones included.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_text, merger::Opened, missing, record_times};
use crate::{
    Result, Transaction,
    model::{text, timestamps::plain_form},
    mutations::similarity_flags,
    store::{
        memories::mentions,
        origins,
        vectors::{embedding_queue, embeddings},
    },
};
use limbic_protocol::TextKind;

/// An observation. Those of one entity are consecutive, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Name of its entity.
    pub entity: String,
    /// Its index among the observations of its entity, from 1, by which others of the entity refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<i64>,
    /// The text.
    pub content: String,
    /// Kind of fact.
    #[serde(default = "generic")]
    pub kind: String,
    /// When it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it was superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_at: Option<String>,
    /// Index of the observation that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<i64>,
}

fn generic() -> String {
    "generic".to_owned()
}

/// A row with the same text.
struct StoredRow {
    id: i64,
    created_at: String,
    superseded_at: Option<String>,
    is_flagged: bool,
}

impl Record for Observation {
    const KIND: &'static str = "observation";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("observations", &["id", "entity_id", "content"]) {
            return Ok(());
        }
        let column = |name| tables.text("observations", "o", name);
        let supersedes = tables.integer("observations", "o", "supersedes");
        let mut statement = tables.connection().prepare(&format!(
            "SELECT o.entity_id, CAST(e.name AS TEXT), {}, coalesce({}, 'generic'), {}, {}, {supersedes}
             FROM observations AS o CROSS JOIN entities AS e ON e.id = o.entity_id ORDER BY o.entity_id, o.id",
            column("content"),
            column("kind"),
            column("created_at"),
            column("superseded_at"),
        ))?;
        let mut rows = statement.query([])?;
        let mut ids_of =
            tables.connection().prepare("SELECT id FROM observations WHERE entity_id = ?1 ORDER BY id")?;
        let mut place: (i64, i64) = (0, 0);
        // The ids of the observations of an entity in which one supersedes another.
        let mut ids: Option<(i64, Vec<i64>)> = None;
        while let Some(row) = rows.next()? {
            let entity_id = row.get(0)?;
            place = if place.0 == entity_id { (entity_id, place.1 + 1) } else { (entity_id, 1) };
            let superseded: Option<i64> = row.get(6)?;
            if superseded.is_some() && ids.as_ref().is_none_or(|(entity, _)| *entity != entity_id) {
                let found = ids_of.query_map([entity_id], |row| row.get(0))?;
                ids = Some((entity_id, found.collect::<rusqlite::Result<_>>()?));
            }
            let place_of = |id| {
                let at = ids.as_ref()?.1.binary_search(&id).ok()?;
                i64::try_from(at + 1).ok()
            };
            take(Self {
                entity: row.get(1)?,
                n: Some(place.1),
                content: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                kind: row.get(3)?,
                created_at: row.get(4)?,
                superseded_at: row.get(5)?,
                supersedes: superseded.and_then(place_of),
            })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = check_text("an observation", &self.content)
            .or_else(|| check_text("a kind", &self.kind))
            .or_else(|| merger.entity_name_secret(&self.entity))
            .or_else(|| merger.graph_secret([self.content.as_str(), &self.kind]))
            .or_else(|| merger.graph_secret_about(std::iter::once(self.entity.as_str()), &self.content));
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        let entity_type = merger.open(tx, &self.entity)?.map(|opened| opened.entity_type.clone());
        let topics = entity_type.iter().map(String::as_str);
        if let Some(reason) = merger.graph_secret_about(topics, &self.content) {
            return Ok(Outcome::Refused(reason));
        }
        let Some(opened) = merger.open(tx, &self.entity)? else { return Ok(missing(&self.entity)) };
        let entity_id = opened.id;
        let composed = text::compose(&self.content);
        let created = record_times::past(tx, self.created_at.as_deref())?;
        let (id, outcome) = match self.recognise(tx, opened, &composed, created)? {
            None => {
                let id = self.insert(tx, entity_id, created)?;
                opened.wrote(&composed, id);
                (id, Outcome::Added)
            }
            Some(known) if self.superseded_at.is_some() && known.superseded_at.is_none() => {
                self.supersede(tx, entity_id, &known)?;
                (known.id, Outcome::Changed)
            }
            Some(known) => (known.id, Outcome::Known),
        };
        opened.claimed.insert(id);
        self.link(tx, opened, id)?;
        if outcome != Outcome::Known {
            merger.mark_changed(entity_id);
        }
        Ok(outcome)
    }
}

impl Observation {
    /// Returns the row that matches: one with the same text and age, in the same state if possible; or, for a current
    /// observation, a current one of any age.
    fn recognise(
        &self,
        tx: &Transaction<'_>,
        opened: &mut Opened,
        composed: &str,
        created: Option<&str>,
    ) -> Result<Option<StoredRow>> {
        let mut rows = Vec::new();
        for id in opened.candidates(composed) {
            rows.extend(load(tx, id, composed)?);
        }
        let same_age = |row: &StoredRow| created == Some(row.created_at.as_str());
        let same_state = |row: &StoredRow| row.superseded_at.is_some() == self.superseded_at.is_some();
        let best = |row: &StoredRow| {
            if same_age(row) && row.superseded_at == self.superseded_at {
                Some(0)
            } else if same_age(row) && same_state(row) {
                Some(1)
            } else if same_age(row) {
                Some(2)
            } else if same_state(row) && (created.is_none() || self.superseded_at.is_none()) {
                Some(3)
            } else {
                None
            }
        };
        Ok(rows
            .into_iter()
            .filter_map(|row| best(&row).map(|rank| (rank, row)))
            .min_by_key(|found| found.0)
            .map(|it| it.1))
    }

    fn insert(&self, tx: &Transaction<'_>, entity_id: i64, created: Option<&str>) -> Result<i64> {
        tx.prepare_cached(
            "INSERT INTO observations (entity_id, content, kind, created_at, superseded_at, origin)
             VALUES (?1, ?2, ?3, coalesce(?4, datetime(?6, 'unixepoch')),
                 iif(?7, coalesce(?5, ?4, datetime(?6, 'unixepoch')), NULL), ?8)",
        )?
        .execute(params![
            entity_id,
            self.content,
            self.kind,
            created,
            self.superseded(tx)?,
            tx.now_seconds(),
            self.superseded_at.is_some(),
            origins::of_writer(tx)?
        ])?;
        let id = tx.last_insert_rowid();
        if self.superseded_at.is_none() {
            embedding_queue::mark(tx, TextKind::Observation, id)?;
        }
        mentions::make_real(tx, entity_id)?;
        Ok(id)
    }

    /// Returns when it was superseded; now if that is ahead of the clock, and `None` if the time is invalid.
    fn superseded(&self, tx: &Transaction<'_>) -> Result<Option<String>> {
        let valid = record_times::valid(self.superseded_at.as_deref());
        Ok(match record_times::past(tx, valid)? {
            None => valid.map(|_| plain_form(tx.now_millis())),
            time => time.map(str::to_owned),
        })
    }

    fn supersede(&self, tx: &Transaction<'_>, entity_id: i64, known: &StoredRow) -> Result<()> {
        tx.prepare_cached(
            "UPDATE observations SET superseded_at = coalesce(?2, created_at), similarity_flag = 0 WHERE id = ?1",
        )?
        .execute(params![known.id, self.superseded(tx)?])?;
        embeddings::forget(tx, TextKind::Observation, known.id)?;
        if known.is_flagged { similarity_flags::duplicate_removed(tx, entity_id) } else { Ok(()) }
    }

    /// Converts indexes to row numbers. A superseded observation may come later than its successor.
    fn link(&self, tx: &Transaction<'_>, opened: &mut Opened, id: i64) -> Result<()> {
        if let Some(number) = self.n {
            opened.numbers.insert(number, id);
            for newer in opened.waiting.remove(&number).unwrap_or_default() {
                set_supersedes(tx, newer, id)?;
            }
        }
        match self.supersedes.map(|old| (old, opened.numbers.get(&old).copied())) {
            None => Ok(()),
            Some((_, Some(old_id))) => set_supersedes(tx, id, old_id),
            Some((old, None)) => {
                opened.waiting.entry(old).or_default().push(id);
                Ok(())
            }
        }
    }
}

/// Sets what this row supersedes, unless it is set. Other programs may have deleted either row since.
fn set_supersedes(tx: &Transaction<'_>, id: i64, old_id: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE observations AS o SET supersedes = ?2 WHERE id = ?1 AND id <> ?2 AND supersedes IS NULL
         AND EXISTS (SELECT 1 FROM observations AS p WHERE p.id = ?2 AND p.entity_id = o.entity_id)",
    )?
    .execute([id, old_id])?;
    Ok(())
}

fn load(tx: &Transaction<'_>, id: i64, composed: &str) -> Result<Option<StoredRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT content, created_at, superseded_at, similarity_flag FROM observations WHERE id = ?1",
    )?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if text::compose(row.get_ref(0)?.as_str().unwrap_or_default()) != composed {
        return Ok(None);
    }
    Ok(Some(StoredRow {
        id,
        created_at: row.get(1)?,
        superseded_at: row.get(2)?,
        is_flagged: row.get::<_, i64>(3)? != 0,
    }))
}
