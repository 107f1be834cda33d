//! State of an import across records.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::{Params, params};

use limbic_guard::redact_personal;

use super::memory::{check_secret, check_secret_by_topics};
use crate::{
    Result, Transaction,
    model::text,
    store::{
        domains::FIRST,
        graph::{entities, entity_fts},
        origins::Origin,
        vectors::embedding_queue,
    },
};
use limbic_protocol::TextKind;

/// The state of an import. Each row matches at most one record of the import, because a memory may contain the same
/// text twice.
#[derive(Default)]
pub struct Merger {
    /// Entities whose full-text rows and vectors must be updated.
    changed: BTreeSet<i64>,
    /// Entities by the names that this import uses.
    seen: HashSet<i64>,
    /// Row numbers of reflections by a hash of their prose; `None` if other programs may have changed them since.
    prose: Option<HashMap<u64, Vec<i64>>>,
    /// Reflections that matched a record of this import.
    reflections: HashSet<i64>,
    /// Ids of the domains of this import.
    pub(super) domains: HashSet<String>,
    /// Whether the database held no memories before this import; `None` while that is unknown.
    unused: Option<bool>,
    /// The entity that the last observation belongs to.
    pub(super) opened: Option<Opened>,
    /// Removes personal data from metadata; `None` if nothing is removed.
    redact_json: Option<RedactJson>,
    /// The import as an origin; `None` if imported memories need no review.
    import: Option<Origin>,
    /// Rows of the history that keep what this import has replaced, by memory, until the file's own history says it.
    provisional: HashMap<String, i64>,
    /// Ids of records that here are those of memories of another user.
    of_another_user: HashSet<String>,
    /// Whether the graph may hold secrets.
    keeps_graph_secrets: bool,
    /// The name of an entity that was scanned last, and the reason why it cannot be stored, if there is one.
    scanned_name: Option<(String, Option<String>)>,
}

/// Removes personal data from JSON text, which this crate does not parse.
pub type RedactJson = fn(&str) -> String;

/// The entity whose observations are being merged: its observations are consecutive.
pub(super) struct Opened {
    name: String,
    pub id: i64,
    /// Its type.
    pub entity_type: String,
    /// Row numbers of its observations by a hash of their text; `None` if other programs may have changed them since.
    texts: Option<HashMap<u64, Vec<i64>>>,
    /// Row numbers by the numbers in the import.
    pub numbers: HashMap<i64, i64>,
    /// Rows that matched a record.
    pub claimed: HashSet<i64>,
    /// Rows by the number that they supersede, which has not been read yet.
    pub waiting: HashMap<i64, Vec<i64>>,
}

impl Merger {
    /// With `redact_json`, personal data in memories is redacted, and with this function in their metadata.
    #[must_use]
    pub fn new(redact_json: Option<RedactJson>) -> Self {
        Self { redact_json, ..Self::default() }
    }

    /// Sets the import as the origin of imported memories, which then wait for review.
    #[must_use]
    pub fn of_import(self, import: Option<Origin>) -> Self {
        Self { import, ..self }
    }

    /// Sets whether the graph may hold secrets, because the tools that write it do not refuse them.
    #[must_use]
    pub fn keeping_graph_secrets(self, keeps_graph_secrets: bool) -> Self {
        Self { keeps_graph_secrets, ..self }
    }

    /// Returns the reason why texts of the graph cannot be stored because one contains a secret, if that is so.
    pub fn graph_secret<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Option<String> {
        if self.keeps_graph_secrets { None } else { texts.into_iter().find_map(check_secret) }
    }

