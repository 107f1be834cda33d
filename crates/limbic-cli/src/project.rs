//! The project that a folder belongs to, by the rules of the Node server.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The file that names the domain of a project.
const SETTINGS: &str = ".limbic.toml";

/// Folders for temporary files, besides that of this process.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Bytes of a digest.
const DIGEST_BYTES: usize = 8;

/// The project that a folder belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The domain in `.limbic.toml` in the folder or one above, up to the root of its working tree; or else the name of
    /// the git repository, which all its worktrees share; or else that of the folder itself. `None` for a folder whose
    /// name says nothing: the root of a file system, the user's own, and those for temporary files.
    pub name: Option<String>,
    /// Distinguishes it from others of the same name: 16 hexadecimal digits of the SHA-256 of a real path, a slash,
    /// and the last component of the path. The path is that of the git directory that all worktrees share, or else of
    /// the folder with `.limbic.toml`, or else of the folder itself.
    pub folder: String,
}

/// Returns the project that a folder belongs to.
pub fn of_folder(folder: &Path) -> Project {
    let mut named = None;
    for at in folder.ancestors() {
        if named.is_none() {
            named = domain_in(at).map(|name| (name, at));
        }
        if let Some(Repository { shared, own }) = repository_in(at) {
            let name = named.map(|(name, _)| name).or_else(|| shared.parent().and_then(domain_in));
            return Project { name: name.or_else(|| name_of(&shared)), folder: identified(&own) };
        }
    }
    match named {
        Some((name, at)) => Project { name: Some(name), folder: identified(at) },
        None => Project { name: own_name(folder), folder: identified(folder) },
    }
}

/// The name of a folder that is in no repository and has no settings, as far as it can be that of a project. It is that
/// of the real folder: a server's working directory is one, and a hook's may be a link to it.
fn own_name(folder: &Path) -> Option<String> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let here = real(folder);
    let is_here = |other: PathBuf| !other.as_os_str().is_empty() && real(&other) == here;
    let has_no_project = env::home_dir().is_some_and(is_here)
        || is_here(env::temp_dir())
        || TEMPORARY.iter().any(|path| is_here(path.into()));
    let name = here.file_name().filter(|_| !has_no_project)?;
    Some(name.to_string_lossy().into_owned())
}

