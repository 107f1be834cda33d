//! Which files of a source may be read.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use limbic_code_disk::{open_without_waiting, place_of};

use super::reasons::{NOT_IMPORTABLE, reason};

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

    /// Opens a regular file; the error is a sentence. What was opened must be within the bounds: another process may
    /// replace a folder by a link after a path was checked.
    pub fn open(&self, path: &Path) -> Result<File, String> {
        let open = || {
            let file = open_without_waiting(path)?;
            let is_regular = file.metadata()?.is_file();
            Ok((file, is_regular))
        };
        let (file, is_regular) = open().map_err(|error: io::Error| reason(&error))?;
        if !self.hold(&file, path) {
            return Err(NOT_IMPORTABLE.to_owned());
        }
        if is_regular { Ok(file) } else { Err("it is not a regular file".to_owned()) }
    }

    /// Whether an open file is within the bounds.
    fn hold(&self, file: &File, path: &Path) -> bool {
        match self {
            Self::None => true,
            Self::Folder(folder) => place_of(file, path).is_ok_and(|place| place.starts_with(folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    /// As if a folder had been replaced by a link between the check of a path and its opening.
    #[test]
    fn an_opened_file_outside_is_refused_whatever_its_path_was() {
        let root = tempdir().expect("a folder");
        let (inside, outside) = (root.path().join("inside"), root.path().join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).expect("a folder");
            fs::write(folder.join("a.jsonl"), "a").expect("a file");
        }
        let folder = fs::canonicalize(&inside).expect("it exists");
        let bounds = Bounds::Folder(folder.clone());
        let path = folder.join("a.jsonl");
        assert!(bounds.open(&path).is_ok());
        assert_eq!(bounds.open(&outside.join("a.jsonl")).err().as_deref(), Some(NOT_IMPORTABLE));
        assert!(bounds.hold(&File::open(&path).expect("it exists"), &path));
        let other = File::open(outside.join("a.jsonl")).expect("it exists");
        assert!(!bounds.hold(&other, &path));
    }
}
