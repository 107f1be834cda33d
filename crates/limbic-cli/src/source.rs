//! The file or folder named in a call, with random access.

mod file;
mod folder;

use std::fs;
use std::io;
use std::path::PathBuf;

use limbic_tools::Source;

use crate::paths;

use file::FileSource;
use folder::FolderSource;

/// Opens `path`. Errors: not found, not a file, no permission. Pipes and devices are rejected, because they may never
/// end.
pub fn open(path: &str) -> Result<Box<dyn Source>, String> {
    // An existing path is used as it is: a file's name may contain `~` or `$NAME`.
    let path = &if fs::exists(path).unwrap_or_default() {
        PathBuf::from(path)
    } else {
        paths::expanded(path.as_ref(), "it").map_err(|error| error.to_string())?
    };
    let found = fs::metadata(path).map_err(|error| reason(&error))?;
    if found.is_dir() {
        return Ok(Box::new(FolderSource::list(path)?));
    }
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    Ok(Box::new(FileSource::open(path)?))
}

/// Returns why a file cannot be read, in the same words as the Node server.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}
