//! Rows of `code_files`: the files of projects, their state of indexing, and their outlines.

use std::collections::{BTreeMap, BTreeSet};

use limbic_code::{FACTS_VERSION, Outline};
use rusqlite::{OptionalExtension, Row, params};

use crate::{Error, Result, Transaction};

/// The size and time of a file, from the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change, in nanoseconds since the Unix epoch.
    pub mtime: i64,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// Row number.
    pub id: i64,
    /// Row number of its project.
    pub project: i64,
    /// Path below the project's folder, with `/` between its parts.
    pub path: String,
    /// Size and time when it was read.
    pub stat: FileStat,
    /// FNV-1a of its bytes.
    pub hash: i64,
    /// Version of its facts; 0 if it was never read.
    pub facts_version: u32,
    /// Whether it waits to be read.
    pub is_pending: bool,
}

impl CodeFile {
    /// A file that is not in the index yet.
    #[must_use]
    pub fn new(project: i64, path: &str, stat: FileStat) -> Self {
        Self { id: 0, project, path: path.to_owned(), stat, hash: 0, facts_version: 0, is_pending: true }
    }

    /// Whether it could not be read the last time.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        !self.is_pending && self.stat.mtime == UNREADABLE_MTIME
    }

    /// Whether it was not in the index when it was looked up.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.id == 0
    }
}

/// The byte behind the outline of a file of which the parser could not read all.
const SYNTAX_ERRORS: u8 = 1;

/// Start of the error of a file that could not be read. The facts that it had before are kept.
const UNREADABLE: &str = "cannot be read: ";

/// The time of a file that could not be read: no file has it, so that the next comparison reads the file again.
const UNREADABLE_MTIME: i64 = -2;

/// Earlier versions stored the time of a file that they could not read.
const COLUMNS: &str = "id, project, path, size,
     iif(NOT is_pending AND error IS NOT NULL AND substr(error, 1, 16) = 'cannot be read: ', -2, mtime),
     hash, facts_version, is_pending";

fn file(row: &Row<'_>) -> rusqlite::Result<CodeFile> {
    Ok(CodeFile {
        id: row.get(0)?,
        project: row.get(1)?,
        path: row.get(2)?,
        stat: FileStat { size: row.get(3)?, mtime: row.get(4)? },
        hash: row.get(5)?,
        facts_version: row.get(6)?,
        is_pending: row.get(7)?,
    })
}

/// All files of a project, by path.
pub fn all(tx: &Transaction<'_>, project: i64) -> Result<BTreeMap<String, CodeFile>> {
    let mut statement =
        tx.prepare_cached(&format!("SELECT {COLUMNS} FROM code_files WHERE project = ?1 ORDER BY path"))?;
    let rows = statement.query_map([project], file)?;
    Ok(rows.map(|row| row.map(|file| (file.path.clone(), file))).collect::<rusqlite::Result<_>>()?)
}

/// The file at a path.
pub fn at(tx: &Transaction<'_>, project: i64, path: &str) -> Result<Option<CodeFile>> {
    Ok(tx
        .prepare_cached(&format!("SELECT {COLUMNS} FROM code_files WHERE project = ?1 AND path = ?2"))?
        .query_row(params![project, path], file)
        .optional()?)
}

/// Whether a folder has files.
pub fn has_below(tx: &Transaction<'_>, project: i64, folder: &str) -> Result<bool> {
    // '0' follows '/' in the order of bytes.
    let range = params![project, format!("{folder}/"), format!("{folder}0")];
    Ok(tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM code_files WHERE project = ?1 AND path >= ?2 AND path < ?3)",
        )?
        .query_row(range, |row| row.get(0))?)
}

/// Up to `limit` files that wait to be read, by path, and together of at most about `bytes`.
pub fn pending(tx: &Transaction<'_>, project: i64, limit: usize, bytes: u64) -> Result<Vec<CodeFile>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM code_files WHERE project = ?1 AND is_pending ORDER BY path LIMIT ?2"
    ))?;
    let mut found = Vec::new();
    let mut sum = 0;
    for row in statement.query_map(params![project, limit], file)? {
        let row = row?;
        sum += row.stat.size;
        found.push(row);
        if sum >= bytes {
            break;
        }
    }
    Ok(found)
}

/// Marks a file as pending; adds it if it is new. Each mark changes the row, by a negative time, so that one which
/// comes while the file is read is noticed when the file is stored.
pub fn expect(tx: &Transaction<'_>, project: i64, path: &str, stat: FileStat) -> Result<()> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    tx.prepare_cached(
        "INSERT INTO code_files (project, path, folder, name, size, mtime) VALUES (?1, ?2, ?3, ?4, ?5, -1)
         ON CONFLICT (project, path) DO UPDATE SET is_pending = 1, size = ?5, mtime = min(mtime, 0) - 1",
    )?
    .execute(params![project, path, folder, name, size(stat.size)])?;
    Ok(())
}

