//! A host's file as a stream of bytes.

use std::io::{self, Read};

use crate::{Host, HostError, HostFile, OpenMode};

/// A file that is read from its beginning.
pub struct Reader {
    file: Box<dyn HostFile>,
    offset: u64,
}

impl Reader {
    /// Opens a file, and returns it with its size. Nothing is written, and no lock is taken.
    ///
    /// # Errors
    /// As [`Host::open`].
    pub fn open(host: &dyn Host, path: &str) -> Result<(Reader, u64), HostError> {
        let file = host.open(path, OpenMode::Read)?;
        let size_bytes = file.size()?;
        Ok((Reader { file, offset: 0 }, size_bytes))
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset).map_err(io::Error::other)?;
        self.offset += u64::try_from(count).unwrap_or_default();
        Ok(count)
    }
}
