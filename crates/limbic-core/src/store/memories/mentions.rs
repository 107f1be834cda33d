//! Mentions of entities by memories: those given explicitly, and those whose names occur in the text.
//!
//! A name counts if it occurs as one or more whole words, spelled like the entity's. Mentions are found when a memory
//! is stored, for existing entities, and when an entity is created, for existing memories. A placeholder is mentioned
//! only where it was given; its name is searched for when it becomes an entity.

use std::collections::BTreeSet;

use limbic_protocol::stop_words;
use rusqlite::params;

use crate::{Error, Result, Transaction, model::entity_status::EntityStatus, store::graph::entities};

/// Maximum number of words of a name that is searched for.
const MAX_WORDS: usize = 5;

/// Maximum number of words of a text that are searched.
const MAX_PLACES: usize = 2_000;

/// The minimum length of an ASCII name, in bytes.
const MIN_NAME_BYTES: usize = 3;

/// The maximum number of existing memories to which a new entity is linked.
const MAX_EARLIER: usize = 1_000;

/// Links a memory to named entities.
///
/// # Errors
/// [`Error::EntityNotFound`].
pub(crate) fn give(tx: &Transaction<'_>, id: &str, names: &[String]) -> Result<()> {
    for name in names {
        let entity = entities::find(tx, name)?.ok_or_else(|| Error::EntityNotFound(name.clone()))?;
        put(tx, id, entity.id, true)?;
    }
    Ok(())
}

/// Removes all links of a memory to entities.
pub(crate) fn remove_all(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM memory_entities WHERE memory_id = ?1")?.execute([id])?;
    Ok(())
}

/// Links a memory to the entities whose names occur in its text.
pub(crate) fn find_in_text(tx: &Transaction<'_>, id: &str, content: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM memory_entities WHERE memory_id = ?1 AND NOT given")?.execute([id])?;
    let mut known = tx.prepare_cached("SELECT id FROM entities WHERE name = ?1 AND status <> ?2")?;
    for name in candidates(content) {
        let mut rows = known.query(params![name, EntityStatus::Placeholder.word()])?;
        if let Some(row) = rows.next()? {
            put(tx, id, row.get(0)?, false)?;
        }
    }
    Ok(())
}

/// Returns the entities that a question names, by row number. Words are also tried with a capital first letter.
pub(crate) fn named(tx: &Transaction<'_>, question: &str) -> Result<BTreeSet<i64>> {
    let mut known = tx.prepare_cached("SELECT id FROM entities WHERE name = ?1 AND status <> ?2")?;
    let mut found = BTreeSet::new();
    for text in [question, &capitalised(question)] {
        for name in candidates(text) {
            let mut rows = known.query(params![name, EntityStatus::Placeholder.word()])?;
            if let Some(row) = rows.next()? {
                found.insert(row.get(0)?);
            }
        }
    }
    Ok(found)
}

/// Returns the text with a capital letter at the start of each word.
fn capitalised(text: &str) -> String {
    let mut starts = true;
    text.chars()
        .flat_map(|letter| {
            let upper = starts && letter.is_lowercase();
            starts = !letter.is_alphanumeric();
            if upper { letter.to_uppercase().collect::<Vec<_>>() } else { vec![letter] }
        })
        .collect()
}

/// Links an entity to the existing memories whose text contains its name.
pub(crate) fn new_entity(tx: &Transaction<'_>, entity_id: i64, name: &str) -> Result<()> {
    if !is_distinctive(name) || name.split_whitespace().count() > MAX_WORDS {
        return Ok(());
    }
    let phrase = format!("content:\"{}\"", name.replace('"', "\"\""));
    let found: Vec<(String, String)> = tx
        .prepare_cached(
            "SELECT m.id, m.content FROM memory_content_fts AS f CROSS JOIN MEMORY_NODES AS m ON m.id = f.id
             WHERE memory_content_fts MATCH ?1 ORDER BY f.rowid LIMIT ?2",
        )?
        .query_map(params![phrase, MAX_EARLIER], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (id, content) in found {
        if candidates(&content).contains(name) {
            put(tx, &id, entity_id, false)?;
        }
    }
    Ok(())
}

/// Makes a placeholder a normal entity, and links it as a new one; no effect on other entities.
pub(crate) fn make_real(tx: &Transaction<'_>, entity_id: i64) -> Result<()> {
    if entities::make_real(tx, entity_id)?
        && let Some(entity) = entities::get(tx, entity_id)?
    {
        new_entity(tx, entity_id, &entity.name)?;
    }
    Ok(())
}

/// Links the memories that callers linked to one entity to another one as well.
pub(crate) fn copy_given(tx: &Transaction<'_>, entity_id: i64, to_entity_id: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO memory_entities (memory_id, entity_id, given)
             SELECT memory_id, ?2, 1 FROM memory_entities WHERE entity_id = ?1 AND given
         ON CONFLICT DO UPDATE SET given = 1",
    )?
    .execute([entity_id, to_entity_id])?;
    Ok(())
}

/// Returns the entities that a memory mentions, by name.
pub fn of_memory(tx: &Transaction<'_>, id: &str) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(
        "SELECT name FROM memory_entities JOIN entities ON entities.id = entity_id WHERE memory_id = ?1 ORDER BY name",
    )?;
    let rows = statement.query_map([id], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn put(tx: &Transaction<'_>, id: &str, entity_id: i64, given: bool) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO memory_entities (memory_id, entity_id, given) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET given = max(given, ?3)",
    )?
    .execute(params![id, entity_id, given])?;
    Ok(())
}

/// Returns the candidates for names in a text: every run of up to five words, without surrounding punctuation.
fn candidates(content: &str) -> BTreeSet<&str> {
    let words: Vec<(usize, usize)> = content
        .split_whitespace()
        .take(MAX_PLACES)
        .filter_map(|word| {
            let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
            let start = bare.as_ptr().addr() - content.as_ptr().addr();
            (!bare.is_empty()).then_some((start, start + bare.len()))
        })
        .collect();
    let mut found = BTreeSet::new();
    for (index, (start, _)) in words.iter().enumerate() {
        for (_, end) in words.iter().skip(index).take(MAX_WORDS) {
            let name = &content[*start..*end];
            if is_distinctive(name) {
                found.insert(name);
            }
        }
    }
    found
}

fn is_distinctive(name: &str) -> bool {
    let is_long = !name.is_ascii() || name.len() >= MIN_NAME_BYTES;
    is_long && !stop_words::contains(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_words_without_the_marks_around_them_may_be_names() {
        let found = candidates("Ask (Ada Lovelace), of C++ and «São Paulo».");
        for name in ["Ada", "Ada Lovelace", "São Paulo", "Ask"] {
            assert!(found.contains(name), "{name}");
        }
        assert!(!found.contains("of") && !found.contains("(Ada"));
    }
}
