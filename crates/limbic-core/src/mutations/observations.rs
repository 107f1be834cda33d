//! Adding, superseding and deleting observations, with the entity's index, embeddings and similarity flags.

use std::collections::BTreeSet;

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
    let mut known: Vec<String> = observations::current(tx, entity_id)?
        .iter()
        .map(|known| text::compose(&known.content).into_owned())
        .collect();
    known.sort_unstable();
    let mut added = Vec::new();
    for content in contents {
        let composed = text::compose(content);
        if let Err(index) = known.binary_search_by(|known| known.as_str().cmp(&composed)) {
            known.insert(index, composed.into_owned());
            added.push(insert(tx, entity_id, content, kind, None)?);
        }
    }
    if !added.is_empty() {
        entities::make_real(tx, entity_id)?;
        text_changed(tx, entity_id)?;
    }
    Ok(added)
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

/// Deletes the current observations of an entity with one of these texts, as stored or as escaped for output; other
/// texts are ignored. Returns the number of deleted observations.
pub fn delete(tx: &Transaction<'_>, entity_id: i64, contents: &[String]) -> Result<usize> {
    let known = observations::current(tx, entity_id)?;
    let wanted: Vec<String> =
        contents.iter().map(|content| observations::stored_as(&known, content)).collect();
    delete_where(tx, entity_id, |content| wanted.iter().any(|wanted| *wanted == text::compose(content)))
}

/// Deletes the current observations of an entity whose text is exactly one of these. Returns the number of deleted
/// observations.
pub fn delete_exact(tx: &Transaction<'_>, entity_id: i64, contents: &[String]) -> Result<usize> {
    delete_where(tx, entity_id, |content| contents.iter().any(|wanted| wanted == content))
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
