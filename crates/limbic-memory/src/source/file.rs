//! A file.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use limbic_tools::{Neighbour, Source};

use super::bounds::Bounds;
use super::reasons::{NOT_IMPORTABLE, reason};

/// An open file.
pub struct FileSource {
    file: File,
    size_bytes: u64,
    path: PathBuf,
    bounds: Bounds,
}

impl FileSource {
    /// Opens a file; the error is a sentence. Files beside it are read if they lie within the bounds.
    pub fn open(path: &Path, bounds: Bounds) -> Result<Self, String> {
        let file = bounds.open(path)?;
        let size_bytes = file.metadata().map_err(|error| reason(&error))?.len();
        Ok(Self { file, size_bytes, path: path.to_owned(), bounds })
    }
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.size_bytes
    }

    /// Resolves links: files beside the target are looked up in its folder.
    fn sidecar(&mut self, suffix: &str) -> Result<Neighbour, String> {
        let mut name = fs::canonicalize(&self.path).map_err(|error| reason(&error))?.into_os_string();
        name.push(suffix);
        match fs::metadata(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Neighbour::Nothing),
            Ok(_) if !self.bounds.include(name.as_ref()) => Err(NOT_IMPORTABLE.to_owned()),
            _ => {
                let with_name = |reason| format!("{}: {reason}", Path::new(&name).display());
                Ok(Neighbour::File(Box::new(
                    Self::open(name.as_ref(), self.bounds.clone()).map_err(with_name)?,
                )))
            }
        }
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let failed = |error: io::Error| reason(&error);
        self.file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut done = 0;
        while done < buffer.len() {
            match self.file.read(&mut buffer[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(done)
    }
}
