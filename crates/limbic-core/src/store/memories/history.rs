//! Earlier states of memories: text, category, subject and tags.

use rusqlite::{Connection, OptionalExtension, params};

use super::MemoryNode;
use crate::{
    Result, Transaction,
    model::{memory_words::Category, words::Word},
    store::timestamps,
};

/// An earlier state of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    /// The text.
    pub content: String,
    /// Confidence when it was replaced.
    pub confidence: f64,
    /// When it was replaced.
    pub replaced_at: String,
    /// Its category; `None` if that was not kept.
    pub category: Option<Word<Category>>,
    /// Its subject; `None` if that was not kept.
    pub subject: Option<String>,
    /// Its tags, in alphabetical order; `None` if they were not kept.
    pub tags: Option<Vec<String>>,
}

/// The earlier states of a memory, oldest first.
pub fn history(tx: &Transaction<'_>, id: &str) -> Result<Vec<Earlier>> {
    let mut statement = tx.prepare_cached(
        "SELECT content, confidence, replaced_at, category, subject, tags FROM memory_history WHERE memory_id = ?1
         ORDER BY replaced_at, seq",
    )?;
    let rows = statement.query_map([id], |row| {
        Ok(Earlier {
            content: row.get(0)?,
            confidence: row.get(1)?,
            replaced_at: row.get(2)?,
            category: row.get(3)?,
            subject: row.get(4)?,
            tags: row.get::<_, Option<String>>(5)?.map(|tags| tags_in(tx, &tags)).transpose()?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether a memory had this text before.
pub(crate) fn had_content(tx: &Transaction<'_>, id: &str, content: &str) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM memory_history WHERE memory_id = ?1 AND content = ?2")?
        .exists([id, content])?)
}

/// Parses a JSON array of texts; other values, which other programs may have written, give no texts.
pub(crate) fn tags_in(connection: &Connection, json: &str) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare_cached(
        "SELECT CAST(value AS TEXT) FROM json_each(iif(json_valid(?1), ?1, '[]')) WHERE value IS NOT NULL ORDER BY 1",
    )?
    .query_map([json], |row| row.get(0))?
    .collect()
}

/// Returns SQL for the value of a field of the memory `m` at a time; `moment` and `current` are SQL as well. If a row
/// did not keep the field, the next row that did is used.
#[must_use]
pub(crate) fn field_at(column: &str, current: &str, moment: &str) -> String {
    format!(
        "coalesce((SELECT h.{column} FROM memory_history AS h WHERE h.memory_id = m.id AND h.replaced_at > {moment}
            AND h.{column} IS NOT NULL ORDER BY h.replaced_at, h.seq LIMIT 1), {current})"
    )
}

/// Returns a memory with its text, category, subject and tags at a time, or unchanged without a time. An earlier text
/// has no summary, since the summary belongs to the current text.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an invalid time.
pub fn in_words_of(tx: &Transaction<'_>, memory: MemoryNode, as_of: Option<&str>) -> Result<MemoryNode> {
    let Some(moment) = timestamps::read_optional(tx, "as_of", as_of)? else { return Ok(memory) };
    let earlier = tx
        .prepare_cached(&format!(
            "SELECT {}, {}, {}, {} FROM (SELECT ?1 AS id) AS m",
            field_at("content", "NULL", "?2"),
            field_at("category", "NULL", "?2"),
            field_at("subject", "NULL", "?2"),
            field_at("tags", "NULL", "?2"),
        ))?
        .query_row([&memory.id, &moment], |row| {
            let text = |index| row.get::<_, Option<String>>(index);
            Ok((text(0)?, row.get::<_, Option<_>>(1)?, text(2)?, text(3)?))
        })
        .optional()?;
    let Some((content, category, subject, tags)) = earlier else { return Ok(memory) };
    let tags = tags.map(|tags| tags_in(tx, &tags)).transpose()?;
    let has_other_text = content.as_ref().is_some_and(|content| *content != memory.content);
    Ok(MemoryNode {
        summary: memory.summary.filter(|_| !has_other_text),
        content: content.unwrap_or(memory.content),
        category: category.unwrap_or(memory.category),
        subject: subject.unwrap_or(memory.subject),
        tags: tags.unwrap_or(memory.tags),
        ..memory
    })
}

/// Stores the current state in the history before it is replaced.
pub(crate) fn keep(tx: &Transaction<'_>, memory: &MemoryNode) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO memory_history (memory_id, content, confidence, replaced_at, category, subject, tags)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT json_group_array(tag ORDER BY tag) FROM MEMORY_TAGS WHERE nodeId = ?1))",
    )?
    .execute(params![
        memory.id,
        memory.content,
        memory.confidence,
        timestamps::now(tx)?,
        memory.category,
        memory.subject
    ])?;
    Ok(())
}

/// Stores an earlier state of a memory, unless the history has its text in a row that meets the condition `is_known`,
/// SQL about `replaced_at` and `?3`, which is `moment`. Returns the number of the new row.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    id: &str,
    earlier: &Earlier,
    (is_known, moment): (&str, Option<&str>),
) -> Result<Option<i64>> {
    let tags = earlier.tags.as_ref().map(|tags| to_json(tx, tags)).transpose()?;
    let added = tx
        .prepare_cached(&format!(
            "INSERT INTO memory_history (memory_id, content, confidence, replaced_at, category, subject, tags)
             SELECT ?1, ?2, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (
                SELECT 1 FROM memory_history WHERE memory_id = ?1 AND content = ?2 AND {is_known})"
        ))?
        .execute(params![
            id,
            earlier.content,
            moment,
            earlier.confidence,
            earlier.replaced_at,
            earlier.category,
            earlier.subject,
            tags
        ])?;
    Ok((added > 0).then(|| tx.last_insert_rowid()))
}

/// Formats texts as a JSON array.
fn to_json(tx: &Transaction<'_>, texts: &[String]) -> Result<String> {
    let mut quote = tx.prepare_cached("SELECT json_quote(?1)")?;
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| quote.query_row([text], |row| row.get(0)))
        .collect::<rusqlite::Result<_>>()?;
    Ok(format!("[{}]", quoted.join(",")))
}
