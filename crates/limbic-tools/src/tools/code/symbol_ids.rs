//! Symbols by their ids, `project:path#qualified.name`.

use limbic_core::{
    Error, Result, Transaction,
    store::code::{
        projects::{self, Project},
        symbols::{self, CodeSymbol},
    },
};

use crate::indexing::Shown;

/// Returns the symbol of an id. Paths and names may contain `#`.
pub fn find(tx: &Transaction<'_>, id: &str) -> Result<CodeSymbol> {
    let missing = || Error::SymbolNotFound(id.to_owned());
    let (project, rest) = id.split_once(':').ok_or_else(missing)?;
    let project = projects::get(tx, project)?;
    for (at, _) in rest.match_indices('#') {
        if let Some(found) = symbols::named(tx, project.number, &rest[..at], &rest[at + 1..])? {
            return Ok(found);
        }
    }
    Err(missing())
}

/// Returns the files that an id may name.
pub fn files(tx: &Transaction<'_>, id: &str) -> Result<Shown> {
    let Some((project, rest)) = id.split_once(':') else { return Ok(Shown::new()) };
    let project = projects::get(tx, project)?;
    Ok(rest.match_indices('#').map(|(at, _)| (project.number, rest[..at].to_owned())).collect())
}

/// Returns the project of an id; without one, the only project.
pub fn project_or_only(tx: &Transaction<'_>, id: Option<&str>) -> Result<Project> {
    if let Some(id) = id {
        return projects::get(tx, id);
    }
    let mut known = projects::all(tx)?;
    match known.len() {
        1 => Ok(known.remove(0)),
        0 => Err(Error::invalid("No project is indexed yet, so that no file or symbol can be found")),
        count => Err(Error::invalid(format!(
            "project_id is missing, and there are {count} projects: {}",
            known.iter().map(|project| project.id.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// Returns the row number of the project of an id, if one is given.
pub fn number_of(tx: &Transaction<'_>, id: Option<&str>) -> Result<Option<i64>> {
    id.map(|id| projects::get(tx, id).map(|project| project.number)).transpose()
}
