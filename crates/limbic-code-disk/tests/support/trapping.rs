//! Files of which some trap the parser.

use limbic_code::FileFacts;
use limbic_code_disk::DiskFiles;
use limbic_tools::{
    CodeFiles, FileStat, FolderProblem, Found, PathState, ProjectFolder, StaticVectors, Walk, Walked,
};

/// The files of a disk. Those that contain `trap` trap the parser.
pub struct TrappingFiles(pub DiskFiles);

impl CodeFiles for TrappingFiles {
    fn project(&mut self, path: &str) -> Result<ProjectFolder, FolderProblem> {
        self.0.project(path)
    }

    fn reaches(&self, root: &str) -> bool {
        self.0.reaches(root)
    }

    fn walk(&mut self, root: &str, is_wanted: &dyn Fn(&str) -> bool, limit: usize) -> Result<Walk, String> {
        self.0.walk(root, is_wanted, limit)
    }

    fn walked(&self, root: &str) -> Option<&Walked> {
        self.0.walked(root)
    }

    fn path_state(&mut self, root: &str, path: &str) -> Result<PathState, String> {
        self.0.path_state(root, path)
    }

    fn stat(&mut self, root: &str, path: &str) -> Found<FileStat> {
        self.0.stat(root, path)
    }

    fn read(&mut self, root: &str, path: &str) -> Found<(FileStat, Vec<u8>)> {
        self.0.read(root, path)
    }

    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        match bytes.windows(4).any(|part| part == b"trap") {
            true => Err("the parser failed".to_owned()),
            false => self.0.extract(path, bytes),
        }
    }

    fn static_vectors(&self) -> Option<&StaticVectors> {
        self.0.static_vectors()
    }

    fn pause(&mut self) {
        self.0.pause();
    }
}
