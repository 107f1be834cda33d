//! The file or folder named in a call, with random access.

mod file;
mod folder;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use limbic_tools::Source;

use crate::offer::Imports;
use crate::paths;

use file::FileSource;
use folder::FolderSource;

/// One reason for every file that a client over HTTP may not import, so that it cannot find out which files exist.
pub const NOT_IMPORTABLE: &str = "clients over HTTP may import only known formats from the folder that the server was \
    started with (--import-dir)";

/// Opens `path`. Errors: not found, not a file, no permission, not in the folder of `imports`. Pipes and devices are
/// rejected, because they may never end.
pub fn open(path: &str, imports: &Imports) -> Result<Box<dyn Source>, String> {
    match imports {
        Imports::Anywhere => open_at(&place(path)?, &Bounds::None),
        Imports::Nowhere => Err(NOT_IMPORTABLE.to_owned()),
        Imports::Below(folder) => {
            let open = || {
                let folder = fs::canonicalize(folder).ok()?;
                // The path that was checked is the one that is opened.
                let real = fs::canonicalize(place(path).ok()?).ok()?;
                if !real.starts_with(&folder) {
                    return None;
                }
                open_at(&real, &Bounds::Folder(folder)).ok()
            };
            open().ok_or_else(|| NOT_IMPORTABLE.to_owned())
        }
    }
}

/// The folder that files of a source must be in.
#[derive(Clone)]
enum Bounds {
    None,
    Folder(PathBuf),
}

impl Bounds {
    /// Whether a file may be read, by its path with all links resolved.
    fn include(&self, path: &Path) -> bool {
        match self {
            Self::None => true,
            Self::Folder(folder) => fs::canonicalize(path).is_ok_and(|real| real.starts_with(folder)),
        }
    }
}

/// An existing path is used as it is: a file's name may contain `~` or `$NAME`.
fn place(path: &str) -> Result<PathBuf, String> {
    if fs::exists(path).unwrap_or_default() {
        return Ok(PathBuf::from(path));
    }
    paths::expanded(path.as_ref(), "it").map_err(|error| error.to_string())
}

fn open_at(path: &Path, bounds: &Bounds) -> Result<Box<dyn Source>, String> {
    let found = fs::metadata(path).map_err(|error| reason(&error))?;
    if found.is_dir() {
        return Ok(Box::new(FolderSource::list(path, bounds.clone())?));
    }
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok(Box::new(FileSource::open(path, bounds.clone())?))
}

/// Returns why a file cannot be read, in the same words as the Node server.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}
