//! Which files of a source may be read.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder that files of a source must be in.
#[derive(Clone)]
pub enum Bounds {
    None,
    Folder(PathBuf),
}

impl Bounds {
    /// Whether a file may be read, by its path with all links resolved.
    pub fn include(&self, path: &Path) -> bool {
        match self {
            Self::None => true,
            Self::Folder(folder) => fs::canonicalize(path).is_ok_and(|real| real.starts_with(folder)),
        }
    }
}
