//! Symbols by names as people write them: an id, a path with a qualified name, or the end of a qualified name.

use rusqlite::params;

use super::{
    projects,
    symbols::{self, CodeSymbol},
};
use crate::{Error, Result, Transaction};

/// Maximum number of symbols that are loaded for a name: more are as ambiguous.
const MAX_SYMBOLS: usize = 6;

/// The symbols of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    /// None.
    None,
    /// Exactly one.
    One(Box<CodeSymbol>),
    /// Several, some of them by their ids.
    Several(Vec<String>),
}

/// Finds the symbol of a name: `project:path#qualified.name`, `path#qualified.name`, or the end of a qualified name
/// such as `Order.total` or `total`. If several projects have symbols of that name, only those of the project
/// `preferred` count, if it has any. Symbols inside functions count only if their id is given.
pub(crate) fn find(tx: &Transaction<'_>, name: &str, preferred: &str) -> Result<Named> {
    let mut found = Vec::new();
    let known = projects::all(tx)?;
    for project in &known {
        let rest = name.strip_prefix(project.id.as_str()).and_then(|rest| rest.strip_prefix(':'));
        for place in rest.into_iter().chain([name]) {
            for (at, _) in place.match_indices('#') {
                found.extend(symbols::named(tx, project.number, &place[..at], &place[at + 1..])?);
            }
        }
        if !name.contains('#') {
            found.extend(of_project(tx, project.number, name)?);
        }
    }
    if found.iter().any(|symbol: &CodeSymbol| symbol.project_id == preferred) {
        found.retain(|symbol| symbol.project_id == preferred);
    }
    Ok(match found.len() {
        0 => Named::None,
        1 => Named::One(Box::new(found.remove(0))),
        _ => {
            let mut ids: Vec<String> = found.iter().map(CodeSymbol::id).collect();
            ids.sort();
            ids.truncate(MAX_SYMBOLS);
            Named::Several(ids)
        }
    })
}

/// Returns the files that may define a name, by project and path: they must be up to date before the name is looked
/// up.
pub fn files(tx: &Transaction<'_>, name: &str) -> Result<Vec<(i64, String)>> {
    let mut found = Vec::new();
    for project in projects::all(tx)? {
        let rest = name.strip_prefix(project.id.as_str()).and_then(|rest| rest.strip_prefix(':'));
        for place in rest.into_iter().chain([name]) {
            found.extend(place.match_indices('#').map(|(at, _)| (project.number, place[..at].to_owned())));
        }
        if !name.contains('#') {
            let symbols = of_project(tx, project.number, name)?;
            found.extend(symbols.into_iter().map(|symbol| (project.number, symbol.file_path)));
        }
    }
    Ok(found)
}

/// Returns the symbol of a name; see [`find`].
///
/// # Errors
/// [`Error::SymbolNotFound`]; [`Error::InvalidArgument`] if there are several.
pub(crate) fn require(tx: &Transaction<'_>, name: &str, preferred: &str) -> Result<CodeSymbol> {
    match find(tx, name, preferred)? {
        Named::One(symbol) => Ok(*symbol),
        Named::None => Err(Error::SymbolNotFound(name.to_owned())),
        Named::Several(ids) => Err(Error::invalid(format!(
            "{name:?} names several symbols: give the id of one: {}",
            ids.join(", ")
        ))),
    }
}

fn of_project(tx: &Transaction<'_>, project: i64, name: &str) -> Result<Vec<CodeSymbol>> {
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    let numbers: Vec<i64> = tx
        .prepare_cached(
            "SELECT id FROM code_symbols
             WHERE project = ?1 AND name = ?2 COLLATE NOCASE AND name = ?2 AND NOT is_local
                 AND (?2 = ?3 OR qualified_name = ?3 OR substr(qualified_name, -length(?3) - 1) = '.' || ?3)
             ORDER BY id LIMIT ?4",
        )?
        .query_map(params![project, last, name, MAX_SYMBOLS], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        found.extend(symbols::get(tx, number)?);
    }
    Ok(found)
}
