//! Rows of `code_symbols`, `code_names` and `code_imports`: the facts of a file.

use std::collections::{BTreeSet, HashMap};

use limbic_code::{FileFacts, Outline};
use rusqlite::{OptionalExtension, Row, params};

use super::{files::CodeFile, references};
use crate::{Result, Transaction};

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSymbol {
    /// Row number.
    pub number: i64,
    /// Id of its project.
    pub project_id: String,
    /// Row number of its project.
    pub project: i64,
    /// Path of its file.
    pub file_path: String,
    /// Name.
    pub name: String,
    /// Name with its scopes, unique in the file.
    pub qualified_name: String,
    /// Kind.
    pub kind: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Line of the name.
    pub line: u32,
    /// Declaration without the body.
    pub signature: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Qualified name of the enclosing symbol.
    pub parent: Option<String>,
}

impl CodeSymbol {
    /// The id that callers use: `project:path#qualified_name`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}#{}", self.project_id, self.file_path, self.qualified_name)
    }
}

const COLUMNS: &str = "s.id, p.project_id, s.project, f.path, s.name, s.qualified_name, s.kind, s.start_line,
     s.end_line, s.line, s.signature, s.doc, o.qualified_name";

const FROM: &str = "code_symbols AS s JOIN code_files AS f ON f.id = s.file
     JOIN code_projects AS p ON p.number = s.project LEFT JOIN code_symbols AS o ON o.id = s.parent";

fn symbol(row: &Row<'_>) -> rusqlite::Result<CodeSymbol> {
    Ok(CodeSymbol {
        number: row.get(0)?,
        project_id: row.get(1)?,
        project: row.get(2)?,
        file_path: row.get(3)?,
        name: row.get(4)?,
        qualified_name: row.get(5)?,
        kind: row.get(6)?,
        start_line: row.get(7)?,
        end_line: row.get(8)?,
        line: row.get(9)?,
        signature: row.get(10)?,
        doc: row.get(11)?,
        parent: row.get(12)?,
    })
}

/// The symbol of a row number.
pub fn get(tx: &Transaction<'_>, number: i64) -> Result<Option<CodeSymbol>> {
    Ok(tx
        .prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE s.id = ?1"))?
        .query_row([number], symbol)
        .optional()?)
}

/// The symbol of a qualified name in a file.
pub fn named(
    tx: &Transaction<'_>,
    project: i64,
    path: &str,
    qualified_name: &str,
) -> Result<Option<CodeSymbol>> {
    match number_of(tx, project, path, qualified_name)? {
        Some(number) => get(tx, number),
        None => Ok(None),
    }
}

/// The innermost symbol that encloses a line of a file.
pub fn enclosing(tx: &Transaction<'_>, project: i64, path: &str, line: u32) -> Result<Option<CodeSymbol>> {
    let number = tx
        .prepare_cached(
            "SELECT s.id FROM code_files AS f CROSS JOIN code_symbols AS s ON s.file = f.id
             WHERE f.project = ?1 AND f.path = ?2 AND ?3 BETWEEN s.start_line AND s.end_line
             ORDER BY s.end_line - s.start_line, s.place DESC LIMIT 1",
        )?
        .query_row(params![project, path, line], |row| row.get(0))
        .optional()?;
    match number {
        Some(number) => get(tx, number),
        None => Ok(None),
    }
}

/// Which symbols a search lists.
#[derive(Debug, Clone, Default)]
pub struct SymbolFilter {
    /// Part of the name or of the qualified name, whatever its case; all if empty.
    pub query: String,
    /// Row number of the project; all if `None`.
    pub project: Option<i64>,
    /// Kind.
    pub kind: Option<String>,
    /// Start of the file's path.
    pub path_prefix: Option<String>,
}

/// The place of a symbol in the list of a search. Edits that move its lines do not change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// How its name fits: 0 for exact names to 3.
    pub rank: i64,
    /// Its name.
    pub name: String,
    /// Id of its project.
    pub project_id: String,
    /// Path of its file.
    pub file_path: String,
    /// Its name with its scopes, unique in the file.
    pub qualified_name: String,
}

/// A page of symbols that fit.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The symbols.
    pub symbols: Vec<CodeSymbol>,
    /// Number of all that fit.
    pub total: u64,
    /// The place of the last one, if others come after it.
    pub last: Option<Position>,
}

