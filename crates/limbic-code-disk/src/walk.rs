//! The files of a folder by git's ignore rules: those in it, and those of the work tree and repository that it is in.

use limbic_code::MAX_IGNORE_BYTES;
use limbic_tools::{FileStat, UNWANTED_FACTOR, Walk};

use crate::disk::{Disk, Entry, Failure, Kind};
use crate::git::{self, InWorkTree};
use crate::parsers::Parsers;
use crate::seen::Seen;

/// Entries that are never a project's source, whether git ignores them or not.
const NEVER: [&str; 6] = [".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__"];

/// Names of the files with ignore rules. Those of `.memoryignore` are Limbic's own, and precede those of git.
const IGNORE_FILES: [&str; 2] = [".memoryignore", ".gitignore"];

/// The file in git's common directory with rules that belong to one clone.
const GIT_EXCLUDE: &str = "info/exclude";

/// Why a link is not read: it may lead out of the project, or to what is read anyway.
const LINK: &str = "a symbolic link, which is not followed";

/// Why something is not read that is neither a file nor a folder nor a link.
const NO_FILE: &str = "neither a file nor a folder";

/// Why the folder of a linked work tree is left out.
const WORK_TREE: &str = "another work tree of the project's repository";

/// Why the rules of a very long ignore file do not count.
const LONG_RULES: &str = "an ignore file larger than 256 kB, whose rules do not count";

/// Lists the wanted files of a folder, except those that ignore rules in it or above it exclude. Wanted
/// names that are neither files nor folders are added to [`Walk::unreadable`], as are the tops of other work trees of
/// the repository, and ignore files that are too long or cannot be read: as for git, their rules do not count.
///
/// Stops after more than `limit` wanted files, or [`UNWANTED_FACTOR`] times as many others. What it sees is added to
/// `seen`.
pub fn files(
    disk: &impl Disk,
    parsers: &mut impl Parsers,
    root: &str,
    (is_wanted, limit): (&dyn Fn(&str) -> bool, usize),
    seen: &mut Seen,
) -> Result<Walk, String> {
    let mut walk = Walk::default();
    let mut unwanted = 0;
    let work_tree = git::work_tree(disk, root);
    if let Some(work_tree) = &work_tree {
        for (base, path) in files_above(work_tree) {
            seen.add_rules(disk, &base, path);
        }
        seen.set_work_tree(Some(work_tree.top.clone()));
    }
    let mut rules = Rules::above(disk, parsers, work_tree.as_ref())?;
    walk.unreadable.append(&mut rules.left_out);
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = match seen.list(disk, root, &folder) {
            Ok(entries) => entries,
            Err(failure) if folder.is_empty() => return Err(failure.sentence()),
            // It was deleted after the folder above it was listed.
            Err(Failure::Missing) => continue,
            Err(failure) => {
                walk.unlisted.push(folder.clone());
                walk.unreadable.push((folder, failure.sentence()));
                continue;
            }
        };
        if let Some(InWorkTree { git, .. }) = &work_tree
            && !folder.is_empty()
            && has_git(&entries)
            && git::is_other_work_tree(disk, git, root, &folder)
        {
            walk.unreadable.push((folder, WORK_TREE.to_owned()));
            continue;
        }
        for name in ignore_files(&entries) {
            let path = joined(&folder, name);
            seen.add_rules(disk, root, path);
            rules.read(disk, root, &folder, name)?;
        }
        walk.unreadable.append(&mut rules.left_out);
        for (path, kind) in kept(&mut rules, &folder, entries, &mut walk.unreadable)? {
            if kind == Kind::Folder {
                folders.push(path);
                continue;
            }
            if kind != Kind::File && is_wanted(&path) {
                unwanted += 1;
                let reason = if kind == Kind::Link { LINK } else { NO_FILE };
                walk.unreadable.push((path, reason.to_owned()));
            } else if is_wanted(&path) {
                // One that cannot be looked at is gone, or will be reported when it is read.
                let stat = disk.stat(root, &path).map_or(FileStat { size: 0, mtime: -1 }, FileStat::from);
                seen.add_file(&path, stat);
                walk.files.push((path, stat));
            } else {
                unwanted += 1;
            }
            if walk.files.len() > limit || unwanted > limit.saturating_mul(UNWANTED_FACTOR) {
                walk.is_cut = true;
                walk.unreadable.sort();
                return Ok(walk);
            }
        }
    }
    seen.set_unread_rules(rules.unread);
    walk.unreadable.sort();
    Ok(walk)
}

