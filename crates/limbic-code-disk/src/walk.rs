//! The files of a folder by git's ignore rules.

use limbic_tools::{FileStat, Walk};

use crate::disk::{Disk, Entry, Failure, Kind};
use crate::parsers::Parsers;

/// Entries that are never a project's source, whether git ignores them or not.
const NEVER: [&str; 6] = [".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__"];

/// Names of the files with ignore rules. Those of `.memoryignore` are Limbic's own, and precede those of git.
const IGNORE_FILES: [&str; 2] = [".memoryignore", ".gitignore"];

/// Lists the files of a folder, except those that a `.gitignore` or `.memoryignore` in it excludes. Links are left out.
/// Stops after more than `limit` files. The folders that it enters are added to `entered`.
pub fn files(
    disk: &impl Disk,
    parsers: &mut impl Parsers,
    root: &str,
    limit: usize,
    entered: &mut Vec<String>,
) -> Result<Walk, String> {
    let mut walk = Walk::default();
    parsers.clear_rules()?;
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = match disk.list(root, &folder) {
            Ok(entries) => entries,
            Err(failure) if folder.is_empty() => return Err(failure.sentence()),
            // It was deleted after the folder above it was listed.
            Err(Failure::Missing) => continue,
            Err(failure) => {
                walk.unreadable.push((folder, failure.sentence()));
                continue;
            }
        };
        entered.push(folder.clone());
        for (path, kind) in kept(disk, parsers, root, &folder, entries, &mut walk.unreadable)? {
            if kind == Kind::Folder {
                folders.push(path);
                continue;
            }
            match disk.stat(root, &path) {
                Ok(stat) => walk.files.push((path, stat.into())),
                // It is gone, or will be reported when it is read.
                Err(_) => walk.files.push((path, FileStat { size: 0, mtime: -1 })),
            }
            if walk.files.len() > limit {
                walk.is_cut = true;
                walk.unreadable.sort();
                return Ok(walk);
            }
        }
    }
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
    parsers.clear_rules()?;
    let mut folder = "";
    for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
        for name in IGNORE_FILES {
            let file = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let is_file = disk.stat(root, &file).is_ok_and(|stat| stat.kind == Kind::File);
            if is_file && let Ok(content) = disk.read(root, &file) {
                parsers.add_rules(folder, name, &content)?;
            }
        }
        let entry = &path[..end];
        let name = entry.rsplit('/').next().unwrap_or(entry);
        let asked = [(entry.to_owned(), is_folder || end < path.len())];
        if is_never(name) || parsers.excluded(&asked)? == [true] {
            return Ok(true);
        }
        folder = entry;
    }
    Ok(false)
}

/// The files and folders among the entries of a folder that no rule excludes. Those whose names cannot be stored become
/// unreadable.
fn kept(
    disk: &impl Disk,
    parsers: &mut impl Parsers,
    root: &str,
    folder: &str,
    entries: Vec<Entry>,
    unreadable: &mut Vec<(String, String)>,
) -> Result<Vec<(String, Kind)>, String> {
    let path_of = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    for name in IGNORE_FILES {
        let is_it = |entry: &Entry| entry.kind == Kind::File && entry.name.as_deref() == Ok(name);
        if entries.iter().any(is_it)
            && let Ok(content) = disk.read(root, &path_of(name))
        {
            parsers.add_rules(folder, name, &content)?;
        }
    }
    let candidates: Vec<(Entry, String)> = entries
        .into_iter()
        .filter(|entry| entry.kind != Kind::Other && !entry.name.as_ref().is_ok_and(|name| is_never(name)))
        .map(|entry| {
            let path = path_of(entry.name.as_deref().unwrap_or_else(|shown| shown));
            (entry, path)
        })
        .collect();
    let paths: Vec<(String, bool)> =
        candidates.iter().map(|(entry, path)| (path.clone(), entry.kind == Kind::Folder)).collect();
    let excluded = if paths.is_empty() { Vec::new() } else { parsers.excluded(&paths)? };
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

fn is_never(name: &str) -> bool {
    NEVER.contains(&name)
}
