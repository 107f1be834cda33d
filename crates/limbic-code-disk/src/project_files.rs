//! The folders below a root: what may be read of them, and how.

use std::collections::BTreeMap;

use limbic_code::FileFacts;
use limbic_tools::{
    CodeFiles, FileStat, FolderProblem, Found, PathState, ProjectFolder, StaticVectors, Walk, Walked,
};

use crate::disk::{Disk, Failure, Kind};
use crate::git::{self, GitDirectories};
use crate::parsers::Parsers;
use crate::paths::{above, below, is_separator, name_of};
use crate::seen::Seen;
use crate::walk;

/// The folders below a root, over a disk and parsers.
pub struct ProjectFiles<D, P> {
    root: String,
    disk: D,
    parsers: P,
    /// Number of walks.
    walks: u64,
    /// The last walk of each project, and what it has seen.
    walked: BTreeMap<String, (Walked, Seen)>,
    static_vectors: Option<StaticVectors>,
}

impl<D: Disk, P: Parsers> ProjectFiles<D, P> {
    /// Creates access to the folders below `root`, and to `root` itself.
    #[must_use]
    pub fn below(root: &str, disk: D, parsers: P) -> Self {
        let root = disk.real_path(root, "").unwrap_or_else(|_| root.to_owned());
        Self { root, disk, parsers, walks: 0, walked: BTreeMap::new(), static_vectors: None }
    }

    /// Adds static vectors for the search.
    #[must_use]
    pub fn with_static_vectors(self, static_vectors: StaticVectors) -> Self {
        Self { static_vectors: Some(static_vectors), ..self }
    }

    /// Whether the folder of a project is still one below the root.
    fn is_there(&self, root: &str) -> bool {
        self.reaches(root) && self.disk.real_path(root, "").is_ok_and(|real| real == root)
    }

    /// The file at a path below a folder, reached without links.
    fn find(&self, root: &str, path: &str) -> Found<FileStat> {
        let stat = match self.disk.stat(root, path) {
            Ok(stat) => stat,
            Err(failure) => return absent(failure),
        };
        if stat.kind != Kind::File {
            return Found::Gone;
        }
        match self.disk.real_path(root, path) {
            Ok(real) if below(root, &real).is_some_and(|found| found == path) => Found::File(stat.into()),
            Ok(_) => Found::Gone,
            Err(failure) => absent(failure),
        }
    }

    /// The path with `~` at its start as the home folder.
    fn expanded(&self, path: &str) -> String {
        match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(rest) => match self.disk.home() {
                Some(home) if rest.trim_matches('/').is_empty() => home,
                Some(home) => format!("{home}/{}", rest.trim_matches('/')),
                None => path.to_owned(),
            },
            None => path.to_owned(),
        }
    }

    /// The name of git's common directory if a folder is the top of a work tree: that of the folder which holds `.git`.
    fn git_name(&self, folder: &str) -> Option<String> {
        let GitDirectories { common, is_linked, .. } = git::directories(&self.disk, folder)?;
        let holder = match name_of(&common)? {
            _ if !is_linked => folder,
            ".git" => above(&common)?,
            _ => &common,
        };
        Some(name_of(holder)?.trim_end_matches(".git").to_owned())
    }
}

impl<D: Disk, P: Parsers> CodeFiles for ProjectFiles<D, P> {
    fn project(&mut self, path: &str) -> Result<ProjectFolder, FolderProblem> {
        if path.contains('\0') {
            return Err(FolderProblem::Missing);
        }
        let problem = |failure| match failure {
            Failure::Missing => FolderProblem::Missing,
            other => FolderProblem::Other(other.sentence()),
        };
        let real = self.disk.real_path(&self.root, &self.expanded(path)).map_err(problem)?;
        if !self.reaches(&real) {
            let root = self.root.trim_end_matches(is_separator);
            return Err(FolderProblem::Outside { root: format!("{root}/") });
        }
        if self.disk.stat(&real, "").map_err(problem)?.kind != Kind::Folder {
            return Err(FolderProblem::NotAFolder);
        }
        let name = self.git_name(&real).or_else(|| name_of(&real).map(str::to_owned)).unwrap_or_default();
        Ok(ProjectFolder { path: real, name })
    }

    fn reaches(&self, root: &str) -> bool {
        below(&self.root, root).is_some()
    }

    fn walk(&mut self, root: &str, is_wanted: &dyn Fn(&str) -> bool, limit: usize) -> Result<Walk, String> {
        let mut seen = Seen::default();
        let walk = if self.is_there(root) {
            walk::files(&self.disk, &mut self.parsers, root, (is_wanted, limit), &mut seen)
        } else {
            // The reason is shown to clients over HTTP as well.
            Err(format!("there is no folder {root} below --code-root"))
        };
        self.walks += 1;
        let folders = seen.folders().map(str::to_owned).collect();
        self.walked.insert(root.to_owned(), (Walked { number: self.walks, folders }, seen));
        walk
    }

    fn walked(&self, root: &str) -> Option<&Walked> {
        self.walked.get(root).map(|(walked, _)| walked)
    }

    fn changed(&mut self, root: &str, is_settled: &dyn Fn(FileStat) -> bool) -> Option<Vec<String>> {
        let (_, seen) = self.walked.get(root).filter(|_| self.is_there(root))?;
        seen.changed(&self.disk, root, is_settled)
    }

    fn path_state(&mut self, root: &str, path: &str) -> Result<PathState, String> {
        let Ok(stat) = self.disk.stat(root, path) else { return Ok(PathState::Nothing) };
        if matches!(stat.kind, Kind::Link | Kind::Other)
            || walk::excludes(&self.disk, &mut self.parsers, root, path, stat.kind == Kind::Folder)?
        {
            return Ok(PathState::Excluded);
        }
        Ok(match (stat.kind, self.find(root, path)) {
            (Kind::Folder, _) => PathState::Folder,
            (_, Found::File(stat)) => PathState::File(stat),
            _ => PathState::Excluded,
        })
    }

    fn stat(&mut self, root: &str, path: &str) -> Found<FileStat> {
        if !self.reaches(root) {
            return Found::NoProject;
        }
        match self.find(root, path) {
            // The folder is there: the file is reached without links.
            Found::File(stat) => Found::File(stat),
            _ if !self.is_there(root) => Found::NoProject,
            other => other,
        }
    }

    fn read(&mut self, root: &str, path: &str) -> Found<(FileStat, Vec<u8>)> {
        match self.stat(root, path) {
            Found::File(stat) => match self.disk.read(root, path) {
                Ok(bytes) => Found::File((stat, bytes)),
                Err(failure) => absent(failure),
            },
            other => other.map(|stat| (stat, Vec::new())),
        }
    }

    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        self.parsers.extract(path, bytes)
    }

    fn prepares(&self) -> bool {
        self.parsers.prepares()
    }

    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        self.parsers.prepare(files);
    }

    fn static_vectors(&self) -> Option<&StaticVectors> {
        self.static_vectors.as_ref()
    }

    fn pause(&mut self) {
        self.disk.pause();
    }
}

fn absent<T>(failure: Failure) -> Found<T> {
    match failure {
        Failure::Missing => Found::Gone,
        other => Found::Unreadable(other.sentence()),
    }
}
