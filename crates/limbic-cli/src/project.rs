//! The project that a folder belongs to, by the rules of the Node server.

use std::fs;
use std::path::{Path, PathBuf};

/// The file that names the domain of a project.
const SETTINGS: &str = ".limbic.toml";

/// Returns the name of the project that a folder belongs to: the domain in `.limbic.toml` in this folder or one above, up
/// to the root of its working tree; or else the name of the git repository, which all its worktrees share.
pub fn of_folder(folder: &Path) -> Option<String> {
    for at in folder.ancestors() {
        if let Some(named) = domain_in(at) {
            return Some(named);
        }
        if let Some(repository) = repository_in(at) {
            let root = repository.parent().and_then(domain_in);
            return root.or_else(|| name_of(&repository));
        }
    }
    None
}

/// The value of a line such as `domain = "atlas"`.
fn domain_in(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(SETTINGS)).ok()?;
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("domain")?.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
        let (value, after) = rest[1..].split_once(quote)?;
        let after = after.trim_start();
        let has_escapes = quote == '"' && value.contains('\\');
        let is_plain = !value.is_empty() && !has_escapes;
        (is_plain && (after.is_empty() || after.starts_with('#'))).then(|| value.to_owned())
    })
}

/// The git directory that all worktrees of a repository share, if this is the root of one.
fn repository_in(folder: &Path) -> Option<PathBuf> {
    let entry = folder.join(".git");
    if entry.is_dir() {
        return Some(entry);
    }
    let text = fs::read_to_string(&entry).ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("gitdir: "))?;
    let own = folder.join(path.trim());
    let Ok(shared) = fs::read_to_string(own.join("commondir")) else { return Some(own) };
    fs::canonicalize(own.join(shared.trim())).ok()
}

/// `atlas` for `atlas/.git` and for the bare repository `atlas.git`.
fn name_of(repository: &Path) -> Option<String> {
    let name = repository.file_name()?.to_str()?;
    if name == ".git" {
        return Some(repository.parent()?.file_name()?.to_str()?.to_owned());
    }
    Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    #[test]
    fn the_worktrees_of_a_repository_are_one_project() {
        let place = tempfile::tempdir().expect("the temporary folder is writable");
        let (atlas, other) = (place.path().join("atlas"), place.path().join("other"));
        let own = atlas.join(".git/worktrees/other");
        fs::create_dir_all(atlas.join("src")).expect("the temporary folder is writable");
        fs::create_dir_all(&own).expect("the temporary folder is writable");
        fs::create_dir_all(&other).expect("the temporary folder is writable");
        fs::write(own.join("commondir"), "../..\n").expect("the temporary folder is writable");
        fs::write(other.join(".git"), format!("gitdir: {}\n", own.display()))
            .expect("the temporary folder is writable");
        for folder in [atlas.join("src"), other.clone()] {
            assert_eq!(of_folder(&folder).as_deref(), Some("atlas"), "{}", folder.display());
        }
        fs::write(other.join(SETTINGS), "# of this project\ndomain = 'shared' # its name\n")
            .expect("the temporary folder is writable");
        assert_eq!(of_folder(&other).as_deref(), Some("shared"));
    }
}
