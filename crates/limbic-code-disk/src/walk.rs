//! The files of a folder by git's ignore rules.

use std::path::Path;

use ignore::{DirEntry, Error, WalkBuilder};
use limbic_tools::{FileStat, Walk};

use crate::stat;

/// Folders that are never a project's source, whether git ignores them or not.
const NEVER: [&str; 6] = [".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__"];

/// Ignore rules of our own, with git's syntax.
const IGNORE_FILE: &str = ".memoryignore";

/// Lists the files of a folder, except those that a `.gitignore` or `.memoryignore` in it excludes. Links are left out.
pub fn files(root: &Path, limit: usize) -> Result<Walk, String> {
    std::fs::read_dir(root).map_err(|error| error.to_string())?;
    let mut walk = Walk::default();
    let walker = WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(true)
        .require_git(false)
        .parents(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .follow_links(false)
        .filter_entry(|entry| !is_never(entry))
        .build();
    for entry in walker {
        match entry {
            Ok(entry) => add(root, &entry, &mut walk),
            Err(error) => walk.unreadable.extend(unreadable(root, &error)),
        }
        if walk.files.len() > limit {
            walk.is_cut = true;
            break;
        }
    }
    walk.unreadable.sort();
    Ok(walk)
}

fn is_never(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name().to_str().is_some_and(|name| NEVER.contains(&name))
}

fn add(root: &Path, entry: &DirEntry, walk: &mut Walk) {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return;
    }
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
    let Some(path) = relative.to_str() else {
        walk.unreadable
            .push((relative.to_string_lossy().into_owned(), "the name is not valid UTF-8".to_owned()));
        return;
    };
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    match entry.metadata() {
        Ok(metadata) => walk.files.push((path, stat(&metadata))),
        // It is gone, or will be reported when it is read.
        Err(_) => walk.files.push((path, FileStat { size: 0, mtime: -1 })),
    }
}

/// The path and the reason of a failure to list a folder; `None` for ignore rules that cannot be read.
fn unreadable(root: &Path, error: &Error) -> Option<(String, String)> {
    match error {
        Error::WithPath { path, err } => {
            let relative = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
            let reason = match err.io_error().map(std::io::Error::kind) {
                Some(std::io::ErrorKind::PermissionDenied) => "you may not read it".to_owned(),
                _ => err.to_string(),
            };
            Some((relative, reason))
        }
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => unreadable(root, err),
        _ => None,
    }
}
