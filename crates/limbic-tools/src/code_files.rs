//! The files of projects and the extraction of their facts, passed in by a shell.

use limbic_code::FileFacts;
pub use limbic_core::{search::code::StaticVectors, store::code::files::FileStat};

/// The folders of projects, as a shell sees them. Paths of files are relative to a project's folder, with `/` between
/// their parts.
pub trait CodeFiles {
    /// Looks up a folder to index.
    ///
    /// # Errors
    /// The reason why it cannot be indexed.
    fn project(&mut self, path: &str) -> Result<ProjectFolder, FolderProblem>;

    /// Whether this shell may read a project's folder, whether it exists or not.
    fn reaches(&self, root: &str) -> bool;

    /// Lists the files of a project for whose paths `is_wanted` holds: those that no `.gitignore` or `.memoryignore`
    /// excludes, without links. Stops after more than `limit` of them, or [`UNWANTED_FACTOR`] times as many others.
    ///
    /// # Errors
    /// A sentence that explains why the folder cannot be read.
    fn walk(&mut self, root: &str, is_wanted: &dyn Fn(&str) -> bool, limit: usize) -> Result<Walk, String>;

    /// The folders that the last walk of a project has entered, and the number of that walk, which no other walk has.
    /// `None` before the first one.
    fn walked(&self, root: &str) -> Option<&Walked>;

    /// Returns the files of the last walk of a project that have changed since, and those of whose stat `is_settled` is
    /// false: they may have changed without it. `None` if that is unknown, other files may belong to the project now,
    /// or many have changed.
    fn changed(&mut self, root: &str, is_settled: &dyn Fn(FileStat) -> bool) -> Option<Vec<String>> {
        let _ = (root, is_settled);
        None
    }

    /// Returns what stands at a path where something has changed, as a walk would find it.
    ///
    /// # Errors
    /// A sentence that explains why the ignore rules cannot be evaluated.
    fn path_state(&mut self, root: &str, path: &str) -> Result<PathState, String>;

    /// Returns the size and time of a file.
    fn stat(&mut self, root: &str, path: &str) -> Found<FileStat>;

    /// Reads a file; the returned stat is from before reading.
    fn read(&mut self, root: &str, path: &str) -> Found<(FileStat, Vec<u8>)>;

    /// Extracts the facts of a file.
    ///
    /// # Errors
    /// A sentence that explains why it cannot be parsed.
    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String>;

    /// Whether [`CodeFiles::prepare`] does anything.
    fn prepares(&self) -> bool {
        false
    }

    /// Takes paths and contents of files that are extracted soon, so that other threads can do it meanwhile. What they
    /// have prepared is the result of [`CodeFiles::extract`] for the same path and content only.
    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        drop(files);
    }

    /// The static vectors for the search, if the shell has a table of them.
    fn static_vectors(&self) -> Option<&StaticVectors>;

    /// Waits for a few milliseconds.
    fn pause(&mut self);
}

/// How many times the limit of files a folder may have of files that are not wanted.
pub const UNWANTED_FACTOR: usize = 10;

/// A folder that can be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    /// Absolute path without links.
    pub path: String,
    /// Name of git's common directory if the folder is the top of a work tree, else the folder's own.
    pub name: String,
}

/// Why a folder cannot be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderProblem {
    /// There is nothing at the path.
    Missing,
    /// It is not a folder.
    NotAFolder,
    /// It lies outside of the folder that `--code-root` names.
    Outside {
        /// That folder.
        root: String,
    },
    /// Another reason, as a sentence.
    Other(String),
}

/// The files of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Paths with size and time, in any order.
    pub files: Vec<(String, FileStat)>,
    /// What is not read, with the reason: folders and names that cannot be read, links, sockets and pipes.
    pub unreadable: Vec<(String, String)>,
    /// The folders of them that could not be listed: which files they have is unknown.
    pub unlisted: Vec<String>,
    /// Whether there are more files than the limit.
    pub is_cut: bool,
}

/// The folders of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Number of the walk.
    pub number: u64,
    /// Paths; empty for the project's folder itself. None if it could not be read.
    pub folders: Vec<String>,
}

/// The state of a path at which something has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    /// A file.
    File(FileStat),
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
    /// Something that does not belong to the project: a link, or what an ignore rule excludes.
    Excluded,
}

/// The result of looking at the path of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<T> {
    /// A file.
    File(T),
    /// No regular file.
    Gone,
    /// A file that cannot be read, with the reason.
    Unreadable(String),
    /// The project's folder cannot be reached, so the file's state is unknown.
    NoProject,
}

impl<T> Found<T> {
    /// Applies a function to what was found.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        match self {
            Self::File(found) => Found::File(change(found)),
            Self::Gone => Found::Gone,
            Self::Unreadable(reason) => Found::Unreadable(reason),
            Self::NoProject => Found::NoProject,
        }
    }
}
