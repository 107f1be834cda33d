//! A file or a folder to import, passed in by a shell: read in chunks, so that it may be larger than memory.

use std::io;

/// A file with random access, or a folder, whose files are read as one, in order. Sizes and contents must not change.
pub trait Source {
    /// Total size in bytes.
    fn size(&self) -> u64;

    /// The JSON files of a folder and of its direct subfolders, and its Markdown files, in reading order; `None` for a
    /// file.
    fn files(&self) -> Option<&[FolderFile]> {
        None
    }

    /// Looks up the file with this one's name and a suffix, such as a database's `-wal`.
    ///
    /// # Errors
    /// A sentence that explains why it cannot be read.
    fn sidecar(&mut self, _suffix: &str) -> Result<Neighbour, String> {
        Ok(Neighbour::Unknown)
    }

    /// Fills the buffer from this offset; returns fewer bytes only at the end of the file.
    ///
    /// # Errors
    /// A sentence that explains why it cannot be read.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String>;
}

/// A file beside another.
pub enum Neighbour {
    /// The shell cannot look it up.
    Unknown,
    /// There is no such file.
    Nothing,
    /// A file.
    File(Box<dyn Source>),
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its path relative to the folder, with slashes.
    pub path: String,
    /// Its size.
    pub size_bytes: u64,
}

/// One file of a folder.
pub struct Part<'a> {
    folder: &'a mut dyn Source,
    start: u64,
    size_bytes: u64,
}

impl<'a> Part<'a> {
    /// Creates the part of `size` bytes at an offset.
    pub fn new(folder: &'a mut dyn Source, start: u64, size_bytes: u64) -> Self {
        Self { folder, start, size_bytes }
    }
}

impl Source for Part<'_> {
    fn size(&self) -> u64 {
        self.size_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let left = usize::try_from(self.size_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        self.folder.read_at(&mut buffer[..count], self.start.saturating_add(offset))
    }
}

impl Source for Vec<u8> {
    fn size(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let count = buffer.len().min(self.len() - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
}

/// Reads a source sequentially.
pub struct Sequence<'a> {
    source: &'a mut dyn Source,
    offset: u64,
    failure: Option<String>,
}

impl<'a> Sequence<'a> {
    /// Starts at the beginning.
    pub fn new(source: &'a mut dyn Source) -> Self {
        Self { source, offset: 0, failure: None }
    }

    /// Starts behind a byte order mark of UTF-8, if there is one.
    ///
    /// # Errors
    /// A sentence that explains why the source cannot be read.
    pub fn of_text(source: &'a mut dyn Source) -> Result<Self, String> {
        const MARK: [u8; 3] = *b"\xef\xbb\xbf";
        let mut start = [0; MARK.len()];
        let has_mark = source.read_at(&mut start, 0)? == MARK.len() && start == MARK;
        let offset = if has_mark { 3 } else { 0 };
        Ok(Self { offset, ..Self::new(source) })
    }

    /// Returns why it could not be read completely; `None` if it was.
    pub fn failure(self) -> Option<String> {
        let is_short = self.offset < self.source.size();
        self.failure.or_else(|| is_short.then(|| "it changed while it was read".to_owned()))
    }
}

impl io::Read for Sequence<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read_at(buffer, self.offset).map_err(|reason| {
            self.failure = Some(reason.clone());
            io::Error::other(reason)
        })?;
        self.offset += u64::try_from(count).unwrap_or_default();
        Ok(count)
    }
}
