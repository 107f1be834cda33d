//! Folders and files of the code index.

use std::collections::BTreeMap;

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Result, Transaction};

/// The language of files without a parser; it is the language of a folder only if there is no other.
const UNKNOWN: &str = "unknown";

/// A folder, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderRow {
    /// Name.
    pub name: String,
    /// Path in the project.
    pub path: String,
    /// Count of files.
    pub files: u64,
    /// Size of the files in bytes.
    pub bytes: u64,
    /// Language with the most bytes.
    pub language: String,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileRow {
    /// Name.
    pub name: String,
    /// Path in the project.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Language.
    pub language: String,
    /// Count of symbols.
    pub symbols: u64,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Whether it waits to be read.
    pub is_pending: bool,
}

/// The files of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageRow {
    /// Language.
    pub language: String,
    /// Count of files.
    pub files: u64,
    /// Size of the files in bytes.
    pub bytes: u64,
}

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DefinitionRow {
    /// Id of the symbol.
    pub symbol_id: String,
    /// Name.
    pub name: String,
    /// Kind.
    pub symbol_type: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Line of the name.
    pub line: u32,
}

/// Paths below a folder: they start with `prefix`, and are less than `end` unless the folder is the project's.
struct Below {
    prefix: String,
    end: Option<String>,
}

impl Below {
    fn new(folder: &str) -> Self {
        match folder {
            "" => Self { prefix: String::new(), end: None },
            // '0' follows '/'.
            _ => Self { prefix: format!("{folder}/"), end: Some(format!("{folder}0")) },
        }
    }
}

const BELOW: &str = "project = ?1 AND path >= ?2 AND (?3 IS NULL OR path < ?3)";

/// Returns the folders directly in a folder, by name; `folder` is empty for the project's own.
pub fn folders(tx: &Transaction<'_>, project: i64, folder: &str) -> Result<Vec<FolderRow>> {
    let below = Below::new(folder);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT substr(path, length(?2) + 1, instr(substr(path, length(?2) + 1), '/') - 1), language, count(*), sum(size)
         FROM code_files WHERE {BELOW} AND instr(substr(path, length(?2) + 1), '/') > 0
         GROUP BY 1, 2 ORDER BY 1, 2"
    ))?;
    let mut rows = statement.query(params![project, below.prefix, below.end])?;
    let mut found: BTreeMap<String, Vec<LanguageRow>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let language = LanguageRow { language: row.get(1)?, files: row.get(2)?, bytes: row.get(3)? };
        found.entry(row.get(0)?).or_default().push(language);
    }
    Ok(found
        .into_iter()
        .map(|(name, languages)| FolderRow {
            path: format!("{}{name}", below.prefix),
            name,
            files: languages.iter().map(|row| row.files).sum(),
            bytes: languages.iter().map(|row| row.bytes).sum(),
            language: main_language(&languages),
        })
        .collect())
}

/// Returns the files directly in a folder, by name: at most `limit`, and how many there are.
pub fn files(tx: &Transaction<'_>, project: i64, folder: &str, limit: usize) -> Result<(Vec<FileRow>, u64)> {
    let mut statement = tx.prepare_cached(
        "SELECT f.name, f.path, f.size, f.language, f.error, f.is_pending,
             (SELECT count(*) FROM code_symbols AS s WHERE s.file = f.id AND NOT s.is_local)
         FROM code_files AS f WHERE f.project = ?1 AND f.folder = ?2 ORDER BY f.name LIMIT ?3",
    )?;
    let rows = statement.query_map(params![project, folder, limit], |row| {
        Ok(FileRow {
            name: row.get(0)?,
            path: row.get(1)?,
            bytes: row.get(2)?,
            language: row.get(3)?,
            skipped: row.get(4)?,
            is_pending: row.get(5)?,
            symbols: row.get(6)?,
        })
    })?;
    let found = rows.collect::<rusqlite::Result<_>>()?;
    let count = tx
        .prepare_cached("SELECT count(*) FROM code_files WHERE project = ?1 AND folder = ?2")?
        .query_row(params![project, folder], |row| row.get(0))?;
    Ok((found, count))
}

/// Returns the languages of a folder with everything below it, by size.
pub fn languages(tx: &Transaction<'_>, project: i64, folder: &str) -> Result<Vec<LanguageRow>> {
    let below = Below::new(folder);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT language, count(*), sum(size) FROM code_files WHERE {BELOW}
         GROUP BY language ORDER BY 3 DESC, language"
    ))?;
    let rows = statement.query_map(params![project, below.prefix, below.end], |row| {
        Ok(LanguageRow { language: row.get(0)?, files: row.get(1)?, bytes: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the definitions of a file, in the order of the text, without local ones.
pub fn definitions(tx: &Transaction<'_>, file: i64) -> Result<Vec<DefinitionRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT p.project_id || ':' || f.path || '#' || s.qualified_name, s.name, s.kind, s.start_line, s.end_line,
             s.line
         FROM code_symbols AS s JOIN code_files AS f ON f.id = s.file JOIN code_projects AS p ON p.number = f.project
         WHERE s.file = ?1 AND NOT s.is_local ORDER BY s.place",
    )?;
    let rows = statement.query_map([file], |row| {
        Ok(DefinitionRow {
            symbol_id: row.get(0)?,
            name: row.get(1)?,
            symbol_type: row.get(2)?,
            start_line: row.get(3)?,
            end_line: row.get(4)?,
            line: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the language and the error of a file, which the index stores with its content.
pub fn language_and_error(tx: &Transaction<'_>, file: i64) -> Result<(String, Option<String>)> {
    Ok(tx
        .prepare_cached("SELECT language, error FROM code_files WHERE id = ?1")?
        .query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn main_language(languages: &[LanguageRow]) -> String {
    let is_known = |row: &&LanguageRow| row.language != UNKNOWN;
    // The rows are in the order of their names: the first of equal ones is kept.
    let largest = languages.iter().filter(is_known).rev().max_by_key(|row| row.bytes);
    largest.map_or_else(|| UNKNOWN.to_owned(), |row| row.language.clone())
}