    /// Returns the reason why a text of the graph cannot be stored because a topic makes it a secret, if that is so.
    pub fn graph_secret_about<'a>(
        &self,
        topics: impl Iterator<Item = &'a str> + Clone,
        text: &'a str,
    ) -> Option<String> {
        if self.keeps_graph_secrets { None } else { check_secret_by_topics(topics, [text]) }
    }

    /// As [`Merger::graph_secret`], for the name of an entity that many records in a row may have.
    pub(super) fn entity_name_secret(&mut self, name: &str) -> Option<String> {
        match &self.scanned_name {
            Some((scanned, reason)) if scanned == name => reason.clone(),
            _ => {
                let reason = self.graph_secret([name]);
                self.scanned_name = Some((name.to_owned(), reason.clone()));
                reason
            }
        }
    }

    /// Returns the import as an origin.
    #[must_use]
    pub fn import(&self) -> Option<&Origin> {
        self.import.as_ref()
    }

    /// Records that a row of the history keeps the state of a memory that this import has replaced.
    pub(super) fn keep_provisionally(&mut self, id: &str, row: i64) {
        self.provisional.insert(id.to_owned(), row);
    }

    /// Returns the last row of a memory's history that this import has kept provisionally.
    pub(super) fn provisional(&self, id: &str) -> Option<i64> {
        self.provisional.get(id).copied()
    }

    /// Records that a memory of this import has the id of a memory of another user.
    pub(super) fn mark_of_another_user(&mut self, id: &str) {
        self.of_another_user.insert(id.to_owned());
    }

    /// Whether a memory of this import has the id of a memory of another user, so that what else the import says about
    /// it is not about that one.
    pub(super) fn is_of_another_user(&self, id: &str) -> bool {
        self.of_another_user.contains(id)
    }

    /// Returns the function that redacts metadata, if memories are redacted.
    pub(super) fn redacts(&self) -> Option<RedactJson> {
        self.redact_json
    }

    /// Returns a text of a memory as it is stored.
    pub(super) fn storable<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.redact_json.is_some() { redact_personal(text) } else { Cow::Borrowed(text) }
    }

    /// Updates full-text index and embedding queue. Must be called at the end of every transaction; other programs may
    /// write afterwards.
    pub fn flush(&mut self, tx: &Transaction<'_>) -> Result<()> {
        for id in std::mem::take(&mut self.changed) {
            entity_fts::index_entity(tx, id)?;
            embedding_queue::mark(tx, TextKind::Entity, id)?;
        }
        if let Some(opened) = &mut self.opened {
            opened.texts = None;
        }
        self.prose = None;
        Ok(())
    }

    /// Returns the entity for a name: the one with exactly this spelling, or else one with an equivalent spelling that
    /// no other name of this import has. Must be followed by [`Merger::mark_seen`].
    pub fn recognise(&self, tx: &Transaction<'_>, name: &str) -> Result<Option<entities::Entity>> {
        if let Some(entity) = entities::find_exact(tx, name)? {
            return Ok(Some(entity));
        }
        Ok(entities::find(tx, name)?.filter(|entity| !self.seen.contains(&entity.id)))
    }

    /// Records that a name of the import refers to this entity. Returns whether it is the first such name.
    pub fn mark_seen(&mut self, id: i64) -> bool {
        self.seen.insert(id)
    }

    /// Records that the name, type or an observation of this entity has changed.
    pub(super) fn mark_changed(&mut self, id: i64) {
        self.changed.insert(id);
    }

    /// Returns the reflections that may have this prose, oldest first, without matched ones.
    pub(super) fn reflections(&mut self, tx: &Transaction<'_>, content: &str) -> Result<Vec<i64>> {
        let prose = match self.prose.take() {
            Some(prose) => prose,
            None => texts_of(tx, "SELECT id, content FROM reflections ORDER BY id", params![])?,
        };
        let found = self.prose.insert(prose).get(&hash(&text::compose(content)));
        Ok(found.into_iter().flatten().filter(|id| !self.reflections.contains(id)).copied().collect())
    }

    /// Records that a record matched this reflection, or was written to it.
    pub(super) fn claim_reflection(&mut self, content: &str, id: i64) {
        self.reflections.insert(id);
        let ids = self.prose.get_or_insert_default().entry(hash(&text::compose(content))).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    /// Whether this import is the first to store memories: the only domain is the initial one.
    pub(super) fn is_unused(&mut self, tx: &Transaction<'_>) -> Result<bool> {
        if let Some(unused) = self.unused {
            return Ok(unused);
        }
        let unused = tx
            .prepare_cached(
                "SELECT 1 FROM PERSISTENCE JOIN DOMAINS AS d ON d.id = currentDomain
                 WHERE d.id = ?1 AND created = d.lastAccess AND lastMemoryId IS NULL
                 AND NOT EXISTS (SELECT 1 FROM MEMORY_NODES WHERE domain = ?1)",
            )?
            .exists([FIRST])?;
        Ok(*self.unused.insert(unused))
    }

    /// Records that the database contains memories.
    pub(super) fn used(&mut self) {
        self.unused = Some(false);
    }

    /// Returns the entity of this name with its observations loaded.
    pub(super) fn open(&mut self, tx: &Transaction<'_>, name: &str) -> Result<Option<&mut Opened>> {
        if self.opened.as_ref().is_none_or(|opened| opened.name != name || opened.texts.is_none()) {
            let Some(entity) = entities::find(tx, name)? else { return Ok(None) };
            let before = self.opened.take().filter(|opened| opened.id == entity.id && opened.name == name);
            let opened = before.unwrap_or_else(|| Opened {
                name: name.to_owned(),
                id: entity.id,
                entity_type: entity.entity_type.clone(),
                texts: None,
                numbers: HashMap::new(),
                claimed: HashSet::new(),
                waiting: HashMap::new(),
            });
            let sql = "SELECT id, content FROM observations WHERE entity_id = ?1 ORDER BY id";
            let texts = texts_of(tx, sql, params![entity.id])?;
            self.opened = Some(Opened { texts: Some(texts), ..opened });
        }
        Ok(self.opened.as_mut())
    }
}

impl Opened {
    /// Returns the rows that may have this text, oldest first, without matched ones, which are forgotten: a file may
    /// have the same text a hundred thousand times.
    pub(super) fn candidates(&mut self, composed: &str) -> Vec<i64> {
        let found = self.texts.as_mut().and_then(|texts| texts.get_mut(&hash(composed)));
        let Some(found) = found else { return Vec::new() };
        found.retain(|id| !self.claimed.contains(id));
        found.clone()
    }

    /// Records that a row was written.
    pub(super) fn wrote(&mut self, composed: &str, id: i64) {
        if let Some(texts) = &mut self.texts {
            texts.entry(hash(composed)).or_default().push(id);
        }
    }
}

fn texts_of(tx: &Transaction<'_>, sql: &str, values: impl Params) -> Result<HashMap<u64, Vec<i64>>> {
    let mut statement = tx.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut texts: HashMap<u64, Vec<i64>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let content = row.get_ref(1)?.as_str().unwrap_or_default();
        texts.entry(hash(&text::compose(content))).or_default().push(row.get(0)?);
    }
    Ok(texts)
}

fn hash(composed: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    composed.hash(&mut hasher);
    hasher.finish()
}
