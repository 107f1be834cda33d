//! Watched projects: which folders a shell watches, and what a change in one of them leads to.

use limbic_core::{
    Engine, Result,
    model::project_status::ProjectStatus,
    store::code::{
        files::{self, FileStat},
        projects::{self, Project},
    },
};
use serde::Serialize;

use crate::{
    code_files::{CodeFiles, Found, PathState},
    indexing,
};

/// Names of files whose change may add files to a project or remove some.
const RULES: [&str; 2] = [".gitignore", ".memoryignore"];

/// New paths at once above which the project is compared: for each of them, the ignore rules on its way are read.
const MAX_NEW_PATHS: usize = 16;

/// A watched project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchedProject {
    /// Absolute path of its folder.
    pub root: String,
    /// The folders below it that no ignore rule excludes, relative to it; empty for the folder itself.
    pub folders: Vec<String>,
}

/// Projects and the numbers of the walks whose folders a shell watches.
pub type Watch = Vec<(String, u64)>;

/// Returns the watched projects that this shell has walked, with their folders, unless they are those that `watch` has
/// from the call before.
pub fn folders(
    memory: &mut Engine,
    disk: &dyn CodeFiles,
    watch: &mut Option<Watch>,
) -> Result<Option<Vec<WatchedProject>>> {
    let projects = memory.read(projects::watched)?;
    let walked: Vec<_> = projects
        .into_iter()
        .filter(|project| disk.reaches(&project.path))
        .filter_map(|project| disk.walked(&project.path).map(|walked| (project.path, walked)))
        .collect();
    let wanted: Watch = walked.iter().map(|(root, walked)| (root.clone(), walked.number)).collect();
    if watch.as_ref() == Some(&wanted) {
        return Ok(None);
    }
    *watch = Some(wanted);
    let watched =
        walked.into_iter().map(|(root, walked)| WatchedProject { root, folders: walked.folders.clone() });
    Ok(Some(watched.collect()))
}

/// Prepares the index for changes at paths below the folder of a project: marks files as pending, or starts a sweep if
/// the changed files are unknown from the paths. Without paths, any file may have. Does nothing if the project is no
/// longer watched. Returns the row number of the project if it waits for a sweep.
pub fn changed(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    root: &str,
    paths: &[String],
) -> Result<Option<i64>> {
    let Some(project) = memory.read(|tx| projects::at(tx, root))? else { return Ok(None) };
    if !project.is_watched || !disk.reaches(root) {
        return Ok(None);
    }
    let mut expected = Vec::new();
    let mut needs_sweep = paths.is_empty();
    let mut new_paths = 0;
    for path in paths {
        match effect(memory, disk, &project, path, &mut new_paths)? {
            Effect::None => {}
            Effect::Read(stat) => expected.push((path, stat)),
            Effect::Sweep => {
                needs_sweep = true;
                break;
            }
        }
    }
    if needs_sweep {
        sweep(memory, &project)?;
        return Ok(Some(project.number));
    }
    if !expected.is_empty() {
        memory.write(|tx| {
            for (path, stat) in &expected {
                files::expect(tx, project.number, path, *stat)?;
            }
            projects::resume(tx, project.number)
        })?;
    }
    Ok(None)
}

/// Starts a sweep, unless one has started that has yet to list the files: starting it again would put it behind other
/// projects each time.
fn sweep(memory: &mut Engine, project: &Project) -> Result<()> {
    if project.status == ProjectStatus::Indexing && !project.is_scanned {
        return Ok(());
    }
    memory.write(|tx| projects::restart(tx, project.number))
}

/// The effect of a change at a path.
enum Effect {
    None,
    /// The file is read.
    Read(FileStat),
    Sweep,
}

/// The effect of a change at a path. `new_paths` counts the paths of files and folders that the index does not have.
fn effect(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    project: &Project,
    path: &str,
    new_paths: &mut usize,
) -> Result<Effect> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if RULES.contains(&name) {
        return Ok(Effect::Sweep);
    }
    let known = memory.read(|tx| files::at(tx, project.number, path))?;
    if let Some(file) = known {
        return Ok(match disk.stat(&project.path, path) {
            // A pending file is marked again: another server may be reading what it was before.
            Found::File(stat) if stat == file.stat && !file.is_pending => Effect::None,
            Found::File(stat) => Effect::Read(stat),
            Found::NoProject => Effect::None,
            Found::Gone if disk.path_state(&project.path, path) == Ok(PathState::Folder) => Effect::Sweep,
            Found::Gone | Found::Unreadable(_) => Effect::Read(file.stat),
        });
    }
    if *new_paths >= MAX_NEW_PATHS {
        return Ok(Effect::Sweep);
    }
    // Without ignore rules, a sweep reports why.
    let state = disk.path_state(&project.path, path).unwrap_or(PathState::Folder);
    *new_paths += usize::from(state != PathState::Nothing);
    Ok(match state {
        PathState::File(stat) if indexing::is_wanted(project, path) => Effect::Read(stat),
        PathState::File(_) | PathState::Excluded => Effect::None,
        PathState::Folder => Effect::Sweep,
        PathState::Nothing => match memory.read(|tx| files::has_below(tx, project.number, path))? {
            true => Effect::Sweep,
            false => Effect::None,
        },
    })
}
