//! A disk on which a test locks files and folders.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::UNIX_EPOCH;

use limbic_code::{FileFacts, IgnoreRules};
use limbic_code_disk::{Disk, Entry, Failure, Kind, Parsers, ProjectFiles, Stat};

/// The locked paths: a file that cannot be read, or a folder that can be neither listed nor entered.
pub type Locked = Rc<RefCell<BTreeSet<PathBuf>>>;

/// The folders below a root, except what is locked.
pub fn locking_files(root: &Path, locked: &Locked) -> ProjectFiles<LockingDisk, Extraction> {
    ProjectFiles::below(&root.to_string_lossy(), LockingDisk(locked.clone()), Extraction::default())
}

/// The disk of this process, except what is locked.
pub struct LockingDisk(Locked);

impl LockingDisk {
    fn path(&self, base: &str, path: &str) -> Result<PathBuf, Failure> {
        let path = if path.is_empty() { PathBuf::from(base) } else { Path::new(base).join(path) };
        match path.ancestors().skip(1).any(|folder| self.0.borrow().contains(folder)) {
            true => Err(Failure::Denied),
            false => Ok(path),
        }
    }

    fn open(&self, base: &str, path: &str) -> Result<PathBuf, Failure> {
        self.path(base, path).and_then(|path| match self.0.borrow().contains(&path) {
            true => Err(Failure::Denied),
            false => Ok(path),
        })
    }
}

impl Disk for LockingDisk {
    fn real_path(&self, base: &str, path: &str) -> Result<String, Failure> {
        let real = fs::canonicalize(self.path(base, path)?).map_err(failure)?;
        Ok(real.to_string_lossy().into_owned())
    }

    fn list(&self, base: &str, folder: &str) -> Result<Vec<Entry>, Failure> {
        let entries = fs::read_dir(self.open(base, folder)?).map_err(failure)?;
        entries
            .map(|entry| {
                let entry = entry.map_err(failure)?;
                let name = Ok(entry.file_name().to_string_lossy().into_owned());
                Ok(Entry { name, kind: kind(entry.file_type().map_err(failure)?) })
            })
            .collect()
    }

    fn stat(&self, base: &str, path: &str) -> Result<Stat, Failure> {
        let metadata = fs::symlink_metadata(self.path(base, path)?).map_err(failure)?;
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mtime = time.and_then(|time| i64::try_from(time.as_nanos()).ok()).unwrap_or(-1);
        Ok(Stat { kind: kind(metadata.file_type()), size: metadata.len(), mtime })
    }

    fn read(&self, base: &str, path: &str) -> Result<Vec<u8>, Failure> {
        fs::read(self.open(base, path)?).map_err(failure)
    }

    fn home(&self) -> Option<String> {
        None
    }

    fn pause(&self) {}
}

fn kind(kind: fs::FileType) -> Kind {
    match kind {
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::File,
    }
}

fn failure(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::Missing,
        _ => Failure::Other(error.to_string()),
    }
}

/// The parsers of this process.
#[derive(Default)]
pub struct Extraction(IgnoreRules);

impl Parsers for Extraction {
    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        Ok(limbic_code::extract(path, bytes))
    }

    fn clear_rules(&mut self) -> Result<(), String> {
        self.0 = IgnoreRules::default();
        Ok(())
    }

    fn add_rules(&mut self, folder: &str, name: &str, content: &[u8]) -> Result<(), String> {
        self.0.add(folder, name, content);
        Ok(())
    }

    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String> {
        Ok(paths.iter().map(|(path, is_folder)| self.0.exclude(path, *is_folder)).collect())
    }
}