/// The state of a file after it was read.
pub(crate) struct Contents<'a> {
    /// Size and time.
    pub stat: FileStat,
    /// FNV-1a of its bytes.
    pub hash: i64,
    /// Version of the facts.
    pub facts_version: u32,
    /// Why there are no facts.
    pub error: Option<&'a str>,
    /// Outline.
    pub outline: &'a Outline,
    /// Whether the parser could not read all of it.
    pub has_syntax_errors: bool,
}

/// Stores what a file contains; its references wait to be resolved.
pub(crate) fn store(tx: &Transaction<'_>, file: i64, contents: &Contents<'_>) -> Result<()> {
    let mut outline = encode(contents.outline)?;
    if contents.has_syntax_errors {
        outline.push(SYNTAX_ERRORS);
    }
    tx.prepare_cached(
        "UPDATE code_files SET size = ?2, mtime = ?3, hash = ?4, language = ?5, error = ?6, facts_version = ?7,
             outline = ?8, is_pending = 0, is_unresolved = 1 WHERE id = ?1",
    )?
    .execute(params![
        file,
        size(contents.stat.size),
        contents.stat.mtime,
        contents.hash,
        contents.outline.language.as_str(),
        contents.error,
        contents.facts_version,
        outline
    ])?;
    Ok(())
}

/// Stores the size and time of a file whose content has not changed.
pub(crate) fn unchanged(tx: &Transaction<'_>, file: i64, stat: FileStat) -> Result<()> {
    tx.prepare_cached(
        "UPDATE code_files SET size = ?2, mtime = ?3, is_pending = 0,
             error = iif(substr(error, 1, length(?4)) = ?4, NULL, error)
         WHERE id = ?1",
    )?
    .execute(params![file, size(stat.size), stat.mtime, UNREADABLE])?;
    Ok(())
}

/// Records why a file could not be read, and keeps the facts that it has. A file that was skipped for another reason
/// has none.
pub(crate) fn set_unreadable(tx: &Transaction<'_>, file: i64, language: &str, reason: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE code_files SET mtime = ?2, error = ?3 || ?4, is_pending = 0,
             hash = iif(error IS NULL OR substr(error, 1, length(?3)) = ?3, hash, 0),
             language = iif(facts_version = 0, ?5, language)
         WHERE id = ?1",
    )?
    .execute(params![file, UNREADABLE_MTIME, UNREADABLE, reason, language])?;
    Ok(())
}

