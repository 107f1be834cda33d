//! A folder: its JSON files, and those of its direct subfolders, as one file.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use limbic_tools::{FolderFile, Source};

use super::file::FileSource;
use super::reason;

/// Maximum number of files: a folder with more is rejected.
const FILES_MAX: usize = 10_000;

/// A folder as listed.
pub struct FolderSource {
    path: PathBuf,
    files: Vec<FolderFile>,
    /// The file read last.
    open: Option<(usize, FileSource)>,
}

impl FolderSource {
    /// Lists a folder; the error is a sentence.
    pub fn list(path: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        for (name, entry) in entries(path)? {
            if entry.path().is_dir() {
                for (inner, entry) in entries(&entry.path())? {
                    files.extend(json_file(format!("{name}/{inner}"), &entry)?);
                }
            } else {
                files.extend(json_file(name, &entry)?);
            }
            if files.len() > FILES_MAX {
                return Err(format!("it is a folder with over {FILES_MAX} JSON files"));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { path: path.to_owned(), files, open: None })
    }

    /// Returns the file at an offset, and the offset within it.
    fn place(&self, offset: u64) -> Option<(usize, u64)> {
        let mut start = 0;
        for (number, file) in self.files.iter().enumerate() {
            if offset < start + file.size_bytes {
                return Some((number, offset - start));
            }
            start += file.size_bytes;
        }
        None
    }

    fn open(&mut self, number: usize) -> Result<&mut FileSource, String> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            let path = &self.files[number].path;
            let file =
                FileSource::open(&self.path.join(path)).map_err(|reason| format!("{path}: {reason}"))?;
            self.open = Some((number, file));
        }
        Ok(&mut self.open.as_mut().expect("it was opened above").1)
    }
}

impl Source for FolderSource {
    fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    fn files(&self) -> Option<&[FolderFile]> {
        Some(&self.files)
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        let mut done = 0;
        while done < buffer.len() {
            let Some((number, at)) = self.place(offset + u64::try_from(done).unwrap_or_default()) else {
                break;
            };
            let left = usize::try_from(self.files[number].size_bytes - at).unwrap_or(usize::MAX);
            let wanted = left.min(buffer.len() - done);
            let count = self.open(number)?.read_at(&mut buffer[done..done + wanted], at)?;
            done += count;
            if count < wanted {
                break;
            }
        }
        Ok(done)
    }
}

fn entries(folder: &Path) -> Result<Vec<(String, DirEntry)>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| reason(&error))? {
        let entry = entry.map_err(|error| reason(&error))?;
        // A name that is no text is none of those that are looked for.
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, entry));
        }
    }
    Ok(found)
}

fn json_file(path: String, entry: &DirEntry) -> Result<Option<FolderFile>, String> {
    if !path.ends_with(".json") {
        return Ok(None);
    }
    let found = fs::metadata(entry.path()).map_err(|error| format!("{path}: {}", reason(&error)))?;
    Ok(found.is_file().then_some(FolderFile { path, size_bytes: found.len() }))
}