/// Whether a walk leaves a path out, because of its name or of a rule about it or about a folder above it.
pub fn excludes(
    disk: &impl Disk,
    parsers: &mut impl Parsers,
    root: &str,
    path: &str,
    is_folder: bool,
) -> Result<bool, String> {
    let work_tree = git::work_tree(disk, root);
    let mut rules = Rules::above(disk, parsers, work_tree.as_ref())?;
    let mut folder = "";
    for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
        for name in IGNORE_FILES {
            if is_file(disk, root, &joined(folder, name)) {
                rules.read(disk, root, folder, name)?;
            }
        }
        let entry = &path[..end];
        let name = entry.rsplit('/').next().unwrap_or(entry);
        let asked = [(entry.to_owned(), is_folder || end < path.len())];
        let is_other_work_tree = |InWorkTree { git, .. }: &InWorkTree| {
            asked[0].1 && git::is_other_work_tree(disk, git, root, entry)
        };
        if is_never(name)
            || rules.excluded(&asked)? == [true]
            || work_tree.as_ref().is_some_and(is_other_work_tree)
        {
            return Ok(true);
        }
        folder = entry;
    }
    Ok(false)
}

fn has_git(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.name.as_deref() == Ok(".git"))
}

/// The names of the ignore files among the entries of a folder.
fn ignore_files(entries: &[Entry]) -> Vec<&'static str> {
    let is_there = |name: &&str| {
        entries.iter().any(|entry| entry.kind == Kind::File && entry.name.as_deref() == Ok(name))
    };
    IGNORE_FILES.into_iter().filter(is_there).collect()
}

/// The places of the ignore files above a project in a work tree, whether there are any or not; see [`Rules::above`].
fn files_above(InWorkTree { top, path, git }: &InWorkTree) -> Vec<(String, String)> {
    let mut places = vec![(git.common.clone(), GIT_EXCLUDE.to_owned())];
    for folder in folders_above(path) {
        places.extend(IGNORE_FILES.map(|name| (top.clone(), joined(folder, name))));
    }
    places
}

/// The folders from the top of a work tree to the one above a project at a path in it.
fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let top = [""].into_iter().filter(|_| !path.is_empty());
    top.chain(path.match_indices('/').map(|(end, _)| &path[..end]))
}

/// The entries of a folder that no rule excludes. Those whose names cannot be stored become
/// unreadable.
fn kept(
    rules: &mut Rules<'_, impl Parsers>,
    folder: &str,
    entries: Vec<Entry>,
    unreadable: &mut Vec<(String, String)>,
) -> Result<Vec<(String, Kind)>, String> {
    let candidates: Vec<(Entry, String)> = entries
        .into_iter()
        .filter(|entry| !entry.name.as_ref().is_ok_and(|name| is_never(name)))
        .map(|entry| {
            let path = joined(folder, entry.name.as_deref().unwrap_or_else(|shown| shown));
            (entry, path)
        })
        .collect();
    let paths: Vec<(String, bool)> =
        candidates.iter().map(|(entry, path)| (path.clone(), entry.kind == Kind::Folder)).collect();
    let excluded = if paths.is_empty() { Vec::new() } else { rules.excluded(&paths)? };
    let mut kept = Vec::new();
    for ((entry, path), is_excluded) in candidates.into_iter().zip(excluded) {
        match entry.name {
            _ if is_excluded => {}
            Ok(_) => kept.push((path, entry.kind)),
            Err(_) => unreadable.push((path, Failure::NotUnicode.sentence())),
        }
    }
    Ok(kept)
}

/// The ignore rules of a project, which may be a folder of a work tree of git.
struct Rules<'a, P> {
    /// Paths given to them begin at the top of the work tree.
    parsers: &'a mut P,
    /// The path of the project from there; empty for the top itself, and without a work tree.
    project: String,
    /// The ignore files whose rules do not count, with the reason.
    left_out: Vec<(String, String)>,
    /// Those of them that cannot be read, each as a base and a path from there.
    unread: Vec<(String, String)>,
}

