//! The disk and the parsers of this process.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use limbic_code::{FileFacts, IgnoreRules};
use limbic_tools::StaticVectors;

use crate::disk::{Disk, Entry, Failure, Kind, Stat};
use crate::opened::open_in_place;
use crate::parsers::Parsers;
use crate::prefetch::ExtractionPrefetch;
use crate::project_files::ProjectFiles;

/// How long a server waits for another one that indexes the same project.
const PAUSE: Duration = Duration::from_millis(20);

/// The system's number of the error that links lead in a circle.
const LINK_CIRCLE: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// The folders below a root, read and parsed by this process.
pub type DiskFiles = ProjectFiles<ThisDisk, TheseParsers>;

impl DiskFiles {
    /// Creates access to the folders below `root`, and to `root` itself.
    #[must_use]
    pub fn below_root(root: &Path) -> Self {
        Self::below(&root.to_string_lossy(), ThisDisk, TheseParsers::default())
    }

    /// Adds static vectors by the table at a path, where there may be none.
    #[must_use]
    pub fn with_subwords(self, table: PathBuf) -> Self {
        self.with_static_vectors(StaticVectors::new(move || match fs::read(&table) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }))
    }
}

/// The disk of this process.
pub struct ThisDisk;

/// The parsers of this process.
pub struct TheseParsers {
    rules: IgnoreRules,
    prefetch: ExtractionPrefetch,
}

impl Default for TheseParsers {
    fn default() -> Self {
        Self { rules: IgnoreRules::default(), prefetch: ExtractionPrefetch::new(extract, free_cores()) }
    }
}

impl Disk for ThisDisk {
    fn real_path(&self, base: &str, path: &str) -> Result<String, Failure> {
        let real = fs::canonicalize(joined(base, path)).map_err(failure)?;
        real.into_os_string().into_string().map_err(|_| Failure::NotUnicode)
    }

    fn list(&self, base: &str, folder: &str) -> Result<Vec<Entry>, Failure> {
        let entries = fs::read_dir(joined(base, folder)).map_err(failure)?;
        entries
            .map(|entry| {
                let entry = entry?;
                let name = entry.file_name().into_string();
                let name = name.map_err(|name| name.to_string_lossy().into_owned());
                Ok(Entry { name, kind: kind(entry.file_type()?) })
            })
            .collect::<io::Result<_>>()
            .map_err(failure)
    }

    fn stat(&self, base: &str, path: &str) -> Result<Stat, Failure> {
        let metadata = fs::symlink_metadata(joined(base, path)).map_err(failure)?;
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mtime = time.and_then(|time| i64::try_from(time.as_nanos()).ok()).unwrap_or(-1);
        Ok(Stat { kind: kind(metadata.file_type()), size: metadata.len(), mtime })
    }

    fn read(&self, base: &str, path: &str) -> Result<Vec<u8>, Failure> {
        let mut file = open_in_place(&joined(base, path)).map_err(failure)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failure)?;
        Ok(bytes)
    }

    fn home(&self) -> Option<String> {
        std::env::home_dir()?.into_os_string().into_string().ok()
    }

    fn pause(&self) {
        thread::sleep(PAUSE);
    }
}

impl Parsers for TheseParsers {
    fn extract(&mut self, path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
        self.prefetch.take(path, bytes).unwrap_or_else(|| extract(path, bytes))
    }

    fn prepares(&self) -> bool {
        self.prefetch.has_threads()
    }

    fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        self.prefetch.prepare(files);
    }

    fn clear_rules(&mut self) -> Result<(), String> {
        self.rules = IgnoreRules::default();
        Ok(())
    }

    fn add_rules(&mut self, folder: &str, name: &str, content: &[u8]) -> Result<(), String> {
        self.rules.add(folder, name, content);
        Ok(())
    }

    fn excluded(&mut self, paths: &[(String, bool)]) -> Result<Vec<bool>, String> {
        Ok(paths.iter().map(|(path, is_folder)| self.rules.exclude(path, *is_folder)).collect())
    }
}

fn extract(path: &str, bytes: &[u8]) -> Result<FileFacts, String> {
    caught(|| limbic_code::extract(path, bytes))
}

/// Runs a parser. A panic of it becomes an error, as a trap does in WebAssembly.
fn caught(parse: impl FnOnce() -> FileFacts) -> Result<FileFacts, String> {
    catch_unwind(AssertUnwindSafe(parse)).map_err(|_| "the parser failed".to_owned())
}

/// The number of cores beside that of the thread which stores facts.
fn free_cores() -> usize {
    thread::available_parallelism().map_or(0, |cores| cores.get() - 1)
}

fn joined(base: &str, path: &str) -> PathBuf {
    if path.is_empty() { PathBuf::from(base) } else { Path::new(base).join(path) }
}

fn kind(kind: fs::FileType) -> Kind {
    match kind {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Folder,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::Missing,
        ErrorKind::PermissionDenied => Failure::Denied,
        ErrorKind::InvalidFilename => Failure::NameTooLong,
        _ if cfg!(unix) && error.raw_os_error() == Some(LINK_CIRCLE) => Failure::LinkCircle,
        _ => Failure::Other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_that_panics_fails() {
        assert_eq!(caught(|| panic!("a defect of the parser")), Err("the parser failed".to_owned()));
        assert!(extract("a.py", b"def a(): pass").is_ok());
    }
}