/// The paths of the files that could not be read.
pub fn unreadable(tx: &Transaction<'_>, project: i64) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(
        "SELECT path FROM code_files
         WHERE project = ?1 AND error IS NOT NULL AND substr(error, 1, length(?2)) = ?2 ORDER BY path",
    )?;
    let rows = statement.query_map(params![project, UNREADABLE], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The outline of a file; `None` for one that was never read, or by another version of the extraction.
pub(crate) fn outline(tx: &Transaction<'_>, file: i64) -> Result<Option<Outline>> {
    let bytes: Option<Vec<u8>> = tx
        .prepare_cached("SELECT outline FROM code_files WHERE id = ?1 AND facts_version = ?2")?
        .query_row([file, i64::from(FACTS_VERSION)], |row| row.get(0))
        .optional()?
        .flatten();
    bytes.map(|bytes| decode(&bytes)).transpose()
}

/// Whether the facts of the file at a path are all that it has now: it does not wait to be read, was not skipped, and
/// the parser could read all of it. True where there is no file.
pub(crate) fn is_fully_read(tx: &Transaction<'_>, project: i64, path: &str) -> Result<bool> {
    let file: Option<(bool, Option<Vec<u8>>)> = tx
        .prepare_cached(
            "SELECT NOT is_pending AND error IS NULL AND facts_version = ?3, outline FROM code_files
             WHERE project = ?1 AND path = ?2",
        )?
        .query_row(params![project, path, FACTS_VERSION], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(match file {
        None => true,
        Some((true, Some(outline))) => decode_first::<Outline>(&outline)?.1.is_empty(),
        Some(_) => false,
    })
}

/// Whether the file at a path was read as it is now, as far as the index knows. True where there is no file.
pub(crate) fn is_read(tx: &Transaction<'_>, project: i64, path: &str) -> Result<bool> {
    let is_unread = tx
        .prepare_cached(
            "SELECT 1 FROM code_files WHERE project = ?1 AND path = ?2 AND (is_pending OR error IS NOT NULL)",
        )?
        .exists(params![project, path])?;
    Ok(!is_unread)
}

/// Deletes the row of a file and its lookups. Its facts must have been deleted.
pub(crate) fn delete(tx: &Transaction<'_>, file: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_lookups WHERE file = ?1")?.execute([file])?;
    tx.prepare_cached("DELETE FROM code_files WHERE id = ?1")?.execute([file])?;
    Ok(())
}

/// Returns the files without facts and those that the last scan could not read, by path: at most `limit`, and the total
/// count.
pub fn skipped(tx: &Transaction<'_>, project: i64, limit: usize) -> Result<(Vec<(String, String)>, u64)> {
    // An ignore file that cannot be read is also a file of the project.
    const ALL: &str = "SELECT path, error AS why FROM code_files WHERE project = ?1 AND error IS NOT NULL
             AND path NOT IN (SELECT path FROM code_skipped WHERE project = ?1)
         UNION ALL SELECT path, why FROM code_skipped WHERE project = ?1";
    let mut statement =
        tx.prepare_cached(&format!("SELECT path, why FROM ({ALL}) ORDER BY path LIMIT ?2"))?;
    let rows = statement.query_map(params![project, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found = rows.collect::<rusqlite::Result<_>>()?;
    let count = tx
        .prepare_cached(&format!("SELECT count(*) FROM ({ALL})"))?
        .query_row([project], |row| row.get(0))?;
    Ok((found, count))
}

/// Replaces the list of what the scan could not read.
pub(crate) fn set_skipped(tx: &Transaction<'_>, project: i64, unreadable: &[(String, String)]) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_skipped WHERE project = ?1")?.execute([project])?;
    let mut statement =
        tx.prepare_cached("INSERT OR REPLACE INTO code_skipped (project, path, why) VALUES (?1, ?2, ?3)")?;
    for (path, why) in unreadable {
        statement.execute(params![project, path, why])?;
    }
    Ok(())
}

/// Marks the files that looked up one of these keys as unresolved, one by one: see
/// [`WordChanges`](super::chunks::WordChanges) for the cost of a statement that may change several rows.
pub(crate) fn mark_unresolved(tx: &Transaction<'_>, project: i64, keys: &[u64]) -> Result<()> {
    let has_lookups: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM code_lookups WHERE project = ?1)")?
        .query_row([project], |row| row.get(0))?;
    // The first index of a project resolves nothing until all files are read.
    if !has_lookups {
        return Ok(());
    }
    let mut files = BTreeSet::new();
    let mut look_up = tx.prepare_cached("SELECT file FROM code_lookups WHERE project = ?1 AND key = ?2")?;
    for key in keys {
        let mut rows = look_up.query(params![project, key.cast_signed()])?;
        while let Some(row) = rows.next()? {
            files.insert(row.get::<_, i64>(0)?);
        }
    }
    let mut mark =
        tx.prepare_cached("UPDATE code_files SET is_unresolved = 1 WHERE id = ?1 AND NOT is_unresolved")?;
    for file in files {
        mark.execute([file])?;
    }
    Ok(())
}

/// Up to `limit` files whose references wait to be resolved, by path: row number and path.
pub(crate) fn unresolved(tx: &Transaction<'_>, project: i64, limit: usize) -> Result<Vec<(i64, String)>> {
    let mut statement = tx.prepare_cached(
        "SELECT id, path FROM code_files WHERE project = ?1 AND is_unresolved AND NOT is_pending
         ORDER BY path LIMIT ?2",
    )?;
    let rows = statement.query_map(params![project, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Stores the keys that the resolution of a file looked up, and marks the file as resolved.
pub(crate) fn resolved(tx: &Transaction<'_>, project: i64, file: i64, lookups: &[u64]) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_lookups WHERE file = ?1")?.execute([file])?;
    let mut statement =
        tx.prepare_cached("INSERT INTO code_lookups (project, key, file) VALUES (?1, ?2, ?3)")?;
    for key in lookups {
        statement.execute(params![project, key.cast_signed(), file])?;
    }
    tx.prepare_cached("UPDATE code_files SET is_unresolved = 0 WHERE id = ?1")?.execute([file])?;
    Ok(())
}

fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Serialises a value for the database.
///
/// # Errors
/// [`Error::Internal`] if it cannot be written.
pub(super) fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|error| Error::Internal(format!("facts cannot be stored: {error}")))
}

/// Deserialises a value from the database.
///
/// # Errors
/// [`Error::Damaged`] if the bytes are invalid.
pub(super) fn decode<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    Ok(decode_first(bytes)?.0)
}

/// Deserialises a value at the start of bytes from the database, and returns the bytes behind it.
///
/// # Errors
/// [`Error::Damaged`] if the bytes are invalid.
fn decode_first<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8])> {
    postcard::take_from_bytes(bytes)
        .map_err(|error| Error::Damaged(format!("facts of the code index: {error}")))
}