impl<'a, P: Parsers> Rules<'a, P> {
    /// Reads the rules that stand above a project: in the folders from the top of its work tree, and in its repository.
    /// None of them counts if they exclude the project itself, which a person has named nevertheless: a home folder may
    /// be a work tree that ignores everything.
    fn above(disk: &impl Disk, parsers: &'a mut P, work_tree: Option<&InWorkTree>) -> Result<Self, String> {
        parsers.clear_rules()?;
        let mut rules = Self { parsers, project: String::new(), left_out: Vec::new(), unread: Vec::new() };
        let Some(InWorkTree { top, path, git }) = work_tree else { return Ok(rules) };
        // Its folder may be a link to that of another clone.
        if is_file(disk, &git.common, GIT_EXCLUDE)
            && let Ok(real) = disk.real_path(&git.common, GIT_EXCLUDE)
        {
            rules.add(disk, (&real, ""), ("", GIT_EXCLUDE), &format!(".git/{GIT_EXCLUDE}"))?;
        }
        let depth = folders_above(path).count();
        for (number, folder) in folders_above(path).enumerate() {
            for name in IGNORE_FILES {
                let file = joined(folder, name);
                if is_file(disk, top, &file) {
                    let shown = format!("{}{name}", "../".repeat(depth - number));
                    rules.add(disk, (top, &file), (folder, name), &shown)?;
                }
            }
        }
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        let folders: Vec<_> = ends.filter(|end| *end > 0).map(|end| (path[..end].to_owned(), true)).collect();
        if rules.parsers.excluded(&folders)?.contains(&true) {
            rules.parsers.clear_rules()?;
            return Ok(rules);
        }
        path.clone_into(&mut rules.project);
        Ok(rules)
    }

    /// Reads an ignore file of a folder of the project.
    fn read(&mut self, disk: &impl Disk, root: &str, folder: &str, name: &str) -> Result<(), String> {
        let path = joined(folder, name);
        let about = joined(&self.project, folder);
        self.add(disk, (root, &path), (&about, name), &path)
    }

    /// Reads an ignore file at a path of the disk. `folder` is the one that it is about, and `shown` the path in the
    /// reason if its rules do not count.
    fn add(
        &mut self,
        disk: &impl Disk,
        (base, path): (&str, &str),
        (folder, name): (&str, &str),
        shown: &str,
    ) -> Result<(), String> {
        let is_long = |bytes: u64| bytes > MAX_IGNORE_BYTES as u64;
        let reason = if disk.stat(base, path).is_ok_and(|stat| is_long(stat.size)) {
            LONG_RULES.to_owned()
        } else {
            match disk.read(base, path) {
                Ok(content) if is_long(content.len() as u64) => LONG_RULES.to_owned(),
                Ok(content) => return self.parsers.add_rules(folder, name, &content),
                // It was deleted after its folder was listed.
                Err(Failure::Missing) => return Ok(()),
                Err(failure) => {
                    self.unread.push((base.to_owned(), path.to_owned()));
                    format!(
                        "an ignore file that cannot be read ({}), whose rules do not count",
                        failure.sentence()
                    )
                }
            }
        };
        self.left_out.push((shown.to_owned(), reason));
        Ok(())
    }

    /// Returns for each path of the project, and whether it is a folder, whether the rules exclude it.
    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String> {
        if self.project.is_empty() {
            return self.parsers.excluded(paths);
        }
        let from_top: Vec<_> =
            paths.iter().map(|(path, is_folder)| (joined(&self.project, path), *is_folder)).collect();
        self.parsers.excluded(&from_top)
    }
}

/// Whether a path is a file, and no link.
fn is_file(disk: &impl Disk, base: &str, path: &str) -> bool {
    disk.stat(base, path).is_ok_and(|stat| stat.kind == Kind::File)
}

/// The path of an entry of a folder. Either may be empty.
fn joined(folder: &str, path: &str) -> String {
    match (folder.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{path}"),
    }
}

fn is_never(name: &str) -> bool {
    NEVER.contains(&name)
}
