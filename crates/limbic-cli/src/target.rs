//! A file that is written atomically: to a temporary file, then moved.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::protected;

/// What an export may write in the place of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Nothing.
    Nothing,
    /// A file, unless it belongs to a database of Limbic.
    Files,
    /// A file, also a database of Limbic, which the caller has locked.
    Databases,
}

/// A file being written. If dropped before [`Target::finish`], it is removed.
pub struct Target {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<File>,
    replaces: Replaces,
}

impl Target {
    /// Starts an export of a database, of its file if it has one; the error is a sentence.
    pub fn create(path: &Path, replaces: Replaces, database: Option<&Path>) -> Result<Self, String> {
        // A link is what it leads to; `symlink_metadata` would let one to a device pass.
        let found = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err("it is a folder".to_owned()),
            Ok(found) if !found.is_file() => return Err("it is not a regular file".to_owned()),
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(reason(&error)),
        };
        // First, since no option replaces these files.
        if let Some(reason) = protected::refusal(path, database, replaces == Replaces::Databases) {
            return Err(reason);
        }
        if found.is_some() && replaces == Replaces::Nothing {
            return Err(exists());
        }
        if path.file_name().is_none() {
            return Err("it is a folder".to_owned());
        }
        // Not by the number of the process, which is the same at each start of a container: one that was killed there
        // leaves its file.
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(|error| error.to_string())?;
        let temporary =
            path.with_file_name(format!(".limbic-export-{:016x}.tmp", u64::from_ne_bytes(number)));
        let mut options = File::options();
        options.write(true).create_new(true);
        // A memory is its owner's alone.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&temporary).map_err(|error| reason(&error))?;
        Ok(Self { path: path.to_owned(), temporary, file: Some(file), replaces })
    }

    /// Writes a chunk.
    pub fn write(&mut self, piece: &[u8]) -> Result<(), String> {
        let Some(file) = &mut self.file else { return Err("it is closed".to_owned()) };
        file.write_all(piece).map_err(|error| reason(&error))
    }

    /// The file that is being written.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Syncs the file, and moves it to its path.
    pub fn finish(mut self) -> Result<(), String> {
        let file = self.file.take().ok_or("it is closed")?;
        file.sync_all().map_err(|error| reason(&error))?;
        drop(file);
        let moved = match self.replaces {
            Replaces::Nothing => self.link(),
            Replaces::Files | Replaces::Databases => fs::rename(&self.temporary, &self.path),
        };
        moved.map_err(|error| reason(&error))?;
        sync_folder(&self.path);
        Ok(())
    }

    /// Links the file to its path: renaming would replace a file created meanwhile. Renames on file systems without
    /// links.
    fn link(&self) -> io::Result<()> {
        match fs::hard_link(&self.temporary, &self.path) {
            Ok(()) => fs::remove_file(&self.temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || self.path.exists() => Err(error),
            Err(_) => fs::rename(&self.temporary, &self.path),
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // After a success it no longer exists.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Syncs the folder, if the platform supports that.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Why a file is not replaced without the option.
pub fn exists() -> String {
    "the file exists: name another one, or use --force to replace it".to_owned()
}

/// Returns why a file cannot be written, in the same words as the Node server.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "the folder does not exist".to_owned(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::AlreadyExists => exists(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database that does not exist.
    const DATABASE: &str = "missing/memory.db";

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder can be listed");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_atomically() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        let mut target = Target::create(&path, Replaces::Nothing, Some(Path::new(DATABASE)))
            .expect("nothing is in the way");
        target.write(b"half").expect("there is room");
        assert!(!path.exists());
        drop(target);
        assert!(names(folder.path()).is_empty());

        let mut target = Target::create(&path, Replaces::Nothing, Some(Path::new(DATABASE)))
            .expect("nothing is in the way");
        target.write(b"whole").expect("there is room");
        target.finish().expect("nothing is in the way");
        assert_eq!(fs::read(&path).expect("it is there"), b"whole");
        assert_eq!(names(folder.path()), ["export"]);
    }

    #[test]
    fn an_existing_file_is_kept_unless_forced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export");
        let late = Target::create(&path, Replaces::Nothing, Some(Path::new(DATABASE)))
            .expect("nothing is in the way");
        fs::write(&path, "mine").expect("there is room");
        assert!(
            Target::create(&path, Replaces::Nothing, Some(Path::new(DATABASE)))
                .is_err_and(|reason| reason.contains("--force"))
        );
        assert!(late.finish().is_err_and(|reason| reason.contains("--force")));
        assert_eq!(fs::read(&path).expect("it is there"), b"mine");
        assert_eq!(names(folder.path()), ["export"]);

        let target =
            Target::create(&path, Replaces::Files, Some(Path::new(DATABASE))).expect("it may be replaced");
        target.finish().expect("it may be replaced");
        assert_eq!(fs::read(&path).expect("it is there"), b"");
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        for replaces in [Replaces::Nothing, Replaces::Files] {
            assert!(
                Target::create(folder.path(), replaces, Some(Path::new(DATABASE)))
                    .is_err_and(|reason| reason == "it is a folder")
            );
            let below = folder.path().join("missing").join("export");
            assert!(
                Target::create(&below, replaces, Some(Path::new(DATABASE)))
                    .is_err_and(|reason| reason == "the folder does not exist")
            );
            #[cfg(unix)]
            assert!(
                Target::create(Path::new("/dev/null"), replaces, Some(Path::new(DATABASE)))
                    .is_err_and(|reason| reason == "it is not a regular file")
            );
        }
        assert!(names(folder.path()).is_empty());
    }
}
