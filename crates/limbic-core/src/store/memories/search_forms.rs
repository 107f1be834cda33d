//! Further forms of the words of memories, by which the full-text table finds them (`model/tokenizer.rs`): parts of
//! identifiers, pairs of letters of words in scripts without spaces, plain spellings (`strasse` for `straße`). A change
//! of the forms needs a migration that adds the new ones once, as `0025_search_forms_of_scripts.sql`.
//!
//! The triggers of `memory_content_fts` run in other programs too, so they contain the texts as they are; the forms are
//! added behind the text after each change. What another program has written gets them when its vector is computed.

use rusqlite::{OptionalExtension, params};

use crate::{Result, Transaction, model::tokenizer};

/// Adds the forms of a memory's words to its row in the full-text table, if its words have any.
pub(crate) fn index_forms(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let row: Option<(String, String)> = tx
        .prepare_cached(
            "SELECT content, concat_ws(' ', content, content_summary, path,
                 (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = ?1))
             FROM MEMORY_NODES WHERE id = ?1 AND content IS NOT NULL",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((content, texts)) = row else { return Ok(()) };
    let forms = tokenizer::forms(&texts);
    if forms.is_empty() {
        return Ok(());
    }
    let words = format!("{content} {forms}");
    let updated = tx
        .prepare_cached(
            "UPDATE memory_content_fts SET content = ?2 WHERE rowid IN (
                 SELECT rowid FROM memory_content_fts('id:\"' || replace(?1, '\"', '\"\"') || '\"') WHERE id = ?1)",
        )?
        .execute(params![id, words])?;
    if updated == 0 {
        // An id without letters and digits is in no index.
        tx.prepare_cached("UPDATE memory_content_fts SET content = ?2 WHERE id = ?1")?
            .execute(params![id, words])?;
    }
    Ok(())
}

/// As [`index_forms`], for all memories of a domain.
pub(crate) fn index_forms_in(tx: &Transaction<'_>, domain: &str) -> Result<()> {
    let ids: Vec<String> = tx
        .prepare_cached("SELECT id FROM MEMORY_NODES WHERE domain = ?1")?
        .query_map([domain], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    ids.iter().try_for_each(|id| index_forms(tx, id))
}
