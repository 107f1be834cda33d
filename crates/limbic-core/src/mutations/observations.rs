//! Adding, superseding and deleting observations, with the entity's index, embeddings and similarity flags.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use limbic_protocol::TextKind;

use super::{entities::text_changed, similarity_flags};
use crate::{
    Error, Result, Transaction,
    model::text,
    store::{
        graph::{
            entities,
            observations::{self, Observation},
        },
        memories::mentions,
        vectors::{embedding_queue, embeddings},
    },
};

/// Adds observations to an entity. Returns those added; a text that is already current, in any Unicode form, is
/// skipped.
pub fn add(
    tx: &Transaction<'_>,
    entity_id: i64,
    contents: &[String],
    kind: &str,
) -> Result<Vec<Observation>> {
    let mut additions = Additions::default();
    let added = additions.add(tx, entity_id, contents, kind)?;
    additions.finish(tx)?;
    Ok(added)
}

/// Number of texts after which [`Additions`] forgets those of other entities. A text takes 16 bytes and its place in a
/// set.
const MAX_KNOWN: usize = 1_000_000;

/// Adds observations in several steps. What an entity has is read once, and its index is written once, however many
/// steps concern it.
#[derive(Default)]
pub struct Additions {
    /// The digests of the current texts of entities.
    known: HashMap<i64, HashSet<u128>>,
    /// The number of all digests.
    known_count: usize,
    /// Entities whose index must be written.
    changed: BTreeSet<i64>,
    /// Number of observations that were read.
    read: usize,
}

impl Additions {
    /// As [`add`]; [`Additions::finish`] must follow in the same transaction.
    pub fn add(
        &mut self,
        tx: &Transaction<'_>,
        entity_id: i64,
        contents: &[String],
        kind: &str,
    ) -> Result<Vec<Observation>> {
        if self.known_count > MAX_KNOWN {
            self.known.retain(|id, _| *id == entity_id);
            self.known_count = self.known.values().map(HashSet::len).sum();
        }
        if !self.known.contains_key(&entity_id) {
            let current = observations::current(tx, entity_id)?;
            self.read += current.len();
            let digests: HashSet<u128> = current.iter().map(|known| digest(&known.content)).collect();
            self.known_count += digests.len();
            self.known.insert(entity_id, digests);
        }
        let known = self.known.entry(entity_id).or_default();
        let mut added = Vec::new();
        for content in contents {
            if known.insert(digest(content)) {
                self.known_count += 1;
                added.push(insert(tx, entity_id, content, kind, None)?);
            }
        }
        if !added.is_empty() {
            mentions::make_real(tx, entity_id)?;
            self.changed.insert(entity_id);
        }
        Ok(added)
    }

    /// Records that the name or the type of an entity has changed.
    pub fn changed(&mut self, entity_id: i64) {
        self.changed.insert(entity_id);
    }

    /// Writes the index of all entities that have changed, and forgets their texts: others may write afterwards.
    pub fn finish(&mut self, tx: &Transaction<'_>) -> Result<()> {
        for id in std::mem::take(&mut self.changed) {
            // A placeholder may have been replaced since.
            if entities::get(tx, id)?.is_some() {
                text_changed(tx, id)?;
            }
        }
        self.known.clear();
        self.known_count = 0;
        Ok(())
    }

    /// Returns the number of observations that were read so far.
    #[must_use]
    pub fn read(&self) -> usize {
        self.read
    }
}

