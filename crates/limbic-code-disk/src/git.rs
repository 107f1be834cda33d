//! Work trees of git: the directories behind their `.git`.

use crate::disk::{Disk, Kind};
use crate::paths::{above, below};

/// The directories of a work tree.
pub struct GitDirectories {
    /// The directory that all work trees of the repository share.
    pub common: String,
    /// Whether the work tree is a linked one.
    pub is_linked: bool,
}

/// A folder in a work tree.
pub struct InWorkTree {
    /// The top of the work tree.
    pub top: String,
    /// The path of the folder from there, with `/` between names; empty for the top itself.
    pub path: String,
    /// The directories of the work tree.
    pub git: GitDirectories,
}

/// Returns the directories of the work tree whose top a folder is; `None` if it is none.
pub fn directories(disk: &impl Disk, top: &str) -> Option<GitDirectories> {
    let git = disk.real_path(top, ".git").ok()?;
    match disk.stat(&git, "").ok()?.kind {
        Kind::Folder => Some(GitDirectories { common: git, is_linked: false }),
        Kind::File => {
            // The file of a linked work tree or a submodule names its directory. That of a linked one names the common
            // directory.
            let text = String::from_utf8(disk.read(&git, "").ok()?).ok()?;
            let own = disk.real_path(top, text.strip_prefix("gitdir:")?.trim()).ok()?;
            let Ok(common) = disk.read(&own, "commondir") else {
                return Some(GitDirectories { common: own, is_linked: false });
            };
            let common = disk.real_path(&own, String::from_utf8(common).ok()?.trim()).ok()?;
            Some(GitDirectories { common, is_linked: true })
        }
        Kind::Link | Kind::Other => None,
    }
}

/// Returns the innermost work tree that a folder is in; `None` if it is in none.
pub fn work_tree(disk: &impl Disk, folder: &str) -> Option<InWorkTree> {
    let mut top = Some(folder);
    while let Some(candidate) = top {
        if let Some(git) = directories(disk, candidate) {
            let path = below(candidate, folder)?;
            return Some(InWorkTree { top: candidate.to_owned(), path, git });
        }
        top = above(candidate);
    }
    None
}
