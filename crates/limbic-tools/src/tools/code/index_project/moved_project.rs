//! Projects whose folder was moved, or has another path now.

use limbic_core::{
    Result,
    mutations::code::content_hash,
    store::code::{
        files::{self, CodeFile},
        projects::{self, Project},
    },
};

use crate::{
    code_files::{CodeFiles, FolderProblem, Found},
    context::Context,
};

/// Maximum number of files by which a moved project is recognised.
const MAX_COMPARED: usize = 100;

/// Returns the row number of the project that a folder is, if it is known with another path: one that now leads to the
/// folder through a link, or one whose own folder is gone and that has the id or the files of this one.
pub fn find(context: &mut Context<'_>, folder: &str, id: Option<&str>) -> Result<Option<i64>> {
    let known = context.memory.read(projects::all)?;
    if known.iter().any(|project| project.path == folder) {
        return Ok(None);
    }
    let mut gone = Vec::new();
    for project in known {
        match context.code_files()?.project(&project.path) {
            Ok(found) if found.path == folder => return Ok(Some(project.number)),
            Err(FolderProblem::Missing | FolderProblem::NotAFolder) => gone.push(project),
            Ok(_) | Err(FolderProblem::Outside { .. } | FolderProblem::Other(_)) => {}
        }
    }
    if let Some(project) = gone.iter().find(|project| Some(project.id.as_str()) == id) {
        return Ok(Some(project.number));
    }
    for Project { number, .. } in gone {
        let files = context.memory.read(|tx| files::all(tx, number))?;
        if has_files(context.code_files()?, folder, files.values()) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Whether a folder has at least three quarters of the files of a project, by path and content.
fn has_files<'a>(
    disk: &mut dyn CodeFiles,
    folder: &str,
    files: impl Iterator<Item = &'a CodeFile> + Clone,
) -> bool {
    let files = files.filter(|file| file.facts_version > 0 && file.stat.size > 0);
    let step = files.clone().count().div_ceil(MAX_COMPARED).max(1);
    let (mut compared, mut same) = (0, 0);
    for file in files.step_by(step) {
        compared += 1;
        let there = disk.read(folder, &file.path);
        same += usize::from(matches!(there, Found::File((_, bytes)) if content_hash(&bytes) == file.hash));
    }
    compared > 0 && 4 * same >= 3 * compared
}
