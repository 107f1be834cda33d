//! Links of memories to symbols of the code index, and whether the linked code has changed.
//!
//! A link names its symbol by project, path and qualified name and keeps the symbol's shape: its tokens without
//! comments and layout. The state is computed from the index when it is read, so that undoing a change of the code
//! restores it. [`follow`] stores the new location of a moved definition, because a later change of the definition
//! would hide it.

use limbic_code::{SHAPE_VERSION, are_comparable};
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use super::{Filter, MemoryNode};
use crate::{
    Result, Transaction,
    store::code::{files, projects::Project, symbols::CodeSymbol},
};

/// The location of a symbol: the file's path in the project and the qualified name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolLocation {
    /// Path of the file in its project.
    pub file_path: String,
    /// Name with its scopes.
    pub qualified_name: String,
}

/// A link of a memory to a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLink {
    /// Id of the memory.
    pub memory_id: String,
    /// Id of the project.
    pub project_id: String,
    /// Where the symbol was when it was linked.
    pub location: SymbolLocation,
    /// Its shape hash at that time.
    pub shape_hash: i64,
    /// Whether no other symbol of the project had this shape when it was linked.
    pub is_unique: bool,
    /// Whether a caller named it; otherwise its name was found in the memory's text.
    pub is_given: bool,
    /// Where the symbol moved to.
    pub moved: Option<SymbolLocation>,
}

impl CodeLink {
    /// The id of the symbol when it was linked: `project:path#qualified_name`.
    #[must_use]
    pub fn symbol_id(&self) -> String {
        self.id_at(&self.location)
    }

    /// Where the symbol is, as far as it was followed.
    #[must_use]
    pub(crate) fn present(&self) -> &SymbolLocation {
        self.moved.as_ref().unwrap_or(&self.location)
    }

    /// The state where its symbol has another shape: unknown if that is of another version.
    fn state_at_other(&self, shape: i64) -> CodeState {
        let is_known = are_comparable(shape.cast_unsigned(), self.shape_hash.cast_unsigned());
        if is_known { CodeState::Changed } else { CodeState::Unknown }
    }

    /// The id of a symbol of the same project.
    #[must_use]
    pub fn id_at(&self, location: &SymbolLocation) -> String {
        format!("{}:{}#{}", self.project_id, location.file_path, location.qualified_name)
    }
}

/// Whether the code of a link has changed since it was linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeState {
    /// Its shape is unchanged.
    Holds,
    /// Its shape has changed.
    Changed,
    /// Its shape is unchanged, at another location.
    Moved,
    /// The project no longer contains it.
    Gone,
    /// The project is not indexed or is being read, or the file was not read as it is now, or not all of it, or another
    /// version has derived the shape of the link.
    Unknown,
}

impl CodeState {
    /// Whether a person should review the memory.
    #[must_use]
    pub fn is_due(self) -> bool {
        matches!(self, Self::Changed | Self::Moved | Self::Gone)
    }
}

/// The state of a link, and where its symbol is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// State.
    pub state: CodeState,
    /// The symbol's present location, if it is known and not that of the link.
    pub elsewhere: Option<SymbolLocation>,
}

const COLUMNS: &str = "memory_id, project_id, file_path, qualified_name, shape_hash, is_unique, given, moved_path, \
     moved_name";

fn link(row: &Row<'_>) -> rusqlite::Result<CodeLink> {
    let moved_path: Option<String> = row.get(7)?;
    let moved_name: Option<String> = row.get(8)?;
    Ok(CodeLink {
        memory_id: row.get(0)?,
        project_id: row.get(1)?,
        location: SymbolLocation { file_path: row.get(2)?, qualified_name: row.get(3)? },
        shape_hash: row.get(4)?,
        is_unique: row.get(5)?,
        is_given: row.get(6)?,
        moved: moved_path
            .zip(moved_name)
            .map(|(file_path, qualified_name)| SymbolLocation { file_path, qualified_name }),
    })
}

/// Links a memory to a symbol as it is now. An existing link takes the current shape.
pub(crate) fn put(tx: &Transaction<'_>, memory_id: &str, symbol: &CodeSymbol, is_given: bool) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO memory_symbols (memory_id, project_id, file_path, qualified_name, shape_hash, is_unique, given)
         SELECT ?1, ?2, ?3, ?4, s.shape_hash, NOT EXISTS (SELECT 1 FROM code_symbols AS o
             WHERE o.project = s.project AND o.shape_hash = s.shape_hash AND o.id <> s.id), ?6
         FROM code_symbols AS s WHERE s.id = ?5
         ON CONFLICT DO UPDATE SET shape_hash = excluded.shape_hash, is_unique = excluded.is_unique,
             given = max(given, excluded.given), moved_path = NULL, moved_name = NULL",
    )?
    .execute(params![
        memory_id,
        symbol.project_id,
        symbol.file_path,
        symbol.qualified_name,
        symbol.number,
        is_given
    ])?;
    Ok(())
}

