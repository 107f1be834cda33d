//! Rows of `code_references`: the references of a file, which are stored and resolved together.

use limbic_code::{FACTS_VERSION, Reference};
use rusqlite::OptionalExtension;

use super::files::{decode, encode};
use crate::{Result, Transaction};

/// Replaces the references of a file.
pub(crate) fn replace(tx: &Transaction<'_>, file: i64, references: &[Reference]) -> Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO code_references (file, list) VALUES (?1, ?2)")?
        .execute((file, encode(&references)?))?;
    Ok(())
}

/// The references of a file, in the order of the text; none of one that was read by another version of the extraction.
pub(crate) fn of(tx: &Transaction<'_>, file: i64) -> Result<Vec<Reference>> {
    let list: Option<Vec<u8>> = tx
        .prepare_cached(
            "SELECT r.list FROM code_references AS r JOIN code_files AS f ON f.id = r.file
             WHERE r.file = ?1 AND f.facts_version = ?2",
        )?
        .query_row([file, i64::from(FACTS_VERSION)], |row| row.get(0))
        .optional()?;
    list.map_or_else(|| Ok(Vec::new()), |list| decode(&list))
}

/// Deletes the references of a file.
pub(crate) fn delete(tx: &Transaction<'_>, file: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_references WHERE file = ?1")?.execute([file])?;
    Ok(())
}
