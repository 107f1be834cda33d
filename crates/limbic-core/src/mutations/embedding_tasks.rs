//! Tasks for the encoder, created from the rows in the embedding queue. Of a JSON text only the values are embedded.

use limbic_protocol::{Task, TaskKey, TextKind};

use crate::{
    Result, Transaction,
    model::structured_text::readable,
    store::{
        code::chunks,
        graph::{entities, observations, reflections, relations},
        memories,
        vectors::{embedding_queue, embeddings},
    },
};

/// Maximum length of a memory's embedded text, in characters: longer texts take seconds. Full-text search covers the
/// whole text.
const MAX_MEMORY_CHARS: usize = 10_000;

/// Takes up to `limit` tasks, oldest first. They are leased to this caller for ten seconds.
pub(crate) fn take(tx: &Transaction<'_>, limit: usize) -> Result<Vec<Task>> {
    let waiting = embedding_queue::waiting(tx, limit)?;
    let mut tasks = Vec::with_capacity(waiting.len());
    for (kind, id) in waiting {
        let task = match kind {
            0 => snapshot(tx, id)?,
            1 => observation(tx, id)?,
            2 => reflection(tx, id)?,
            3 => memory(tx, id)?,
            4 => chunk(tx, id)?,
            _ => None,
        };
        let Some((key, task)) = task else {
            embedding_queue::remove_unknown(tx, kind, id)?;
            if kind == i64::from(TextKind::Memory as u8) {
                // Another program has deleted the memory without its vector.
                embeddings::forget(tx, TextKind::Memory, id)?;
            }
            continue;
        };
        embedding_queue::lease(tx, key)?;
        tasks.push(task);
    }
    Ok(tasks)
}

/// Returns the owner of a task for a stored text; a query has none.
#[must_use]
pub(crate) fn key_of(task: &Task) -> Option<TaskKey> {
    match task {
        Task::Query { .. } => None,
        Task::Text { key, .. } | Task::Snapshot { key, .. } => Some(*key),
    }
}

fn snapshot(tx: &Transaction<'_>, id: i64) -> Result<Option<(TaskKey, Task)>> {
    let Some(entity) = entities::get(tx, id)? else { return Ok(None) };
    let header = format!("{} ({})", entity.name, entity.entity_type);
    let observations: Vec<String> = observations::current(tx, id)?
        .into_iter()
        .map(|observation| readable(&observation.content).into_owned())
        .collect();
    let relations = relations::touching(tx, id, false)?
        .iter()
        .map(|relation| format!("{} {} {}", relation.from, relation.relation_type, relation.to))
        .collect::<Vec<_>>()
        .join(" | ");
    let parts = std::iter::once(&header).chain(&observations).chain(std::iter::once(&relations));
    let key = TaskKey { kind: TextKind::Entity, id, text_hash: hash(parts.map(String::as_str)) };
    Ok(Some((key, Task::Snapshot { key, header, observations, relations })))
}

fn observation(tx: &Transaction<'_>, id: i64) -> Result<Option<(TaskKey, Task)>> {
    let Some(text) = observations::text_of(tx, id)? else { return Ok(None) };
    let text = readable(&text).into_owned();
    let key = TaskKey { kind: TextKind::Observation, id, text_hash: hash([text.as_str()]) };
    Ok(Some((key, Task::Text { key, context: String::new(), text })))
}

fn reflection(tx: &Transaction<'_>, id: i64) -> Result<Option<(TaskKey, Task)>> {
    let Some(reflection) = reflections::get(tx, id)? else { return Ok(None) };
    let text = readable(&reflection.content).into_owned();
    let key = TaskKey { kind: TextKind::Reflection, id, text_hash: hash([text.as_str()]) };
    Ok(Some((key, Task::Text { key, context: String::new(), text })))
}

fn memory(tx: &Transaction<'_>, number: i64) -> Result<Option<(TaskKey, Task)>> {
    let Some(memory) = memories::by_number(tx, number)? else { return Ok(None) };
    memories::adopt(tx, &memory)?;
    let text: String = readable(&memory.content).chars().take(MAX_MEMORY_CHARS).collect();
    let key = TaskKey { kind: TextKind::Memory, id: number, text_hash: hash([text.as_str()]) };
    Ok(Some((key, Task::Text { key, context: String::new(), text })))
}

fn chunk(tx: &Transaction<'_>, number: i64) -> Result<Option<(TaskKey, Task)>> {
    let Some(text) = chunks::header(tx, number)? else { return Ok(None) };
    let key = TaskKey { kind: TextKind::Chunk, id: number, text_hash: hash([text.as_str()]) };
    Ok(Some((key, Task::Text { key, context: String::new(), text })))
}

/// The hash of the parts, each with a terminator; never 0, which stands for "not leased".
fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> i64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    limbic_protocol::fnv1a(bytes).cast_signed() | 1
}