/// Returns a page of the symbols that fit, after a place: exact names first, then names that start with the query, then
/// others; by name, project, path and qualified name. Local symbols are omitted.
pub fn search(
    tx: &Transaction<'_>,
    filter: &SymbolFilter,
    after: Option<&Position>,
    limit: usize,
) -> Result<Page> {
    // A qualified name contains the name. Every symbol is looked at, but only the file of one that fits.
    const FITS: &str = "NOT s.is_local AND (?2 IS NULL OR s.project = ?2) AND (?3 IS NULL OR s.kind = ?3)
         AND instr(lower(s.qualified_name), lower(?1)) > 0
         AND (?4 IS NULL OR (SELECT substr(path, 1, length(?4)) FROM code_files WHERE id = s.file) = ?4)";
    const RANK: &str =
        "CASE WHEN s.name = ?1 OR s.qualified_name = ?1 THEN 0 WHEN lower(s.name) = lower(?1) THEN 1
         WHEN instr(lower(s.name), lower(?1)) = 1 THEN 2 ELSE 3 END";
    const ORDER: &str = "s.name, p.project_id, f.path, s.qualified_name";
    let SymbolFilter { query, project, kind, path_prefix } = filter;
    // One more shows whether there is another page.
    let most = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let mut found: Vec<(CodeSymbol, i64)> = {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT {COLUMNS}, {RANK} FROM {FROM}
             WHERE {FITS} AND (?6 IS NULL OR ({RANK}, {ORDER}) > (?6, ?7, ?8, ?9, ?10))
             ORDER BY {RANK}, {ORDER} LIMIT ?5"
        ))?;
        let rows = statement.query_map(
            params![
                query,
                project,
                kind,
                path_prefix,
                most,
                after.map(|it| it.rank),
                after.map(|it| &it.name),
                after.map(|it| &it.project_id),
                after.map(|it| &it.file_path),
                after.map(|it| &it.qualified_name)
            ],
            |row| Ok((symbol(row)?, row.get(13)?)),
        )?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let has_more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| has_more).map(|(symbol, rank)| Position {
        rank: *rank,
        name: symbol.name.clone(),
        project_id: symbol.project_id.clone(),
        file_path: symbol.file_path.clone(),
        qualified_name: symbol.qualified_name.clone(),
    });
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM code_symbols AS s WHERE {FITS}"))?
        .query_row(params![query, project, kind, path_prefix], |row| row.get(0))?;
    Ok(Page { symbols: found.into_iter().map(|(symbol, ..)| symbol).collect(), total, last })
}

