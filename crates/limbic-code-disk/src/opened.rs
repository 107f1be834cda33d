//! Opening a file, and the place of an opened one.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use same_file::Handle;

/// How often a file is opened that is replaced at this moment.
const OPENINGS: u32 = 3;

/// Opens a file for reading. A pipe in its place is opened without waiting for its writer.
///
/// # Errors
/// When it cannot be opened.
#[cfg(unix)]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, rustix::fs::Mode::empty())?))
}

/// Opens a file for reading.
///
/// # Errors
/// When it cannot be opened.
#[cfg(not(unix))]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns the path of an open file, with all links resolved; `path` is the one that it was opened by.
///
/// # Errors
/// When the system does not report it, and the file is no longer at its path.
pub fn place_of(file: &File, path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        if let Ok(place) = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
            return Ok(place);
        }
    }
    place_of_same_file(file, path)
}

fn place_of_same_file(file: &File, path: &Path) -> io::Result<PathBuf> {
    let place = fs::canonicalize(path)?;
    let is_same = Handle::from_file(file.try_clone()?)? == Handle::from_path(&place)?;
    if is_same { Ok(place) } else { Err(ErrorKind::NotFound.into()) }
}

/// Opens a regular file at a real path. What was opened must be there: another process may replace the file or a folder
/// by a link after the path was checked.
///
/// # Errors
/// When it cannot be opened; `NotFound` also if a link leads to it, or if it is no regular file.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    for _ in 0..OPENINGS {
        let file = open_without_waiting(path)?;
        if file.metadata()?.is_file() && place_of(&file, path).is_ok_and(|place| place == path) {
            return Ok(file);
        }
    }
    Err(ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    #[test]
    fn the_place_of_a_file_is_the_one_it_is_at() {
        let root = tempdir().expect("a folder");
        let root = fs::canonicalize(root.path()).expect("it exists");
        let (one, other) = (root.join("one.py"), root.join("other.py"));
        for path in [&one, &other] {
            fs::write(path, "x").expect("there is room");
        }
        let file = open_in_place(&one).expect("it exists");
        assert_eq!(place_of_same_file(&file, &one).expect("it is there"), one);
        // As if it had been replaced.
        assert!(place_of_same_file(&file, &other).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_link_leads_to_is_not_opened_and_no_pipe_is_waited_for() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        use std::os::unix::fs::symlink;
        let root = tempdir().expect("a folder");
        let root = fs::canonicalize(root.path()).expect("it exists");
        let (inside, outside) = (root.join("inside"), root.join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).expect("a folder");
            fs::write(folder.join("a.py"), "x").expect("there is room");
        }
        // As if they had been put there after the path was checked.
        symlink(&outside, inside.join("folder")).expect("a link");
        symlink(outside.join("a.py"), inside.join("link.py")).expect("a link");
        mkfifoat(CWD, inside.join("pipe.py"), Mode::RUSR).expect("a pipe");
        assert!(open_in_place(&inside.join("a.py")).is_ok());
        for path in ["folder/a.py", "link.py", "pipe.py", "folder", "../outside/a.py", "none.py"] {
            let opened = open_in_place(&inside.join(path)).map_err(|error| error.kind());
            assert_eq!(opened.err(), Some(ErrorKind::NotFound), "{path}");
        }
    }
}