/// Removes the links of a memory that a caller gave, or those found in its text.
pub(crate) fn remove(tx: &Transaction<'_>, memory_id: &str, is_given: bool) -> Result<()> {
    tx.prepare_cached("DELETE FROM memory_symbols WHERE memory_id = ?1 AND given = ?2")?
        .execute(params![memory_id, is_given])?;
    Ok(())
}

/// The links of a memory, by project, path and name.
pub fn of_memory(tx: &Transaction<'_>, memory_id: &str) -> Result<Vec<CodeLink>> {
    list(tx, "memory_id = ?1 ORDER BY project_id, file_path, qualified_name", params![memory_id])
}

/// The links to the symbols of a file, to those of a qualified name first.
pub fn of_file(
    tx: &Transaction<'_>,
    project_id: &str,
    path: &str,
    first: Option<&str>,
) -> Result<Vec<CodeLink>> {
    let mut found = list(
        tx,
        "project_id = ?1 AND file_path = ?2 AND moved_path IS NULL ORDER BY qualified_name, memory_id",
        params![project_id, path],
    )?;
    found.extend(list(
        tx,
        "project_id = ?1 AND moved_path = ?2 ORDER BY moved_name, memory_id",
        params![project_id, path],
    )?);
    // Stable, so that the order of names and memories stays.
    found.sort_by_key(|link| first != Some(link.present().qualified_name.as_str()));
    Ok(found)
}

/// The links to a symbol.
pub fn of_symbol(tx: &Transaction<'_>, symbol: &CodeSymbol) -> Result<Vec<CodeLink>> {
    let at = params![symbol.project_id, symbol.file_path, symbol.qualified_name];
    let mut found = list(
        tx,
        "project_id = ?1 AND file_path = ?2 AND qualified_name = ?3 AND moved_path IS NULL ORDER BY memory_id",
        at,
    )?;
    found.extend(list(tx, "project_id = ?1 AND moved_path = ?2 AND moved_name = ?3 ORDER BY memory_id", at)?);
    Ok(found)
}

/// All links, by project, path, name and memory.
pub fn all(tx: &Transaction<'_>) -> Result<Vec<CodeLink>> {
    list(tx, "true ORDER BY project_id, file_path, qualified_name, memory_id", params![])
}

/// Whether any memory is linked to a symbol.
pub fn exist(tx: &Transaction<'_>) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM memory_symbols LIMIT 1")?.exists([])?)
}

fn list(tx: &Transaction<'_>, condition: &str, values: impl rusqlite::Params) -> Result<Vec<CodeLink>> {
    let mut statement =
        tx.prepare_cached(&format!("SELECT {COLUMNS} FROM memory_symbols WHERE {condition}"))?;
    let rows = statement.query_map(values, link)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The state of a link. What the index knows of the linked files must be current.
pub fn current(tx: &Transaction<'_>, link: &CodeLink) -> Result<Current> {
    let stay = |state| Ok(Current { state, elsewhere: None });
    let project: Option<i64> = tx
        .prepare_cached("SELECT number FROM code_projects WHERE project_id = ?1")?
        .query_row([&link.project_id], |row| row.get(0))
        .optional()?;
    let Some(project) = project else { return stay(CodeState::Unknown) };
    if !files::is_read(tx, project, &link.location.file_path)? {
        return stay(CodeState::Unknown);
    }
    let there = shape_at(tx, project, &link.location)?;
    if there == Some(link.shape_hash) {
        return stay(CodeState::Holds);
    }
    if let Some(location) = &link.moved {
        if !files::is_read(tx, project, &location.file_path)? {
            return stay(CodeState::Unknown);
        }
        if let Some(shape) = shape_at(tx, project, location)? {
            let state = if shape == link.shape_hash { CodeState::Moved } else { link.state_at_other(shape) };
            return Ok(Current { state, elsewhere: Some(location.clone()) });
        }
    }
    if let Some(shape) = there {
        return stay(link.state_at_other(shape));
    }
    for location in [Some(&link.location), link.moved.as_ref()].into_iter().flatten() {
        if !files::is_fully_read(tx, project, &location.file_path)? {
            return stay(CodeState::Unknown);
        }
    }
    if !is_complete(tx, project)? {
        return stay(CodeState::Unknown);
    }
    Ok(match only_place(tx, project, link)? {
        Some(location) => Current { state: CodeState::Moved, elsewhere: Some(location) },
        None => Current { state: CodeState::Gone, elsewhere: None },
    })
}

/// Whether all files of a project were listed and read.
fn is_complete(tx: &Transaction<'_>, project: i64) -> Result<bool> {
    Ok(tx
        .prepare_cached(
            "SELECT 1 FROM code_projects AS p WHERE p.number = ?1 AND p.is_scanned AND NOT EXISTS (
                 SELECT 1 FROM code_files AS f WHERE f.project = p.number AND f.is_pending)",
        )?
        .exists([project])?)
}

