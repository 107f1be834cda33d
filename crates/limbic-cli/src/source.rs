//! The file that a call names, read where and when the core wants it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};

use limbic_tools::Source;

/// An open file.
pub struct FileSource {
    file: File,
    size_bytes: u64,
}

impl FileSource {
    /// Opens a file, or says why it cannot be had. A pipe or a device might never end.
    pub fn open(path: &str) -> Result<Self, String> {
        let found = fs::metadata(path).map_err(|error| reason(&error))?;
        if found.is_dir() {
            return Err("it is a folder".to_owned());
        }
        if !found.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        let file = File::open(path).map_err(|error| reason(&error))?;
        Ok(Self { file, size_bytes: found.len() })
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

/// Why a file cannot be read, in the words of the Node server.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}
