//! Changes in the folders of projects, and the event that reports them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Changes that wait to be reported, by project.
#[derive(Default)]
pub struct Changes(Mutex<BTreeMap<String, BTreeSet<String>>>);

impl Changes {
    /// Adds a change. Returns whether there was none.
    pub fn add(&self, Change { root, path }: Change) -> bool {
        let mut changes = self.lock();
        let is_first = changes.is_empty();
        note(changes.entry(root).or_default(), path);
        is_first
    }

    /// Takes all changes: folders of projects with paths below them, or without if anything may have changed.
    pub fn take(&self) -> Vec<(String, Vec<String>)> {
        let changes = mem::take(&mut *self.lock());
        let paths = |paths: BTreeSet<String>| match paths.contains("") {
            true => Vec::new(),
            false => paths.into_iter().collect(),
        };
        changes.into_iter().map(|(root, changed)| (root, paths(changed))).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Sends all changes as events. Returns whether the server still receives them.
    pub fn send(&self, events: &Sender<Event>) -> bool {
        self.take().into_iter().all(|(root, paths)| events.send(Event::FilesChanged { root, paths }).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeSet<String>>> {
        // A panic leaves at worst a path out.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds a changed path. Too many become the empty one: anything may have changed.
fn note(paths: &mut BTreeSet<String>, path: String) {
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
    fn changes_are_taken_once_by_project() {
        let changes = Changes::default();
        let change = |root: &str, path: &str| Change { root: root.to_owned(), path: path.to_owned() };
        assert!(changes.is_empty() && changes.add(change("/p", "b.py")));
        for (root, path) in [("/p", "a.py"), ("/q", "c.py"), ("/q", "")] {
            assert!(!changes.add(change(root, path)));
        }
        let paths = vec!["a.py".to_owned(), "b.py".to_owned()];
        assert_eq!(changes.take(), [("/p".to_owned(), paths), ("/q".to_owned(), Vec::new())]);
        assert!(changes.is_empty() && changes.take().is_empty());
    }

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
