//! What a walk has seen of a project, and what has changed since.

use std::hash::{DefaultHasher, Hash, Hasher};

use limbic_tools::FileStat;

use crate::disk::{Disk, Entry, Failure, Kind};
use crate::git;
use crate::paths::below;

/// Number of changed files above which a new walk is as fast as naming them.
const MAX_CHANGED: usize = 2_000;

/// What a walk has seen. The time of a folder shows whether entries were added or removed, so that a comparison lists
/// only folders whose time has changed, and evaluates no ignore rules.
#[derive(Debug, Default)]
pub struct Seen {
    folders: Vec<Folder>,
    /// The files that the walk has found. Those that could not be looked at have no time.
    files: Vec<(String, FileStat)>,
    rules: Vec<RuleFile>,
    /// The ignore files that could not be read, each as a base and a path from there.
    unread_rules: Vec<(String, String)>,
    /// The top of the work tree of git that the project is in.
    work_tree: Option<String>,
}

/// A folder that the walk has entered.
#[derive(Debug)]
struct Folder {
    path: String,
    /// From before it was listed; `None` if it is none.
    stat: Option<FileStat>,
    /// Hash of the names and kinds of its entries; `None` if it could not be listed.
    entries: Option<u64>,
}

/// An ignore file that the walk has looked for.
#[derive(Debug)]
struct RuleFile {
    /// An absolute path, from which `path` leads to the file.
    base: String,
    path: String,
    /// `None` if there is no such file.
    stat: Option<FileStat>,
}

impl Seen {
    /// Lists a folder that is reached without links; see [`Disk::list`].
    pub fn list(&mut self, disk: &impl Disk, root: &str, path: &str) -> Result<Vec<Entry>, Failure> {
        let stat = stat_of(disk, root, path, Kind::Folder);
        let listed = disk.list(root, path);
        // A link may have taken its place: nothing is listed outside.
        let is_here = |real: &String| below(root, real).is_some_and(|real| real == path);
        if listed.is_ok() && !disk.real_path(root, path).is_ok_and(|real| is_here(&real)) {
            return Err(Failure::Missing);
        }
        if !matches!(listed, Err(Failure::Missing)) {
            let entries = listed.as_ref().ok().map(|entries| hash(entries));
            self.folders.push(Folder { path: path.to_owned(), stat, entries });
        }
        listed
    }

    /// Adds a file that was found.
    pub fn add_file(&mut self, path: &str, stat: FileStat) {
        self.files.push((path.to_owned(), stat));
    }

    /// Adds an ignore file, before it is read.
    pub fn add_rules(&mut self, disk: &impl Disk, base: &str, path: String) {
        let stat = stat_of(disk, base, &path, Kind::File);
        self.rules.push(RuleFile { base: base.to_owned(), path, stat });
    }

    /// Notes the ignore files that could not be read.
    pub fn set_unread_rules(&mut self, files: Vec<(String, String)>) {
        self.unread_rules = files;
    }

    /// Notes the top of the work tree of git that the project is in, from before its rules are read.
    pub fn set_work_tree(&mut self, top: Option<String>) {
        self.work_tree = top;
    }

    /// The paths of the folders that could be listed.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let listed = self.folders.iter().filter(|folder| folder.entries.is_some());
        listed.map(|folder| folder.path.as_str())
    }

    /// Returns the files that have changed since, and those whose time is not `settled`: they may have changed again
    /// with the same time. `None` if other files may belong to the project now, or if many have changed.
    pub fn changed(
        &self,
        disk: &impl Disk,
        root: &str,
        settled: &dyn Fn(FileStat) -> bool,
    ) -> Option<Vec<String>> {
        let is_same = |now: Option<FileStat>, then: Option<FileStat>| now == then && then.is_none_or(settled);
        if git::work_tree(disk, root).map(|tree| tree.top) != self.work_tree {
            return None;
        }
        for RuleFile { base, path, stat } in &self.rules {
            if !is_same(stat_of(disk, base, path, Kind::File), *stat) {
                return None;
            }
        }
        // Permissions change neither the time of a file nor its size.
        if self.unread_rules.iter().any(|(base, path)| disk.read(base, path).is_ok()) {
            return None;
        }
        for Folder { path, stat, entries } in &self.folders {
            let has_same_entries = || disk.list(root, path).ok().map(|now| hash(&now)) == *entries;
            // Permissions change neither the time of a folder nor its size.
            if entries.is_none() {
                if !has_same_entries() {
                    return None;
                }
                continue;
            }
            let now = stat_of(disk, root, path, Kind::Folder)?;
            if !is_same(Some(now), *stat) && !has_same_entries() {
                return None;
            }
        }
        let mut changed = Vec::new();
        for (path, stat) in &self.files {
            if !is_same(stat_of(disk, root, path, Kind::File), Some(*stat)) {
                changed.push(path.clone());
                if changed.len() > MAX_CHANGED {
                    return None;
                }
            }
        }
        Some(changed)
    }
}

/// The metadata of a path, if something of this kind is there.
fn stat_of(disk: &impl Disk, base: &str, path: &str, kind: Kind) -> Option<FileStat> {
    disk.stat(base, path).ok().filter(|stat| stat.kind == kind).map(FileStat::from)
}

/// A hash of the entries of a folder, which does not depend on their order.
fn hash(entries: &[Entry]) -> u64 {
    let of_entry = |Entry { name, kind }: &Entry| {
        let mut hasher = DefaultHasher::new();
        (name, *kind as u8).hash(&mut hasher);
        hasher.finish()
    };
    entries.iter().map(of_entry).fold(entries.len() as u64, u64::wrapping_add)
}