/// A digest of a text in its composed form: 128 bits, so that no two texts of an entity have the same by chance.
fn digest(content: &str) -> u128 {
    let composed = text::compose(content);
    let half = |part: u8| {
        let mut hasher = DefaultHasher::new();
        (part, &composed).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Adds observations to an entity exactly as given, including texts that it already has.
pub fn append(tx: &Transaction<'_>, entity_id: i64, contents: &[String]) -> Result<()> {
    for content in contents {
        insert(tx, entity_id, content, "generic", None)?;
    }
    if contents.is_empty() { Ok(()) } else { text_changed(tx, entity_id) }
}

/// Replaces a current observation by a new one; the old one is kept as history.
///
/// # Errors
/// [`Error::ObservationNotFound`] if the entity has no such observation; [`Error::Conflict`] if it is already
/// superseded; [`Error::ObservationExists`] if a current one has the same text.
pub fn supersede(
    tx: &Transaction<'_>,
    entity_id: i64,
    old_id: i64,
    content: &str,
    kind: &str,
) -> Result<Observation> {
    let old = observations::page(tx, entity_id, old_id, 1, true)?
        .into_iter()
        .find(|found| found.id == old_id)
        .ok_or_else(|| {
            Error::ObservationNotFound(format!("{old_id} is not an observation of this entity"))
        })?;
    if let Some(since) = old.superseded_at {
        return Err(Error::Conflict(format!(
            "Observation {old_id} was superseded at {since}: supersede the observation that took its place"
        )));
    }
    let composed = text::compose(content);
    if let Some(same) =
        observations::current(tx, entity_id)?.iter().find(|known| text::compose(&known.content) == composed)
    {
        return Err(Error::ObservationExists(same.id));
    }
    observations::set_superseded(tx, old_id)?;
    embeddings::forget(tx, TextKind::Observation, old_id)?;
    if old.similarity_flag != 0 {
        similarity_flags::duplicate_removed(tx, entity_id)?;
    }
    let added = insert(tx, entity_id, content, kind, Some(old_id))?;
    text_changed(tx, entity_id)?;
    Ok(added)
}

/// Deletes the current observations of an entity with one of these texts, as stored or as escaped for output. Returns
/// the number of deleted observations, and the texts without one.
pub fn delete<'a>(
    tx: &Transaction<'_>,
    entity_id: i64,
    contents: &'a [String],
) -> Result<(usize, Vec<&'a str>)> {
    let current = observations::current(tx, entity_id)?;
    let known: HashSet<_> = current.iter().map(|known| text::compose(&known.content)).collect();
    let (mut wanted, mut missing) = (HashSet::new(), Vec::new());
    for content in contents {
        let stored = observations::stored_as(|text| known.contains(text), content);
        if known.contains(stored.as_str()) {
            wanted.insert(stored);
        } else if !missing.contains(&content.as_str()) {
            missing.push(content.as_str());
        }
    }
    let deleted = delete_where(tx, entity_id, |content| wanted.contains(text::compose(content).as_ref()))?;
    Ok((deleted, missing))
}

/// Deletes the current observations of an entity whose text is exactly one of these. Returns the number of deleted
/// observations.
pub fn delete_exact(tx: &Transaction<'_>, entity_id: i64, contents: &[String]) -> Result<usize> {
    let wanted: HashSet<&str> = contents.iter().map(String::as_str).collect();
    delete_where(tx, entity_id, |content| wanted.contains(content))
}

/// Deletes the observations of an entity with these row numbers, superseded ones too.
pub(crate) fn delete_ids(tx: &Transaction<'_>, entity_id: i64, ids: &BTreeSet<i64>) -> Result<()> {
    let mut gone = observations::page(tx, entity_id, 0, usize::MAX, true)?;
    gone.retain(|known| ids.contains(&known.id));
    delete_these(tx, entity_id, &gone).map(drop)
}

fn delete_where(tx: &Transaction<'_>, entity_id: i64, is_unwanted: impl Fn(&str) -> bool) -> Result<usize> {
    let mut gone = observations::current(tx, entity_id)?;
    gone.retain(|known| is_unwanted(&known.content));
    delete_these(tx, entity_id, &gone)
}

fn delete_these(tx: &Transaction<'_>, entity_id: i64, gone: &[Observation]) -> Result<usize> {
    for observation in gone {
        embeddings::forget(tx, TextKind::Observation, observation.id)?;
        observations::delete_row(tx, observation.id)?;
    }
    if gone.iter().any(|observation| observation.similarity_flag != 0) {
        similarity_flags::duplicate_removed(tx, entity_id)?;
    }
    if !gone.is_empty() {
        text_changed(tx, entity_id)?;
    }
    Ok(gone.len())
}

fn insert(
    tx: &Transaction<'_>,
    entity_id: i64,
    content: &str,
    kind: &str,
    supersedes: Option<i64>,
) -> Result<Observation> {
    let added = observations::insert(tx, entity_id, content, kind, supersedes)?;
    embedding_queue::mark(tx, TextKind::Observation, added.id)?;
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store::graph::entities::Description, test_database};

    #[test]
    fn what_an_entity_has_is_read_once_for_many_additions() -> Result<()> {
        let mut database = test_database::in_memory()?;
        database.write(|tx| {
            let description = |name| Description { name, entity_type: None, status: None };
            let ids = [entities::insert(tx, description("Ada"))?, entities::insert(tx, description("Bo"))?];
            for id in ids {
                add(tx, id, &["e\u{301}crit".to_owned()], "generic")?;
            }
            let mut additions = Additions::default();
            for number in 0..1000 {
                let texts = [format!("fact {}", number / 2), "\u{e9}crit".to_owned()];
                let added = additions.add(tx, ids[number % 2], &texts, "generic")?;
                assert_eq!(added.len(), 1);
            }
            additions.finish(tx)?;
            assert_eq!(additions.read(), 2, "an entity is read again for each addition");
            for id in ids {
                assert_eq!(observations::count_of(tx, id)?, 501);
                let indexed: String =
                    tx.query_row("SELECT obs_text FROM entity_fts WHERE rowid = ?1", [id], |row| row.get(0))?;
                assert!(indexed.ends_with("fact 498 | fact 499"), "{}", &indexed[..40]);
            }
            Ok(())
        })
    }
}
