//! What waits for an embedding. Writes only mark; a pump outside takes tasks, has them encoded and stores what came.

use rusqlite::params;

use super::embeddings;
use crate::{
    Result, Transaction,
    store::{
        graph::{entities, observations, reflections, relations},
        memories,
    },
};
use limbic_protocol::{Task, TaskKey, TextKind};

/// A text that was taken so often in vain is left alone, until it changes or a day has passed: it may be what breaks
/// the encoder.
pub const MAX_TRIES: i64 = 4;

/// For how long it is left alone.
const REST_MILLIS: i64 = 24 * 3600 * 1000;

/// So many characters of a memory are embedded: reading on would keep others waiting for seconds. Words find the rest.
const LONGEST_MEMORY: usize = 10_000;

/// For how long a taken task is not given to another server.
const LEASE_MILLIS: i64 = 10_000;

/// The text of this row has changed: its embedding must be made again.
///
/// # Errors
/// Those of the database.
pub fn mark(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO embedding_queue (kind, id) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET text_hash = 0, tries = 0, last_error = NULL, leased_until = 0",
    )?
    .execute(params![kind as u8, id])?;
    Ok(())
}

/// The row is gone, or its embedding is there.
///
/// # Errors
/// Those of the database.
pub fn remove(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM embedding_queue WHERE kind = ?1 AND id = ?2")?
        .execute(params![kind as u8, id])?;
    Ok(())
}

/// How many texts wait, those that failed too often left out.
///
/// # Errors
/// Those of the database.
pub fn outstanding(tx: &Transaction<'_>) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM embedding_queue WHERE tries < ?1")?
        .query_row([MAX_TRIES], |row| row.get(0))?)
}

/// Takes up to `limit` tasks, oldest first. They are this caller's for ten seconds. A lease that ends later than one can was
/// given while the clock was ahead, and counts for nothing.
///
/// # Errors
/// Those of the database.
pub fn take(tx: &Transaction<'_>, limit: usize) -> Result<Vec<Task>> {
    let waiting: Vec<(u8, i64)> = tx
        .prepare_cached(
            "SELECT kind, id FROM embedding_queue
             WHERE (leased_until <= ?2 OR leased_until > ?2 + ?5)
                AND (tries < ?1 OR leased_until <= ?2 - ?4 OR leased_until > ?2 + ?5) ORDER BY rowid LIMIT ?3",
        )?
        .query_map(params![MAX_TRIES, tx.now_millis(), limit, REST_MILLIS, LEASE_MILLIS], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut tasks = Vec::with_capacity(waiting.len());
    for (kind, id) in waiting {
        let task = match kind {
            0 => snapshot(tx, id)?,
            1 => observation(tx, id)?,
            2 => reflection(tx, id)?,
            3 => memory(tx, id)?,
            _ => None,
        };
        let Some(task) = task else {
            tx.prepare_cached("DELETE FROM embedding_queue WHERE kind = ?1 AND id = ?2")?
                .execute(params![kind, id])?;
            if kind == TextKind::Memory as u8 {
                // Another program has deleted it, and knows nothing of vectors.
                embeddings::forget(tx, TextKind::Memory, id)?;
            }
            continue;
        };
        tx.prepare_cached(
            "UPDATE embedding_queue SET text_hash = ?3, leased_until = ?4, tries = tries + 1 WHERE kind = ?1 AND id = ?2",
        )?
        .execute(params![kind, id, key_of(&task).map_or(0, |key| key.text_hash), tx.now_millis() + LEASE_MILLIS])?;
        tasks.push(task);
    }
    Ok(tasks)
}

/// Whether the text is still the one that was encoded. An encoding of an older state is thrown away: the text
/// waits again already.
///
/// # Errors
/// Those of the database.
pub fn is_current(tx: &Transaction<'_>, key: TaskKey) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM embedding_queue WHERE kind = ?1 AND id = ?2 AND text_hash = ?3")?
        .exists(params![key.kind as u8, key.id, key.text_hash])?)
}

/// Encoding failed: it is tried again after its lease, a few times.
///
/// # Errors
/// Those of the database.
pub fn fail(tx: &Transaction<'_>, key: TaskKey, reason: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE embedding_queue SET last_error = ?4
         WHERE kind = ?1 AND id = ?2 AND text_hash = ?3",
    )?
    .execute(params![key.kind as u8, key.id, key.text_hash, reason])?;
    Ok(())
}

/// What a stored text's task belongs to; a query belongs to nothing.
#[must_use]
pub fn key_of(task: &Task) -> Option<TaskKey> {
    match task {
        Task::Query { .. } => None,
        Task::Text { key, .. } | Task::Snapshot { key, .. } => Some(*key),
    }
}

fn snapshot(tx: &Transaction<'_>, id: i64) -> Result<Option<Task>> {
    let Some(entity) = entities::get(tx, id)? else { return Ok(None) };
    let header = format!("{} ({})", entity.name, entity.entity_type);
    let observations: Vec<String> =
        observations::current(tx, id)?.into_iter().map(|observation| observation.content).collect();
    let relations = relations::touching(tx, id, false)?
        .iter()
        .map(|relation| format!("{} {} {}", relation.from, relation.relation_type, relation.to))
        .collect::<Vec<_>>()
        .join(" | ");
    let parts = std::iter::once(&header).chain(&observations).chain(std::iter::once(&relations));
    let key = TaskKey { kind: TextKind::Entity, id, text_hash: hash(parts.map(String::as_str)) };
    Ok(Some(Task::Snapshot { key, header, observations, relations }))
}

fn observation(tx: &Transaction<'_>, id: i64) -> Result<Option<Task>> {
    let Some(text) = observations::text_of(tx, id)? else { return Ok(None) };
    let key = TaskKey { kind: TextKind::Observation, id, text_hash: hash([text.as_str()]) };
    Ok(Some(Task::Text { key, context: String::new(), text }))
}

fn reflection(tx: &Transaction<'_>, id: i64) -> Result<Option<Task>> {
    let Some(reflection) = reflections::get(tx, id)? else { return Ok(None) };
    let text = reflection.content;
    let key = TaskKey { kind: TextKind::Reflection, id, text_hash: hash([text.as_str()]) };
    Ok(Some(Task::Text { key, context: String::new(), text }))
}

fn memory(tx: &Transaction<'_>, number: i64) -> Result<Option<Task>> {
    let Some(memory) = memories::by_number(tx, number)? else { return Ok(None) };
    memories::adopt(tx, &memory)?;
    let text: String = memory.content.chars().take(LONGEST_MEMORY).collect();
    let key = TaskKey { kind: TextKind::Memory, id: number, text_hash: hash([text.as_str()]) };
    Ok(Some(Task::Text { key, context: String::new(), text }))
}

/// Of the parts, with a mark after each; never 0, which stands for "nobody has taken it up".
fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> i64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    limbic_protocol::fnv1a(bytes).cast_signed() | 1
}
