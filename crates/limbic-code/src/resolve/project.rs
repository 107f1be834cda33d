//! A project in memory: for tests, the benchmark and shells without a database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::keys::changed_keys;
use super::resolver::Resolver;
use super::{ProjectView, Resolution};
use crate::facts::{FileFacts, Outline};

/// The facts of all files of a project, with the indexes that [`ProjectView`] needs.
#[derive(Default)]
pub struct Project {
    files: BTreeMap<String, (FileFacts, Arc<Outline>)>,
    defining: BTreeMap<String, BTreeSet<String>>,
    folders: BTreeMap<String, BTreeSet<String>>,
    file_names: BTreeMap<String, BTreeSet<String>>,
}

impl Project {
    /// An empty project.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file, or removes it. Returns the keys that this changes, as [`changed_keys`] does.
    pub fn set(&mut self, path: &str, facts: Option<FileFacts>) -> Vec<u64> {
        let old = self.files.remove(path);
        let (folder, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let old_outline = old.map(|(_, outline)| outline);
        if let Some(outline) = &old_outline {
            for name in defined_names(outline) {
                take(&mut self.defining, name, path);
            }
            take(&mut self.folders, folder, path);
            take(&mut self.file_names, file_name, path);
        }
        let new_outline = facts.as_ref().map(|facts| Arc::new(facts.outline.clone()));
        let keys = changed_keys(path, old_outline.as_deref(), new_outline.as_deref());
        if let (Some(facts), Some(outline)) = (facts, new_outline) {
            for name in defined_names(&outline) {
                self.defining.entry(name.to_owned()).or_default().insert(path.to_owned());
            }
            self.folders.entry(folder.to_owned()).or_default().insert(path.to_owned());
            self.file_names.entry(file_name.to_owned()).or_default().insert(path.to_owned());
            self.files.insert(path.to_owned(), (facts, outline));
        }
        keys
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The facts of a file.
    #[must_use]
    pub fn facts(&self, path: &str) -> Option<&FileFacts> {
        self.files.get(path).map(|(facts, _)| facts)
    }

    /// Resolves the references of every file.
    #[must_use]
    pub fn resolve_all(&self) -> BTreeMap<String, Resolution> {
        let resolver = Resolver::new(self);
        let resolve = |(path, (facts, outline)): (&String, &(FileFacts, Arc<Outline>))| {
            (path.clone(), resolver.resolve(path, outline, &facts.references))
        };
        self.files.iter().map(resolve).collect()
    }
}

/// The names under which [`ProjectView::paths_defining`] finds a file.
fn defined_names(outline: &Outline) -> impl Iterator<Item = &str> {
    let symbols = outline.symbols.iter().map(|symbol| symbol.name.as_str());
    symbols.chain(outline.implementations.iter().map(|implementation| implementation.of.last()))
}

fn take(index: &mut BTreeMap<String, BTreeSet<String>>, key: &str, path: &str) {
    if let Some(paths) = index.get_mut(key) {
        paths.remove(path);
        if paths.is_empty() {
            index.remove(key);
        }
    }
}

fn list(index: &BTreeMap<String, BTreeSet<String>>, key: &str) -> Vec<String> {
    index.get(key).map(|paths| paths.iter().cloned().collect()).unwrap_or_default()
}

impl ProjectView for Project {
    fn outline(&self, path: &str) -> Option<Arc<Outline>> {
        self.files.get(path).map(|(_, outline)| outline.clone())
    }

    fn paths_defining(&self, name: &str) -> Vec<String> {
        list(&self.defining, name)
    }

    fn paths_in(&self, folder: &str) -> Vec<String> {
        list(&self.folders, folder)
    }

    fn paths_named(&self, file_name: &str) -> Vec<String> {
        list(&self.file_names, file_name)
    }
}
