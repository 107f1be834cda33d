//! The file or folder named in a call, with random access.

mod bounds;
mod file;
mod folder;
mod reasons;

use std::fs;
use std::path::{Path, PathBuf};

use limbic_tools::Source;

use crate::client_access::Imports;
use crate::paths;

use bounds::Bounds;
use file::FileSource;
use folder::FolderSource;
pub use reasons::NOT_IMPORTABLE;
use reasons::reason;

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
