//! Exact duplicates: storing the same statement again confirms the existing memory.

use rusqlite::params;

use super::{
    MemoryNode,
    columns::NewMemory,
    filter, index_forms, mentions, near_duplicate_edges,
    validity::{self, ValidAt},
};
use crate::{
    Result, Transaction,
    model::{
        decay, layout,
        text::{self, content_hash, normalised},
    },
    store::timestamps,
};

/// Whether two texts with the same normalised form also agree in case, which only the first letter of a text does not
/// need to: `5 MB` and `5 Mb`, `UserName` and `Username`, `the branch Main` and `the branch main` are two. The word
/// with that letter must be one of prose: letters or an apostrophe, and no capitals inside.
fn agree_in_case(one: &str, other: &str) -> bool {
    let (one, other) = (text::compose(one), text::compose(other));
    one.split_whitespace().zip(other.split_whitespace()).enumerate().all(|(index, (one, other))| {
        let [rest, other_rest] = [one, other].map(without_first_letter);
        one == other || index == 0 && rest == other_rest && is_prose(rest)
    })
}

fn without_first_letter(word: &str) -> &str {
    let mut letters = word.chars();
    letters.next();
    letters.as_str()
}

/// Whether what follows the first letter is that of a word of prose, with marks behind it.
fn is_prose(rest: &str) -> bool {
    rest.trim_end_matches(|letter: char| !letter.is_alphanumeric())
        .chars()
        .all(|letter| letter.is_alphabetic() && !letter.is_uppercase() || matches!(letter, '\'' | '’'))
}

/// Whether two lines have as many words; of texts with equal words, these are then the same.
fn have_as_many_words(one: &str, other: &str) -> bool {
    one.split_whitespace().count() == other.split_whitespace().count()
}

/// Returns the memory with the same statement, subject, domain and user that is valid, or will be valid from the same
/// time on. One that lost a contradiction stays as it is: a statement that becomes true again is a new memory, so that
/// both times at which it held stay known. So is an event at another time, and a statement at another path: of two
/// memories with an `event_time`, or a path, these must be equal.
pub fn of(tx: &Transaction<'_>, memory: &NewMemory, domain: &str) -> Result<Option<String>> {
    let mut statement = tx.prepare_cached(
        &format!(
            "SELECT m.id, m.content FROM MEMORY_NODES AS m
             WHERE m.content_hash = ?1 AND m.domain = ?2 AND m.subject = ?3 AND m.user_id IS ?4
             AND ({} OR m.valid_from = ?6) AND {} AND {} AND NOT {}
             AND (?7 IS NULL OR {no_event} OR {} = ?7) AND ('' IN (?8, {path}) OR ?8 = {path})
             ORDER BY ?8 <> {path}, {no_event}, m.rowid",
            validity::has_begun("m", ValidAt::Now),
            validity::has_not_ended("m", ValidAt::Now),
            validity::has_not_expired("m"),
            filter::is_contradicted(ValidAt::Now),
            timestamps::kept_form("m.event_time"),
            path = "trim(coalesce(m.path, ''), '/')",
            // Without a time of its event, it has that at which it was stored.
            no_event = "m.event_time IS m.ingestion_time",
        )
        .replace(":now", "?5"),
    )?;
    let now = tx.now_text();
    let valid_from = timestamps::read_optional(tx, "valid_from", memory.valid_from.as_deref())?;
    let event_time = timestamps::read_optional(tx, "event_time", memory.event_time.as_deref())?;
    let rows = statement.query_map(
        params![
            content_hash(&memory.content),
            domain,
            memory.subject,
            memory.user_id,
            now,
            valid_from,
            event_time,
            memory.path.trim_matches('/')
        ],
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
    )?;
    let wanted = normalised(&memory.content);
    for row in rows {
        let (id, content) = row?;
        if normalised(&content) == wanted
            && agree_in_case(&content, &memory.content)
            && layout::agrees(&content, &memory.content, have_as_many_words)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Confirms a memory: raises its confidence, to at most 1.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub(crate) fn confirm(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let left = super::get(tx, id)?.effective_confidence(tx.now_millis());
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET confidence = ?2, last_accessed = ?3, confidence_at = NULL WHERE id = ?1",
    )?
    .execute(params![id, decay::raised(left, decay::CONFIRMED), timestamps::now(tx)?])?;
    Ok(())
}

/// Confirms a memory that was stored again, and sets the time at which it was last stated.
///
/// # Errors
/// As [`confirm`].
pub(crate) fn restate(tx: &Transaction<'_>, id: &str) -> Result<()> {
    confirm(tx, id)?;
    near_duplicate_edges::set_stated(tx, id, &timestamps::now(tx)?)?;
    near_duplicate_edges::restated(tx, id)
}

/// Returns metadata with the keys of another object, whose values count for keys of both (RFC 7396). Metadata of
/// another program that is no object is replaced.
pub(crate) fn merged_metadata(tx: &Transaction<'_>, known: Option<&str>, given: &str) -> Result<String> {
    Ok(tx
        .prepare_cached(
            "SELECT CASE WHEN ?1 IS NULL OR NOT json_valid(?1) THEN ?2 WHEN json_type(?1) <> 'object' THEN ?2
                ELSE json_patch(?1, ?2) END",
        )?
        .query_row([known, Some(given)], |row| row.get(0))?)
}

/// Adds the derived data that a memory of another program lacks: its hash, its entities, and the forms of its words.
pub(crate) fn adopt(tx: &Transaction<'_>, memory: &MemoryNode) -> Result<()> {
    let adopted = tx
        .prepare_cached("UPDATE MEMORY_NODES SET content_hash = ?2 WHERE id = ?1 AND content_hash IS NULL")?
        .execute(params![memory.id, content_hash(&memory.content)])?;
    if adopted > 0 {
        mentions::find_in_text(tx, &memory.id, &memory.content)?;
    }
    index_forms(tx, &memory.id)
}
