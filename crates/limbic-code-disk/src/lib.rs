//! Projects on disk, for native shells: walks folders by git's ignore rules, reads files and extracts their facts.
//!
//! Only folders below a root are opened. Links are not followed, and a file is read only if no folder on its way is a
//! link.

mod walk;

use std::fs::{self, Metadata};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use limbic_code::FileFacts;
use limbic_tools::{CodeFiles, FileStat, FolderProblem, Found, ProjectFolder, Walk};

/// How long a server waits for another one that indexes the same project.
const PAUSE: Duration = Duration::from_millis(20);

/// The folders below a root.
pub struct DiskFiles {
    root: PathBuf,
}

impl DiskFiles {
    /// Creates access to the folders below `root`, and to `root` itself.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self { root: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()) }
    }

    /// Returns the folder of a project, if it is still one below the root.
    fn open(&self, root: &str) -> Option<PathBuf> {
        let root = PathBuf::from(root);
        let is_there = fs::canonicalize(&root).is_ok_and(|real| real == root && real.starts_with(&self.root));
        is_there.then_some(root)
    }
}

impl CodeFiles for DiskFiles {
    fn project(&mut self, path: &str) -> Result<ProjectFolder, FolderProblem> {
        let real = fs::canonicalize(self.root.join(expanded(path))).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FolderProblem::Missing,
            io::ErrorKind::PermissionDenied => FolderProblem::Other("you may not read it".to_owned()),
            _ => FolderProblem::Other(error.to_string()),
        })?;
        if !real.starts_with(&self.root) {
            return Err(FolderProblem::Outside { root: format!("{}/", self.root.display()) });
        }
        if !real.is_dir() {
            return Err(FolderProblem::NotAFolder);
        }
        let name = git_name(&real).or_else(|| Some(real.file_name()?.to_string_lossy().into_owned()));
        match real.to_str() {
            Some(path) => Ok(ProjectFolder { path: path.to_owned(), name: name.unwrap_or_default() }),
            None => Err(FolderProblem::Other("its name is not valid UTF-8".to_owned())),
        }
    }

    fn reaches(&self, root: &str) -> bool {
        Path::new(root).starts_with(&self.root)
    }

    fn walk(&mut self, root: &str, limit: usize) -> Result<Walk, String> {
        match self.open(root) {
            Some(root) => walk::files(&root, limit),
            None => Err(format!("there is no folder {root} below {}", self.root.display())),
        }
    }

    fn stat(&mut self, root: &str, path: &str) -> Found<FileStat> {
        match self.open(root) {
            Some(root) => find(&root, path).map(|(_, metadata)| stat(&metadata)),
            None => Found::NoProject,
        }
    }

    fn read(&mut self, root: &str, path: &str) -> Found<(FileStat, Vec<u8>)> {
        let Some(root) = self.open(root) else { return Found::NoProject };
        match find(&root, path) {
            Found::File((file, metadata)) => match fs::read(&file) {
                Ok(bytes) => Found::File((stat(&metadata), bytes)),
                Err(error) => absent(&error),
            },
            other => other.map(|(_, metadata)| (stat(&metadata), Vec::new())),
        }
    }

    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        catch_unwind(AssertUnwindSafe(|| limbic_code::extract(path, bytes)))
            .map_err(|_| "the parser failed".to_owned())
    }

    fn pause(&mut self) {
        thread::sleep(PAUSE);
    }
}

/// The file at a path below a folder, reached without links.
fn find(root: &Path, path: &str) -> Found<(PathBuf, Metadata)> {
    let file = root.join(path);
    let metadata = match fs::symlink_metadata(&file) {
        Ok(metadata) => metadata,
        Err(error) => return absent(&error),
    };
    if !metadata.is_file() || fs::canonicalize(&file).map_or(true, |real| real != file) {
        return Found::Gone;
    }
    Found::File((file, metadata))
}

fn absent<T>(error: &io::Error) -> Found<T> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Found::Gone,
        io::ErrorKind::PermissionDenied => Found::Unreadable("you may not read it".to_owned()),
        _ => Found::Unreadable(error.to_string()),
    }
}

fn stat(metadata: &Metadata) -> FileStat {
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let mtime = time.and_then(|time| i64::try_from(time.as_nanos()).ok()).unwrap_or(-1);
    FileStat { size: metadata.len(), mtime }
}

/// The path with `~` at its start as the home folder.
fn expanded(path: &str) -> PathBuf {
    match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => {
            std::env::home_dir().map_or_else(|| path.into(), |home| home.join(rest.trim_matches('/')))
        }
        None => PathBuf::from(path),
    }
}

/// The name of git's common directory if a folder is the top of a work tree: that of the folder which holds `.git`.
fn git_name(folder: &Path) -> Option<String> {
    let git = folder.join(".git");
    let common = if git.is_file() {
        // A linked work tree: the file names its own directory, which names the common one.
        let text = fs::read_to_string(&git).ok()?;
        let own = folder.join(text.strip_prefix("gitdir:")?.trim());
        let common = fs::read_to_string(own.join("commondir")).ok()?;
        fs::canonicalize(own.join(common.trim())).ok()?
    } else if git.is_dir() {
        git
    } else {
        return None;
    };
    let holder = if common.file_name()? == ".git" { common.parent()? } else { &common };
    Some(holder.file_name()?.to_string_lossy().trim_end_matches(".git").to_owned())
}
