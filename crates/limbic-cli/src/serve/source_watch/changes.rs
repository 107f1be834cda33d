//! Changes in the folders of projects, and the event that reports them.

use std::collections::BTreeSet;
use std::io;

use crate::serve::reader::Event;

/// Maximum number of changed paths; above, the whole project is compared.
const MAX_PATHS: usize = 1000;

/// A change: the folder of a project, and a path below it; empty if anything in the project may have changed.
pub struct Change {
    pub root: String,
    pub path: String,
}

/// The folders that are watched from now on.
pub struct Followed {
    /// The roots of projects with a folder that was not watched before.
    pub new: Vec<String>,
    /// Why some folders are not watched.
    pub failure: Option<io::Error>,
}

/// The event of changes in a project.
pub fn event(root: String, paths: BTreeSet<String>) -> Event {
    let paths = if paths.contains("") { Vec::new() } else { paths.into_iter().collect() };
    Event::FilesChanged { root, paths }
}

/// Adds a changed path. Too many become the empty one: anything may have changed.
pub fn note(paths: &mut BTreeSet<String>, path: String) {
    if !paths.contains("") {
        paths.insert(path);
    }
    if paths.contains("") || paths.len() > MAX_PATHS {
        *paths = BTreeSet::from([String::new()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_changed_paths_become_a_change_of_anything() {
        let mut paths = BTreeSet::new();
        for number in 0..MAX_PATHS {
            note(&mut paths, format!("{number}.py"));
        }
        assert_eq!(paths.len(), MAX_PATHS);
        for path in ["one more", "and another"] {
            note(&mut paths, path.to_owned());
            assert_eq!(paths, BTreeSet::from([String::new()]));
        }
    }
}
