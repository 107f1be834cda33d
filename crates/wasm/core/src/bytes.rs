//! Reads bytes of JavaScript without copying all of them.

use std::io::{self, Read};

use js_sys::Uint8Array;
use limbic_core::{Error, Result, db::wal::WalFile};

/// Maximum size of an imported file, which is held in memory while it is checked.
const MAX_FILE_BYTES: u32 = 1 << 30;

/// Reads a JavaScript array of bytes from its start.
pub struct BytesReader<'a> {
    bytes: &'a Uint8Array,
    position: u32,
}

impl<'a> BytesReader<'a> {
    /// Creates a reader, and returns it with the number of bytes.
    ///
    /// # Errors
    /// [`Error::FileTooLarge`].
    pub fn new(bytes: &'a Uint8Array) -> Result<(Self, usize)> {
        let count = bytes.length();
        if count > MAX_FILE_BYTES {
            return Err(Error::FileTooLarge { bytes: count.into(), max_bytes: MAX_FILE_BYTES.into() });
        }
        let size = usize::try_from(count).map_err(|error| Error::Internal(error.to_string()))?;
        Ok((Self { bytes, position: 0 }, size))
    }
}

/// Converts what a page passes for the WAL of a database: unknown, none (no bytes), or its content.
///
/// # Errors
/// [`Error::FileTooLarge`].
pub fn wal_of(bytes: Option<&Uint8Array>) -> Result<WalFile> {
    let Some(bytes) = bytes else { return Ok(WalFile::Unknown) };
    let (mut reader, size) = BytesReader::new(bytes)?;
    let mut content = Vec::with_capacity(size);
    reader.read_to_end(&mut content).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(content.into())
}

impl Read for BytesReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        let end = self.position.saturating_add(room).min(self.bytes.length());
        let part = self.bytes.subarray(self.position, end);
        let count = usize::try_from(end - self.position).map_err(io::Error::other)?;
        part.copy_to(&mut buffer[..count]);
        self.position = end;
        Ok(count)
    }
}
