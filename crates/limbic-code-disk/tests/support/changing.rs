//! Files that change while they are read.

use limbic_code::FileFacts;
use limbic_code_disk::DiskFiles;
use limbic_tools::{
    CodeFiles, FileStat, FolderProblem, Found, PathState, ProjectFolder, StaticVectors, Walk, Walked,
};

/// The files of a project, which something changes after a walk and after each reading.
pub struct ChangingFiles<W, R> {
    /// The files.
    pub disk: DiskFiles,
    /// Maximum number of files of a walk, in place of the given one.
    pub limit: Option<usize>,
    /// Whether other threads extract files.
    pub has_threads: bool,
    /// Called after a walk.
    pub walked: W,
    /// Called after a file was read, with its path.
    pub read: R,
}

impl<W: FnMut(), R: FnMut(&str)> CodeFiles for ChangingFiles<W, R> {
    fn project(&mut self, path: &str) -> Result<ProjectFolder, FolderProblem> {
        self.disk.project(path)
    }

    fn reaches(&self, root: &str) -> bool {
        self.disk.reaches(root)
    }

    fn walk(&mut self, root: &str, is_wanted: &dyn Fn(&str) -> bool, limit: usize) -> Result<Walk, String> {
        let walk = self.disk.walk(root, is_wanted, self.limit.unwrap_or(limit));
        (self.walked)();
        walk
    }

    fn walked(&self, root: &str) -> Option<&Walked> {
        self.disk.walked(root)
    }

    fn changed(&mut self, root: &str, is_settled: &dyn Fn(FileStat) -> bool) -> Option<Vec<String>> {
        self.disk.changed(root, is_settled)
    }

    fn path_state(&mut self, root: &str, path: &str) -> Result<PathState, String> {
        self.disk.path_state(root, path)
    }

    fn stat(&mut self, root: &str, path: &str) -> Found<FileStat> {
        self.disk.stat(root, path)
    }

    fn read(&mut self, root: &str, path: &str) -> Found<(FileStat, Vec<u8>)> {
        let found = self.disk.read(root, path);
        (self.read)(path);
        found
    }

    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        self.disk.extract(path, bytes)
    }

    fn prepares(&self) -> bool {
        self.has_threads && self.disk.prepares()
    }

    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        self.disk.prepare(files);
    }

    fn static_vectors(&self) -> Option<&StaticVectors> {
        self.disk.static_vectors()
    }

    fn pause(&mut self) {
        self.disk.pause();
    }
}