/// The digest and the last component of a path, that of a `.git` the one above it.
fn identified(path: &Path) -> String {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = real.to_string_lossy();
    // The form of paths that Windows returns here alone.
    let text = text.strip_prefix(r"\\?\").unwrap_or(&text);
    let digest = Sha256::digest(text.as_bytes());
    let digits: String = digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let named = real.parent().filter(|_| real.ends_with(".git")).unwrap_or(&real);
    let title = named.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    format!("{digits}/{title}")
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

/// The root of a working tree.
struct Repository {
    /// The git directory that it states, which all worktrees of a repository share.
    shared: PathBuf,
    /// What it is known by: that directory, if it is its own or knows this worktree; or else the folder. Otherwise a
    /// folder could name the repository of another project.
    own: PathBuf,
}

fn repository_in(folder: &Path) -> Option<Repository> {
    let entry = folder.join(".git");
    if entry.is_dir() {
        let own = if entry.is_symlink() { folder.to_owned() } else { entry.clone() };
        return Some(Repository { shared: entry, own });
    }
    let text = fs::read_to_string(&entry).ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("gitdir: "))?;
    let tree = folder.join(path.trim());
    let Ok(shared) = fs::read_to_string(tree.join("commondir")) else {
        return Some(Repository { shared: tree, own: folder.to_owned() });
    };
    let shared = fs::canonicalize(tree.join(shared.trim())).ok()?;
    let own = if is_worktree(&entry, &tree, &shared) { shared.clone() } else { folder.to_owned() };
    Some(Repository { shared, own })
}

/// Whether a repository has the worktree with this entry, which it keeps in `tree`.
fn is_worktree(entry: &Path, tree: &Path, shared: &Path) -> bool {
    let is_within =
        fs::canonicalize(tree).is_ok_and(|real| real.parent() == Some(shared.join("worktrees").as_path()));
    let Ok(stated) = fs::read_to_string(tree.join("gitdir")) else { return false };
    let (stated, entry) = (fs::canonicalize(tree.join(stated.trim())), fs::canonicalize(entry));
    is_within && matches!((stated, entry), (Ok(stated), Ok(entry)) if stated == entry)
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

    /// A repository with a worktree beside it.
    struct Place {
        folder: tempfile::TempDir,
        atlas: PathBuf,
        worktree: PathBuf,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder can be written");
            let (atlas, worktree) = (folder.path().join("atlas"), folder.path().join("other"));
            let place = Self { atlas, worktree, folder };
            let tree = place.atlas.join(".git/worktrees/other");
            fs::create_dir_all(place.atlas.join("src")).expect("a temporary folder can be written");
            fs::create_dir_all(&tree).expect("a temporary folder can be written");
            fs::create_dir_all(&place.worktree).expect("a temporary folder can be written");
            fs::write(tree.join("commondir"), "../..\n").expect("a temporary folder can be written");
            fs::write(tree.join("gitdir"), format!("{}\n", place.worktree.join(".git").display()))
                .expect("a temporary folder can be written");
            fs::write(place.worktree.join(".git"), format!("gitdir: {}\n", tree.display()))
                .expect("a temporary folder can be written");
            place
        }

        /// Creates a folder with a file `.git`.
        fn folder_with_git(&self, name: &str, git: &str) -> PathBuf {
            let folder = self.folder.path().join(name);
            fs::create_dir_all(&folder).expect("a temporary folder can be written");
            fs::write(folder.join(".git"), git).expect("a temporary folder can be written");
            folder
        }
    }

    fn name_in(folder: &Path) -> Option<String> {
        of_folder(folder).name
    }

    #[test]
    fn the_worktrees_of_a_repository_are_one_project() {
        let place = Place::new();
        let atlas = of_folder(&place.atlas);
        assert_eq!(atlas.name.as_deref(), Some("atlas"));
        assert!(atlas.folder.ends_with("/atlas") && atlas.folder.len() == 22, "{}", atlas.folder);
        for folder in [place.atlas.join("src"), place.worktree.clone()] {
            assert_eq!(of_folder(&folder), atlas, "{}", folder.display());
        }
        fs::write(place.worktree.join(SETTINGS), "# of this project\ndomain = 'shared' # its name\n")
            .expect("a temporary folder can be written");
        assert_eq!(name_in(&place.worktree).as_deref(), Some("shared"));
        assert_eq!(of_folder(&place.worktree).folder, atlas.folder);
    }

    #[test]
    fn a_folder_is_not_a_repository_that_does_not_know_it() {
        let place = Place::new();
        let atlas = of_folder(&place.atlas).folder;
        let git = place.atlas.join(".git");
        let tree = git.join("worktrees/other");
        let stated = [
            ("stated", format!("gitdir: {}\n", git.display())),
            ("taken", format!("gitdir: {}\n", tree.display())),
            ("made", "gitdir: ./tree\n".to_owned()),
        ];
        for (name, text) in stated {
            let folder = place.folder_with_git(name, &text);
            let made = folder.join("tree");
            fs::create_dir_all(&made).expect("a temporary folder can be written");
            fs::write(made.join("commondir"), git.to_str().expect("the path is text"))
                .expect("a temporary folder can be written");
            fs::write(made.join("gitdir"), "../.git").expect("a temporary folder can be written");
            let found = of_folder(&folder);
            assert_eq!(found.name.as_deref(), Some("atlas"), "{name}");
            assert_ne!(found.folder, atlas, "{name}");
        }
        #[cfg(unix)]
        {
            let linked = place.folder.path().join("linked");
            fs::create_dir_all(&linked).expect("a temporary folder can be written");
            std::os::unix::fs::symlink(&git, linked.join(".git")).expect("a temporary folder can be written");
            assert_ne!(of_folder(&linked).folder, atlas);
        }
    }

    #[test]
    fn a_folder_whose_name_says_nothing_has_no_project() {
        let home = env::home_dir().expect("the user has a folder");
        for folder in [Path::new("/").to_owned(), env::temp_dir(), home] {
            if folder.ancestors().any(|at| at.join(".git").exists() || at.join(SETTINGS).exists()) {
                continue;
            }
            assert_eq!(name_in(&folder), None, "{}", folder.display());
        }
    }

    #[test]
    fn without_a_repository_the_folder_with_the_name_is_the_project() {
        let place = tempfile::tempdir().expect("a temporary folder can be written");
        let below = place.path().join("notes/below");
        fs::create_dir_all(&below).expect("a temporary folder can be written");
        let nameless = of_folder(&below);
        assert_eq!(nameless.name.as_deref(), Some("below"));
        assert!(nameless.folder.ends_with("/below"), "{}", nameless.folder);
        fs::write(place.path().join("notes").join(SETTINGS), "domain = \"diary\"\n")
            .expect("a temporary folder can be written");
        let named = of_folder(&below);
        assert_eq!(named.name.as_deref(), Some("diary"));
        assert!(named.folder.ends_with("/notes"), "{}", named.folder);
        assert_eq!(of_folder(&place.path().join("notes")), named);
        assert_ne!(named.folder, nameless.folder);
    }
}
