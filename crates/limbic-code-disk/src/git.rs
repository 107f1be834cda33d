//! Work trees of git: the directories behind their `.git`.

use crate::disk::{Disk, Kind};
use crate::paths::{above, below};

/// The directories of a work tree.
pub struct GitDirectories {
    /// The directory of this work tree.
    pub own: String,
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
        Kind::Folder => Some(GitDirectories { own: git.clone(), common: git, is_linked: false }),
        Kind::File => {
            // The file of a linked work tree or a submodule names its directory. That of a linked one names the common
            // directory.
            let text = String::from_utf8(disk.read(&git, "").ok()?).ok()?;
            let own = disk.real_path(top, text.strip_prefix("gitdir:")?.trim()).ok()?;
            let Ok(common) = disk.read(&own, "commondir") else {
                return Some(GitDirectories { own: own.clone(), common: own, is_linked: false });
            };
            let common = disk.real_path(&own, String::from_utf8(common).ok()?.trim()).ok()?;
            Some(GitDirectories { own, common, is_linked: true })
        }
        Kind::Link | Kind::Other => None,
    }
}

/// Whether a folder of a project in a work tree is the top of another one of the same repository, whose files git does
/// not list. A repository without an own work tree, around which people keep the linked ones, has no index: they are
/// all that its folder has.
pub fn is_other_work_tree(disk: &impl Disk, git: &GitDirectories, root: &str, folder: &str) -> bool {
    let in_folder = format!("{folder}/.git");
    let Ok(stat) = disk.stat(root, &in_folder) else { return false };
    let own = match stat.kind {
        Kind::Folder => disk.real_path(root, &in_folder).ok(),
        // Nothing but the place of the directory is looked at: any file of a project may name any folder.
        Kind::File => disk.read(root, &in_folder).ok().and_then(|text| {
            let text = String::from_utf8(text).ok()?;
            let top = disk.real_path(root, folder).ok()?;
            disk.real_path(&top, text.strip_prefix("gitdir:")?.trim()).ok()
        }),
        Kind::Link | Kind::Other => None,
    };
    let is_of_repository = own.and_then(|own| below(&git.common, &own)).is_some_and(|path| {
        path.is_empty() || path.strip_prefix("worktrees/").is_some_and(|name| !name.contains('/'))
    });
    is_of_repository && disk.stat(&git.own, "index").is_ok_and(|stat| stat.kind == Kind::File)
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
