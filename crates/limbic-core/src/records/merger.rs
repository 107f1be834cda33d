//! State of an import across records.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::{Params, params};

use limbic_guard::redact_personal;

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

/// The state of an import. Rows that a record was recognised in are not offered to another one: a memory may hold
/// the same text twice.
#[derive(Default)]
pub struct Merger {
    /// Entities whose full-text rows and vectors must be updated.
    changed: BTreeSet<i64>,
    /// Entities that names of this import mean.
    met: HashSet<i64>,
    /// Row numbers of reflections by a hash of their prose; `None` when others may have changed them since.
    prose: Option<HashMap<u64, Vec<i64>>>,
    /// Reflections that records of this import were recognised in.
    reflections: HashSet<i64>,
    /// Ids of the domains of this import.
    pub(super) domains: HashSet<String>,
    /// Whether the database held no memories before this import; `None` while that is unknown.
    unused: Option<bool>,
    /// The entity that the last observation belongs to.
    pub(super) opened: Option<Opened>,
    /// Removes personal data from metadata; `None` if nothing is removed.
    redact_json: Option<RedactJson>,
    /// The import as an origin; `None` if what it brings is not to wait for a person.
    import: Option<Origin>,
}

/// Removes personal data from JSON text, which this crate does not parse.
pub type RedactJson = fn(&str) -> String;

/// An entity whose observations are being merged: they stand together.
pub(super) struct Opened {
    name: String,
    pub id: i64,
    /// Row numbers of its observations by a hash of their text; `None` when others may have changed them since.
    texts: Option<HashMap<u64, Vec<i64>>>,
    /// Row numbers by the numbers of the import.
    pub numbers: HashMap<i64, i64>,
    /// Rows that records were recognised in.
    pub claimed: HashSet<i64>,
    /// Rows that supersede a number which has not come yet.
    pub waiting: Vec<(i64, i64)>,
}

impl Merger {
    /// With `redact_json`, personal data is taken out of memories, and by it out of their metadata.
    #[must_use]
    pub fn new(redact_json: Option<RedactJson>) -> Self {
        Self { redact_json, ..Self::default() }
    }

    /// Names the import as the origin of what it brings, which waits for a person then.
    #[must_use]
    pub fn of_import(self, import: Option<Origin>) -> Self {
        Self { import, ..self }
    }

    /// The import as an origin.
    #[must_use]
    pub fn import(&self) -> Option<&Origin> {
        self.import.as_ref()
    }

    /// What takes personal data out of metadata, where it is to be taken out of memories.
    pub(super) fn redacts(&self) -> Option<RedactJson> {
        self.redact_json
    }

    /// A text of a memory, as it is to be stored.
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

    /// The entity that a name means: one that is spelled so, or else in another way which no other name of this import
    /// has. Follow up with [`Merger::met`].
    pub fn recognise(&self, tx: &Transaction<'_>, name: &str) -> Result<Option<entities::Entity>> {
        if let Some(entity) = entities::find_exact(tx, name)? {
            return Ok(Some(entity));
        }
        Ok(entities::find(tx, name)?.filter(|entity| !self.met.contains(&entity.id)))
    }

    /// This entity is the one that a name of the import means. Answers whether it is the first such name.
    pub fn met(&mut self, id: i64) -> bool {
        self.met.insert(id)
    }

    /// The name, type or an observation of this entity has changed.
    pub(super) fn mark_changed(&mut self, id: i64) {
        self.changed.insert(id);
    }

    /// Reflections that may have this prose, oldest first, those claimed left out.
    pub(super) fn reflections(&mut self, tx: &Transaction<'_>, content: &str) -> Result<Vec<i64>> {
        let prose = match self.prose.take() {
            Some(prose) => prose,
            None => texts_of(tx, "SELECT id, content FROM reflections ORDER BY id", params![])?,
        };
        let found = self.prose.insert(prose).get(&hash(&text::compose(content)));
        Ok(found.into_iter().flatten().filter(|id| !self.reflections.contains(id)).copied().collect())
    }

    /// A record was recognised in this reflection, or written to it.
    pub(super) fn claim_reflection(&mut self, content: &str, id: i64) {
        self.reflections.insert(id);
        let ids = self.prose.get_or_insert_default().entry(hash(&text::compose(content))).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    /// Whether this import is the first to bring memories: there is only the domain that every database starts with.
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

    /// The database holds memories from this point on.
    pub(super) fn used(&mut self) {
        self.unused = Some(false);
    }

    /// The entity of this name, with its observations at hand.
    pub(super) fn open(&mut self, tx: &Transaction<'_>, name: &str) -> Result<Option<&mut Opened>> {
        if self.opened.as_ref().is_none_or(|opened| opened.name != name || opened.texts.is_none()) {
            let Some(entity) = entities::find(tx, name)? else { return Ok(None) };
            let before = self.opened.take().filter(|opened| opened.id == entity.id && opened.name == name);
            let opened = before.unwrap_or_else(|| Opened {
                name: name.to_owned(),
                id: entity.id,
                texts: None,
                numbers: HashMap::new(),
                claimed: HashSet::new(),
                waiting: Vec::new(),
            });
            let sql = "SELECT id, content FROM observations WHERE entity_id = ?1 ORDER BY id";
            let texts = texts_of(tx, sql, params![entity.id])?;
            self.opened = Some(Opened { texts: Some(texts), ..opened });
        }
        Ok(self.opened.as_mut())
    }
}

impl Opened {
    /// Rows that may hold this text, oldest first, those claimed left out.
    pub(super) fn candidates(&self, composed: &str) -> Vec<i64> {
        let found = self.texts.as_ref().and_then(|texts| texts.get(&hash(composed)));
        found.into_iter().flatten().filter(|id| !self.claimed.contains(id)).copied().collect()
    }

    /// A row has been written.
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
