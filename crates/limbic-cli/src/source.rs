//! The file or the folder that a call names, read where and when the core wants it.

mod file;
mod folder;

use std::fs;
use std::io;
use std::path::PathBuf;

use limbic_tools::Source;

use crate::paths;

use file::FileSource;
use folder::FolderSource;

/// Opens it, or says why it cannot be had. A pipe or a device might never end.
pub fn open(path: &str) -> Result<Box<dyn Source>, String> {
    // A file's own name may hold what would be expanded.
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

/// Why a file cannot be read, in the words of the Node server.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}