/// Returns the location of a link's shape in its project, if there is exactly one and was when it was linked.
fn only_place(tx: &Transaction<'_>, project: i64, link: &CodeLink) -> Result<Option<SymbolLocation>> {
    if !link.is_unique {
        return Ok(None);
    }
    let mut statement = tx.prepare_cached(
        "SELECT f.path, s.qualified_name FROM code_symbols AS s JOIN code_files AS f ON f.id = s.file
         WHERE s.project = ?1 AND s.shape_hash = ?2 LIMIT 2",
    )?;
    let rows = statement.query_map(params![project, link.shape_hash], |row| {
        Ok(SymbolLocation { file_path: row.get(0)?, qualified_name: row.get(1)? })
    })?;
    let mut places: Vec<SymbolLocation> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(places.pop().filter(|_| places.is_empty()))
}

/// The shape of the symbol at a location; `None` if there is none.
pub(crate) fn shape_at(tx: &Transaction<'_>, project: i64, location: &SymbolLocation) -> Result<Option<i64>> {
    Ok(tx
        .prepare_cached(
            "SELECT s.shape_hash FROM code_files AS f
             JOIN code_symbols AS s ON s.file = f.id AND s.qualified_name = ?3
             WHERE f.project = ?1 AND f.path = ?2",
        )?
        .query_row(params![project, location.file_path, location.qualified_name], |row| row.get(0))
        .optional()?)
}

/// Stores where the symbols of a project's links have moved. Called after the index was compared with all files of the
/// project: before, a copy may look like the only place.
pub fn follow(tx: &Transaction<'_>, project: &Project) -> Result<()> {
    restore(tx, project)?;
    for link in list(tx, "project_id = ?1", params![project.id])? {
        if let Current { state: CodeState::Moved, elsewhere: Some(location) } = current(tx, &link)?
            && link.moved.as_ref() != Some(&location)
        {
            set_moved(tx, &link, Some(&location), link.shape_hash)?;
        }
    }
    Ok(())
}

/// Forgets where symbols have moved that are back in the place where they were linked. Called after files were stored.
pub fn restore(tx: &Transaction<'_>, project: &Project) -> Result<()> {
    for link in list(tx, "project_id = ?1 AND moved_path IS NOT NULL", params![project.id])? {
        if shape_at(tx, project.number, &link.location)? == Some(link.shape_hash) {
            set_moved(tx, &link, None, link.shape_hash)?;
        }
    }
    Ok(())
}

/// Stores that the symbol of a link has another name in its file, or another shape hash although it is unchanged. If
/// its code `holds` otherwise, the link takes the shape that it has with this name.
pub(crate) fn rename(
    tx: &Transaction<'_>,
    project: &Project,
    link: &CodeLink,
    qualified_name: &str,
    holds: bool,
) -> Result<()> {
    let now = SymbolLocation {
        file_path: link.present().file_path.clone(),
        qualified_name: qualified_name.to_owned(),
    };
    let Some(shape) = shape_at(tx, project.number, &now)? else { return Ok(()) };
    let moved = (now != link.location).then_some(&now);
    set_moved(tx, link, moved, if holds { shape } else { link.shape_hash })
}

/// Gives a link, whose shape is that of another version, one of this version that no code has: it stays changed.
pub(crate) fn stay_changed(tx: &Transaction<'_>, link: &mut CodeLink) -> Result<()> {
    let [_, digits @ ..] = link.shape_hash.to_le_bytes();
    let mut bytes = [SHAPE_VERSION; 8];
    bytes[1..].copy_from_slice(&digits);
    link.shape_hash = i64::from_le_bytes(bytes);
    set_moved(tx, link, link.moved.as_ref(), link.shape_hash)
}

fn set_moved(
    tx: &Transaction<'_>,
    link: &CodeLink,
    now: Option<&SymbolLocation>,
    shape_hash: i64,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE memory_symbols SET moved_path = ?5, moved_name = ?6, shape_hash = ?7
         WHERE memory_id = ?1 AND project_id = ?2 AND file_path = ?3 AND qualified_name = ?4",
    )?
    .execute(params![
        link.memory_id,
        link.project_id,
        link.location.file_path,
        link.location.qualified_name,
        now.map(|location| &location.file_path),
        now.map(|location| &location.qualified_name),
        shape_hash
    ])?;
    Ok(())
}

/// The memories of links that a filter and `is_wanted` admit, each once, with its link, at most `limit`.
/// Without a user in the filter, only memories that belong to no user.
pub fn memories_of(
    tx: &Transaction<'_>,
    links: impl IntoIterator<Item = CodeLink>,
    filter: &Filter<'_>,
    limit: usize,
    is_wanted: impl Fn(&MemoryNode) -> Result<bool>,
) -> Result<Vec<(MemoryNode, CodeLink)>> {
    let mut found: Vec<(MemoryNode, CodeLink)> = Vec::new();
    for link in links {
        if found.len() >= limit {
            break;
        }
        if found.iter().any(|(memory, ..)| memory.id == link.memory_id) {
            continue;
        }
        let Some(memory) = super::find(tx, &link.memory_id)? else { continue };
        let is_owned = filter.user_id.is_none() && memory.user_id.is_some();
        if !is_owned && super::admits(tx, filter, memory.number)? && is_wanted(&memory)? {
            found.push((memory, link));
        }
    }
    Ok(found)
}