/// Symbols directly inside another one, in the order of the text.
pub fn members(tx: &Transaction<'_>, number: i64) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached("SELECT id FROM code_symbols WHERE parent = ?1 ORDER BY place")?;
    let rows = statement.query_map([number], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The row number of the symbol that encloses another one.
pub fn parent(tx: &Transaction<'_>, number: i64) -> Result<Option<i64>> {
    Ok(tx
        .prepare_cached("SELECT parent FROM code_symbols WHERE id = ?1")?
        .query_row([number], |row| row.get(0))
        .optional()?
        .flatten())
}

/// Replaces the facts of a file. A symbol whose qualified name was there before keeps its number.
pub(crate) fn replace(tx: &Transaction<'_>, file: &CodeFile, facts: &FileFacts) -> Result<()> {
    let outline = &facts.outline;
    let mut old = numbers(tx, file.id)?;
    let mut placed = Vec::with_capacity(outline.symbols.len());
    let mut written: HashMap<&str, i64> = HashMap::with_capacity(outline.symbols.len());
    // One statement with ON CONFLICT and RETURNING takes three times as long: it gathers its result in a table.
    let mut insert = tx.prepare_cached(
        "INSERT INTO code_symbols (project, file, place, name, qualified_name, kind, start_line, end_line, line,
             signature, doc, shape_hash, is_local, parent)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let mut update = tx.prepare_cached(
        "UPDATE code_symbols SET place = ?2, name = ?3, kind = ?4, start_line = ?5, end_line = ?6, line = ?7,
             signature = ?8, doc = ?9, shape_hash = ?10, is_local = ?11, parent = ?12 WHERE id = ?1",
    )?;
    for (place, found) in outline.symbols.iter().enumerate() {
        let parent = found.parent.and_then(|parent| placed.get(parent as usize)).copied();
        let name = found.qualified_name.as_str();
        let number = match old.remove(name).or_else(|| written.get(name).copied()) {
            Some(number) => {
                update.execute(params![
                    number,
                    place,
                    found.name,
                    found.kind.as_str(),
                    found.start_line,
                    found.end_line,
                    found.line,
                    found.signature,
                    found.doc,
                    found.shape_hash.cast_signed(),
                    found.is_local,
                    parent
                ])?;
                number
            }
            None => {
                insert.execute(params![
                    file.project,
                    file.id,
                    place,
                    found.name,
                    name,
                    found.kind.as_str(),
                    found.start_line,
                    found.end_line,
                    found.line,
                    found.signature,
                    found.doc,
                    found.shape_hash.cast_signed(),
                    found.is_local,
                    parent
                ])?;
                tx.last_insert_rowid()
            }
        };
        written.insert(name, number);
        placed.push(number);
    }
    for number in old.into_values() {
        delete(tx, number)?;
    }
    forget_texts(tx, file.id)?;
    store_names(tx, file, outline)?;
    references::replace(tx, file.id, &facts.references)?;
    store_imports(tx, file.id, outline)
}

/// The symbols of a file with more than a name and a value, with their first and last lines, by qualified name.
pub(crate) fn spans(tx: &Transaction<'_>, file: i64) -> Result<Vec<(String, u32, u32)>> {
    let mut statement = tx.prepare_cached(
        "SELECT qualified_name, start_line, end_line FROM code_symbols
         WHERE file = ?1 AND NOT is_local AND kind NOT IN ('constant', 'type') ORDER BY place",
    )?;
    let rows = statement.query_map([file], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Deletes the facts of a file. Returns how many symbols it had.
pub(crate) fn delete_of(tx: &Transaction<'_>, file: i64) -> Result<usize> {
    let old = numbers(tx, file)?;
    old.values().try_for_each(|number| delete(tx, *number))?;
    forget_texts(tx, file)?;
    references::delete(tx, file)?;
    Ok(old.len())
}

/// The numbers of a file's symbols, by place.
pub(crate) fn places(tx: &Transaction<'_>, file: i64) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached("SELECT id FROM code_symbols WHERE file = ?1 ORDER BY place")?;
    let rows = statement.query_map([file], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The number of a symbol by its project, path and qualified name.
pub(crate) fn number_of(
    tx: &Transaction<'_>,
    project: i64,
    path: &str,
    qualified_name: &str,
) -> Result<Option<i64>> {
    Ok(tx
        .prepare_cached(
            "SELECT s.id FROM code_files AS f CROSS JOIN code_symbols AS s ON s.file = f.id AND s.qualified_name = ?3
             WHERE f.project = ?1 AND f.path = ?2",
        )?
        .query_row(params![project, path, qualified_name], |row| row.get(0))
        .optional()?)
}

fn numbers(tx: &Transaction<'_>, file: i64) -> Result<HashMap<String, i64>> {
    let mut statement = tx.prepare_cached("SELECT qualified_name, id FROM code_symbols WHERE file = ?1")?;
    let rows = statement.query_map([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn delete(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_edges WHERE to_symbol = ?1")?.execute([number])?;
    tx.prepare_cached("DELETE FROM code_symbols WHERE id = ?1")?.execute([number])?;
    Ok(())
}

fn forget_texts(tx: &Transaction<'_>, file: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_edges WHERE file = ?1")?.execute([file])?;
    tx.prepare_cached("DELETE FROM code_names WHERE file = ?1")?.execute([file])?;
    tx.prepare_cached("DELETE FROM code_imports WHERE file = ?1")?.execute([file])?;
    Ok(())
}

fn store_names(tx: &Transaction<'_>, file: &CodeFile, outline: &Outline) -> Result<()> {
    let symbols = outline.symbols.iter().map(|symbol| symbol.name.as_str());
    let names: BTreeSet<&str> =
        symbols.chain(outline.implementations.iter().map(|it| it.of.last())).collect();
    let mut statement =
        tx.prepare_cached("INSERT INTO code_names (project, name, file) VALUES (?1, ?2, ?3)")?;
    for name in names {
        statement.execute(params![file.project, name, file.id])?;
    }
    Ok(())
}

fn store_imports(tx: &Transaction<'_>, file: i64, outline: &Outline) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO code_imports (file, place, line, module, name, local) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (place, import) in outline.imports.iter().enumerate() {
        statement.execute(params![file, place, import.line, import.module, import.name, import.local])?;
    }
    Ok(())
}
