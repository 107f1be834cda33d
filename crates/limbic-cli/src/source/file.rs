//! A file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use limbic_tools::Source;

use super::reason;

/// An open file.
pub struct FileSource {
    file: File,
    size_bytes: u64,
}

impl FileSource {
    /// Opens it, or says why it cannot be read.
    pub fn open(path: &Path) -> Result<Self, String> {
        let open = || {
            let file = File::open(path)?;
            let size_bytes = file.metadata()?.len();
            Ok(Self { file, size_bytes })
        };
        open().map_err(|error| reason(&error))
    }
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let told = |error: io::Error| reason(&error);
        self.file.seek(SeekFrom::Start(offset)).map_err(told)?;
        let mut done = 0;
        while done < buffer.len() {
            match self.file.read(&mut buffer[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(told(error)),
            }
        }
        Ok(done)
    }
}
